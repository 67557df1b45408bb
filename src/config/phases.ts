/** From what a file says about phases to a map: a preset's name, or a map of its own checked against what exists. */
import type { PhaseMap, RawPhase } from '../domain/phase-map.ts'
import { buildPhaseMap, parseStep } from '../domain/phase-map.ts'
import { PRESETS } from '../domain/presets.ts'
import { CONTRACT } from '../domain/task.ts'
import type { Problem } from '../domain/problem.ts'
import { unknownWord } from '../domain/problem.ts'
import type { Cast } from './cast.ts'
import { PLANNED_PRESETS, notYet } from './planned.ts'
import type { PhasesText } from './schema.ts'

/** What a map may use. Roles that it needs join the cast, if somebody can play them. */
export interface Known {
  cast: Cast
  checks: readonly string[]
}

/** Problems carry paths below `at`, the place of the phases in their file. */
export function readPhases(
  phases: PhasesText,
  { cast, checks }: Known,
  at: readonly (string | number)[],
): { map: PhaseMap; problems: Problem[] } {
  const raw = typeof phases === 'string' ? presetNamed(phases) : phases
  if (raw === undefined) return { map: [], problems: [{ path: at, message: presetProblem(String(phases)) }] }
  const entries = Object.entries(raw).map(([name, phase]): [string, RawPhase] => {
    const timeoutMs = 'timeout' in phase && typeof phase.timeout === 'number' ? phase.timeout : undefined
    return [name, { ...phase, timeoutMs }]
  })
  const roles = entries.flatMap(([name, { run }]) => {
    const step = parseStep(run)
    return step?.type === 'agent' ? [{ role: step.name, path: [name, 'run'] }] : []
  })
  const missing = roles.flatMap(({ role, path }): Problem[] => {
    const message = cast.need(role)
    return message === null ? [] : [{ path, message }]
  })
  const { map, problems: wrong } = buildPhaseMap(new Map(entries), {
    agent: roles.map(({ role }) => role),
    check: [CONTRACT, ...checks],
    action: ['merge'],
    signal: ['human-approval', 'acceptance'],
  })
  if (map.some(({ step }) => step.type === 'signal' && step.name === 'acceptance')) cast.offerChecker()
  const problems = [...missing, ...wrong]
  // A preset's phases have no lines of their own: what is wrong with them is told where the preset is named.
  const path = (problem: Problem) => (typeof phases === 'string' ? at : [...at, ...problem.path])
  return { map, problems: problems.map((problem) => ({ ...problem, path: path(problem) })) }
}

function presetNamed(name: string): Record<string, RawPhase> | undefined {
  return Object.hasOwn(PRESETS, name) ? PRESETS[name] : undefined
}

function presetProblem(name: string): string {
  const names = Object.keys(PRESETS)
  if (PLANNED_PRESETS.includes(name)) return `${notYet(`the preset "${name}"`)} (known: ${names.join(', ')})`
  return unknownWord('preset', name, names)
}
