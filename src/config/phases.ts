/**
 * Turns `phases` of a file into a phase map: a preset, or a map of its own, checked against the existing steps and
 * roles.
 */
import type { PhaseMap, RawPhase } from '../domain/task/phase-map.ts'
import { DONE, buildPhaseMap, parseStep } from '../domain/task/phase-map.ts'
import { isGated } from '../domain/task/gate.ts'
import { CI, MARK_READY, MERGE, OPEN_PR, PR_REVIEW, usesForge } from '../domain/forge.ts'
import { PRESETS } from '../domain/task/presets.ts'
import { PLAN_APPROVAL, planGateProblems } from '../domain/task/task-plan.ts'
import { CONTRACT } from '../domain/task/task.ts'
import type { Problem } from '../domain/problem.ts'
import { unknownWord } from '../domain/problem.ts'
import type { Cast } from './resolve-roles.ts'
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
    return [name, { ...phase, timeoutMs, panel: panelIn(phase) }]
  })
  const roles = entries.flatMap(([name, { run }]) => {
    const step = parseStep(run)
    return step?.type === 'agent' ? [{ role: step.name, path: [name, 'run'] }] : []
  })
  const missing = roles.flatMap(({ role, path }): Problem[] => problem(path, cast.need(role)))
  const judges = entries.flatMap(([name, { run, panel }]): Problem[] => {
    if (panel === undefined) return []
    const step = parseStep(run)
    if (step?.type !== 'agent' || cast.does(step.name) !== 'judge')
      return problem([name, 'args'], `only a phase of a judge can have validators, and "${run}" is not one`)
    return panel.flatMap((role) =>
      role === step.name ? [] : problem([name, 'args', 'validators'], cast.needJudge(role)),
    )
  })
  const { map, problems: wrong } = buildPhaseMap(new Map(entries), {
    agent: roles.map(({ role }) => role),
    check: [CONTRACT, ...checks],
    action: [MERGE, OPEN_PR, MARK_READY],
    signal: ['human-approval', PLAN_APPROVAL, 'acceptance', PR_REVIEW, CI],
    dutyOf: (role) => cast.does(role),
  })
  if (map.some(({ step }) => step.type === 'signal' && step.name === 'acceptance')) cast.offerChecker()
  const found = [...missing, ...judges, ...wrong, ...draftProblem(map), ...planGateProblems(map)]
  const problems = found.length === 0 ? gateProblem(map) : found
  // A preset's phases have no lines of their own: what is wrong with them is told where the preset is named.
  const path = (problem: Problem) => (typeof phases === 'string' ? at : [...at, ...problem.path])
  return { map, problems: problems.map((problem) => ({ ...problem, path: path(problem) })) }
}

/** What neither lands nor is verified would be done because somebody said so (H-1). */
function gateProblem(map: PhaseMap): Problem[] {
  const last = map.find(({ onPass }) => onPass === DONE)
  if (isGated(map) || last === undefined) return []
  const message = `this map never verifies the work: add a phase "check ${CONTRACT}", or land it with "action ${MERGE}", which verifies`
  return problem([last.name, 'on_pass'], message)
}

/** A pull request begins as a draft, and nobody merges a draft: found here, not when everything else is done (L21). */
function draftProblem(map: PhaseMap): Problem[] {
  const merge = map.find(({ step }) => step.type === 'action' && step.name === MERGE)
  const ready = map.some(({ step }) => step.type === 'action' && step.name === MARK_READY)
  if (merge === undefined || ready || !usesForge(map)) return []
  const message = `a pull request starts as a draft, and a draft cannot be merged: put a phase "action ${MARK_READY}" before "${merge.name}"`
  return problem([merge.name, 'run'], message)
}

function problem(path: (string | number)[], message: string | null): Problem[] {
  return message === null ? [] : [{ path, message }]
}

/** The judges that a phase lists, its own first if it is not among them. */
function panelIn(phase: RawPhase & { args?: { validators: string[] } | undefined }): string[] | undefined {
  const listed = phase.args?.validators
  const own = parseStep(phase.run)?.name
  if (listed === undefined || own === undefined) return undefined
  return [...new Set(listed.includes(own) ? listed : [own, ...listed])]
}

function presetNamed(name: string): Record<string, RawPhase> | undefined {
  return Object.hasOwn(PRESETS, name) ? PRESETS[name] : undefined
}

function presetProblem(name: string): string {
  return unknownWord('preset', name, Object.keys(PRESETS))
}
