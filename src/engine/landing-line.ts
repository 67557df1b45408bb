/**
 * Who lands next on each branch. A landing verifies its merge with the branch as it is, and whatever lands meanwhile makes
 * that worthless: so one task at a time does, in the order in which they came, and the others wait for their turn.
 */
import { usesForge } from '../domain/forge.ts'
import { isLanding } from '../domain/gate.ts'
import { phaseNamed } from '../domain/phase-map.ts'
import type { Entry } from './task-table.ts'

interface Line {
  /** Under way; the first of them has the turn. */
  active: Set<Entry>
  waiting: Set<Entry>
}

export class LandingLine {
  readonly #lines = new Map<string, Line>()

  /** Whether another task has the turn on this one's target. */
  isTaken(entry: Entry): boolean {
    const [first] = this.#lines.get(entry.spec.target)?.active ?? []
    return first !== undefined && first !== entry
  }

  /** The task stands so now. Returns the one whose turn it is, if this one has given it up. */
  update(entry: Entry): Entry | null {
    const { target } = entry.spec
    const line = this.#lines.get(target) ?? { active: new Set<Entry>(), waiting: new Set<Entry>() }
    this.#lines.set(target, line)
    const stands = standsInLine(entry)
    const had = line.active.values().next().value === entry
    set(line.active, entry, stands === 'active')
    set(line.waiting, entry, stands === 'waiting')
    if (line.active.size === 0 && line.waiting.size === 0) this.#lines.delete(target)
    if (!had || line.active.size > 0) return null
    return line.waiting.values().next().value ?? null
  }

  /** It is not on the table any more. */
  remove(entry: Entry): void {
    const line = this.#lines.get(entry.spec.target)
    line?.active.delete(entry)
    line?.waiting.delete(entry)
  }
}

function set(entries: Set<Entry>, entry: Entry, isIn: boolean): void {
  if (isIn) entries.add(entry)
  else entries.delete(entry)
}

function standsInLine({ spec, state }: Entry): 'active' | 'waiting' | null {
  if (state.status !== 'in-progress' || state.held !== null || usesForge(spec.phases)) return null
  const phase = phaseNamed(spec.phases, state.phase ?? '')
  if (phase === undefined || !isLanding(phase.step)) return null
  if (state.wait !== null && state.cause === 'queue') return 'waiting'
  // What waits for a person, or for something outside, holds nobody up.
  return state.verifyThen !== null || state.run !== null || state.wait === null ? 'active' : null
}
