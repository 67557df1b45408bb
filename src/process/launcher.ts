/**
 * The small process that starts helper commands for a large one (run.ts); it is a program of its own. It always ends
 * with the large one, because the channel between them closes.
 */
import { runHere, type RunOptions, type RunResult } from './run-here.ts'

export interface LaunchRequest {
  id: number
  options: RunOptions
}

export type Answer = { id: number; result: RunResult } | { id: number; notStarted: string }

process.on('message', ({ id, options }: LaunchRequest) => {
  runHere(options).then(
    (result) => answer({ id, result }),
    (error: Error) => answer({ id, notStarted: error.message }),
  )
})
process.on('disconnect', () => process.exit())
// Who ends everything at once, as a service manager does, leaves the one we work for time to save its work.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
answer('ready')

function answer(message: Answer | 'ready'): void {
  // Nobody to answer: that is its end as well.
  process.send?.(message, undefined, undefined, (error) => error !== null && process.exit())
}
