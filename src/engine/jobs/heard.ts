/** What a job tells, as news of the run that waits for it. */
import { formatDuration } from '../../domain/duration.ts'
import type { Hear } from '../../ports/executor.ts'
import type { RunRecord } from '../../ports/store.ts'
import type { EngineParts } from '../loop/parts.ts'

/** `setup` on a line: when the setup began, for a clock of its own. */
export function heardFor({ probe, clock }: EngineParts, { id: run, taskId: task }: RunRecord): Hear {
  let since = 0
  const tellSetup = (line: string, setup: number | null) =>
    probe.emit({ type: 'output', task, run, line: `setup: ${line}`, setup })
  return (event) => {
    switch (event.type) {
      case 'line':
        return probe.emit({ type: 'output', task, run, line: event.line })
      case 'setup-began':
        since = event.since
        probe.emit({ type: 'setup-started', task, run, command: event.command })
        return tellSetup(event.command, since)
      case 'setup-line':
        return tellSetup(event.line, since)
      case 'setup-ended': {
        const ms = Math.max(0, clock.now() - since)
        probe.emit({ type: 'setup-ended', task, run, ms, ok: event.ok })
        return tellSetup(`${event.ok ? 'done' : 'failed'} after ${formatDuration(ms)}`, null)
      }
    }
  }
}
