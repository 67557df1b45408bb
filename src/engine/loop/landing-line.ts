/**
 * Who lands next on each branch. A landing verifies its merge with the branch, and another landing in the meantime
 * makes that verification worthless. So one task at a time verifies and lands, in order of arrival, and the others
 * wait.
 */
import { codeOf } from '../../domain/task/reasons.ts'
import { usesForge } from '../../domain/forge.ts'
import { isLanding } from '../../domain/task/gate.ts'
import { phaseNamed } from '../../domain/task/phase-map.ts'
import { isOver } from '../../domain/task/task.ts'
import type { OpenTask } from '../../ports/store.ts'

/** What decides where a task stands in line. */
type InLine = Pick<OpenTask, 'spec' | 'state'>

interface Line<Entry> {
  /** Who lands now. */
  turn: Entry | null
  waiting: Set<Entry>
}

export class LandingLine<Entry extends InLine = InLine> {
  readonly #lines = new Map<string, Line<Entry>>()
  /** Whether the task gets turns at all: one that nobody works on holds nobody up. */
  isServed: (entry: Entry) => boolean = () => true

  /** Whether others come first on its target. */
  isTaken(entry: Entry): boolean {
    const line = this.#lines.get(entry.spec.target)
    if (line === undefined || line.turn === entry) return false
    if (line.turn !== null && (line.turn.state.run !== null || this.isServed(line.turn))) return true
    return (this.#next(line) ?? entry) !== entry
  }

  /** The task is about to land: it has the turn until it stands somewhere else. False if others come first. */
  take(entry: Entry): boolean {
    if (isOver(entry.state.status) || this.isTaken(entry)) return false
    this.#line(entry).turn = entry
    return true
  }

  /** The task stands so now. Returns the one whose turn it is, if this one gave it up or left the line. */
  update(entry: Entry): Entry | null {
    const stands = standsInLine(entry)
    const known = this.#lines.get(entry.spec.target)
    if (known === undefined && stands !== 'waiting' && stands !== 'landing') return null
    const line = known ?? this.#line(entry)
    const was = line.turn === entry || line.waiting.has(entry)
    if (stands === 'waiting') line.waiting.add(entry)
    else line.waiting.delete(entry)
    // After a restart, who was landing goes on.
    if (stands === 'landing') line.turn ??= entry
    if (stands === null && line.turn === entry) line.turn = null
    if (line.turn !== null) return null
    if (line.waiting.size === 0) this.#lines.delete(entry.spec.target)
    const next = this.#next(line)
    return was && next !== entry ? next : null
  }

  /** It is not on the table any more. */
  remove(entry: Entry): void {
    const line = this.#lines.get(entry.spec.target)
    line?.waiting.delete(entry)
    if (line?.turn === entry) line.turn = null
  }

  #next({ waiting }: Line<Entry>): Entry | null {
    for (const entry of waiting) if (this.isServed(entry)) return entry
    return null
  }

  #line({ spec: { target } }: Entry): Line<Entry> {
    const line = this.#lines.get(target) ?? { turn: null, waiting: new Set<Entry>() }
    this.#lines.set(target, line)
    return line
  }
}

/** `landing`: it verifies or lands. `near`: it is about to. Null: it stands elsewhere, or waits for what no turn brings. */
function standsInLine({ spec, state }: InLine): 'landing' | 'near' | 'waiting' | null {
  if (state.status !== 'in-progress' || state.held !== null || usesForge(spec.phases)) return null
  const phase = phaseNamed(spec.phases, state.phase ?? '')
  if (phase === undefined || !isLanding(phase.step)) return null
  if (state.verifyThen !== null || state.run !== null) return 'landing'
  if (state.wait === null) return 'near'
  return codeOf(state.wait) === 'queue' ? 'waiting' : null
}
