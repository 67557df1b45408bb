/** Which runs a command saw start and end, so that it can say after Ctrl-C what was stopped and what is left of it. */
import type { Store } from '../ports/store.ts'
import type { ProbeEvent } from '../ports/probe.ts'

interface StoppedRun {
  task: string
  run: string
  /** As in `implementer` or `check contract`. */
  name: string
  /** saved: its files are kept, and the next run has them; again: the step begins anew; unknown: its end was not seen. */
  left: 'saved' | 'again' | 'unknown'
}

interface Seen {
  task: string
  name: string
  interrupted: boolean
}

export class BegunRuns {
  readonly #open = new Map<string, Seen>()
  #count = 0

  onEvent(event: ProbeEvent): void {
    const run = String(event['run'])
    if (event.task === undefined) return
    if (event.type === 'run-started') {
      const kind = String(event['kind'])
      const name = kind === 'agent' ? String(event['name']) : `${kind} ${String(event['name'])}`
      this.#open.set(run, { task: event.task, name, interrupted: false })
      this.#count += 1
    }
    const seen = event.type === 'run-ended' ? this.#open.get(run) : undefined
    if (seen === undefined) return
    if (event['interrupted'] === true) seen.interrupted = true
    else this.#open.delete(run)
  }

  /** How many began, whatever became of them. */
  count(): number {
    return this.#count
  }

  /** Those that came to no end of their own. Only what is stored counts. */
  async stopped(store: Store): Promise<StoppedRun[]> {
    return Promise.all(
      [...this.#open].map(async ([run, { task, name, interrupted }]): Promise<StoppedRun> => {
        const end = (await store.runs(task)).find(({ id }) => id === run)?.end ?? null
        if (end === null && !interrupted) return { task, run, name, left: 'unknown' }
        return { task, run, name, left: end?.facts.unfinished === true ? 'saved' : 'again' }
      }),
    )
  }
}

export function interruptedLines(stopped: readonly StoppedRun[], begun: number, following: boolean): string[] {
  if (following) return ['  left: the other muster keeps working on these; muster run follows it again']
  if (begun === 0) return ['  interrupted before any run started; muster run starts from here']
  const finished = begun - stopped.length
  const runs = (n: number) => `${n} ${n === 1 ? 'run' : 'runs'}`
  return [
    `  interrupted: ${runs(begun)} started, ${finished} finished, ${stopped.length} stopped; finished work is stored`,
    ...stopped.map(({ task, name, left }) => `  ◼ ${task}: ${name} was stopped; ${NEXT[left]}`),
    '  next    muster run continues from here; this cost no round',
  ]
}

const NEXT = {
  saved: 'its files are saved, and muster run continues with them',
  again: 'muster run starts this step again',
  unknown: 'Muster did not see it end; muster run finds out how it ended',
}
