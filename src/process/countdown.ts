/** A timeout that can be paused: only time while it runs counts. */

export interface Countdown {
  setRunning(running: boolean): void
  /** Ends it without calling back. */
  cancel(): void
}

/** The longest delay a timer takes; anything longer is counted down in parts. */
const timerMsMax = 2 ** 31 - 1

/** Starts at once. Calls back when `ms` of running time have passed. */
export function countdown(ms: number, onEnd: () => void): Countdown {
  let leftMs = ms
  let since: number | null = null
  let timer: NodeJS.Timeout | undefined
  let over = false

  const stop = (): void => {
    clearTimeout(timer)
    if (since !== null) leftMs -= performance.now() - since
    since = null
  }
  const run = (): void => {
    since = performance.now()
    timer = setTimeout(
      () => {
        stop()
        if (leftMs >= 1) return run()
        over = true
        onEnd()
      },
      Math.min(Math.max(leftMs, 0), timerMsMax),
    )
  }
  run()
  return {
    setRunning(running) {
      if (over || running === (since !== null)) return
      if (running) run()
      else stop()
    },
    cancel() {
      over = true
      stop()
    },
  }
}
