/**
 * Starts programs one after another if they write to their home at startup and would disturb each other. All runs share
 * the machine's home, so this process has one queue.
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
