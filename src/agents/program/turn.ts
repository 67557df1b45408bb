/**
 * Starts one after another, for programs that set up their home as they start: there they would get in each other's way.
 * The home is the machine's, so the turns are the process's.
 */
import { countdown } from '../../process/countdown.ts'

const last = new Map<string, Promise<void>>()

/** Runs `start` when the start before it is over: when that called `begun`, failed, or took longer than `longestMs`. */
export async function inTurn<T>(name: string, longestMs: number, start: (begun: () => void) => Promise<T>): Promise<T> {
  const before = last.get(name)
  const { promise, resolve: begun } = Promise.withResolvers<void>()
  last.set(name, promise)
  await before
  const patience = countdown(longestMs, begun)
  void promise.then(() => patience.cancel())
  return start(begun).catch((error: unknown) => {
    begun()
    throw error
  })
}
