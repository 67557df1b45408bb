/** Tells listeners what was stored: each event as it is in the history, and what follows from some of them. */
import { taskBranch } from '../../domain/task/task.ts'
import type { Probe } from '../../ports/probe.ts'
import type { StoredEvent } from '../../ports/store.ts'

/** `blocked`: the tasks that can never start because of it. */
export function tellStored(probe: Probe, events: readonly StoredEvent[], blocked: readonly string[]): void {
  for (const { chain, type, at, actor, data } of events) {
    const task = chain.slice(chain.indexOf(':') + 1)
    probe.emit({ ...data, type, task, at, actor })
    if (type === 'run-ended' && data['crashed'] === true) {
      const { name: role, run } = data
      probe.emit({ type: 'worker_crash_detected', task, role, branch: taskBranch(task), run })
    }
  }
  if (blocked.length > 0) {
    const cause = events[0]?.chain.slice('task:'.length)
    probe.emit({ type: 'deadlock_detected', task: cause, blocked })
  }
}
