/** Ctrl-C once: the workers are asked to stop and everything is stored. Twice: they are killed. Nothing is lost either way. */

interface Signals {
  interrupted(): boolean
  /** Settles with the promise, or as soon as somebody interrupts. */
  race(promise: Promise<void>): Promise<void>
  /** Closes, if that has not begun, and waits until it is done. */
  close(): Promise<void>
}

/** `words`: what is said at the first signal. */
export function closeOnSignal(
  say: (text: string) => void,
  words: string,
  end: (now?: boolean) => Promise<void>,
): Signals {
  const stopped = Promise.withResolvers<void>()
  let count = 0
  let closing: Promise<void> | null = null
  const onSignal = () => {
    count += 1
    if (count === 1) {
      say(`\n${words}\n`)
      closing = end()
    } else if (count === 2) {
      closing = end(true)
    }
    stopped.resolve()
  }
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const name of names) process.on(name, onSignal)
  return {
    interrupted: () => count > 0,
    race: (promise) => Promise.race([promise, stopped.promise]),
    async close() {
      await (closing ?? end())
      for (const name of names) process.off(name, onSignal)
    },
  }
}

export const STOPPING =
  'stopping: workers get a moment to finish, then everything is stored (press Ctrl-C again to stop at once)'
