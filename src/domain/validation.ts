/**
 * Where validation is in a task's map: judges of the project or the plan after its verification, with a limited number
 * of retries.
 */
import type { ProjectConfig } from './config.ts'
import type { Phase, PhaseMap } from './task/phase-map.ts'
import { phaseNamed } from './task/phase-map.ts'
import type { PlannedTask } from './story/plan.ts'
import { CONTRACT } from './task/task.ts'
import { doerOf, roleOf } from './role.ts'

export const VALIDATOR = 'validator'
export const ISSUE_VERIFIER = 'issue-verifier'
const CODE_REVIEWER = 'code-reviewer'

/** Roles of which only `maxValidators` work at a time. */
export const VALIDATING: ReadonlySet<string> = new Set([VALIDATOR, CODE_REVIEWER, ISSUE_VERIFIER])

type Settings = Pick<ProjectConfig, 'phases' | 'limits' | 'agents'>
type Validated = Pick<PlannedTask, 'phases' | 'agent' | 'validation' | 'defect'>

/** The map that a task walks through: its plan's or the project's, with the judges that its plan and its defect ask for. */
export function phasesOf({ phases, agent, validation, defect }: Validated, settings: Settings): PhaseMap {
  const map = settledPhases(phases ?? settings.phases, settings)
  const judges = [
    ...(validation === undefined ? [] : (validation.validators ?? defaultPanel(settings))),
    ...(defect === undefined ? [] : [ISSUE_VERIFIER]),
  ]
  return judges.length === 0 ? map : withJudges(map, judges, agent, validation?.attempts ?? null, settings)
}

/** What the project's settings say where a validator's phase says nothing itself. */
export function settledPhases(map: PhaseMap, settings: Settings): PhaseMap {
  const panel = defaultPanel(settings)
  return map.map((phase) => {
    if (phase.step.type !== 'agent' || phase.step.name !== VALIDATOR) return phase
    const attempts = phase.attempts ?? attemptsOf(settings)
    return phase.panel === undefined && panel.length > 1 ? { ...phase, attempts, panel } : { ...phase, attempts }
  })
}

/** The judges of an agent's phase, in their order. */
export function panelOf(phase: Phase): readonly string[] {
  return phase.panel ?? [phase.step.name]
}

/** A code reviewer that somebody configured looks at what the validator looks at. */
function defaultPanel({ agents }: Settings): string[] {
  const reviewer = Object.hasOwn(agents, CODE_REVIEWER) ? agents[CODE_REVIEWER] : undefined
  const isChosen = reviewer?.does === 'judge' && reviewer.like === undefined
  return isChosen ? [VALIDATOR, CODE_REVIEWER] : [VALIDATOR]
}

/** The failure that uses up the last retry holds the task. */
function attemptsOf({ limits }: Settings, retries: number = limits.maxValidationAttempts): number {
  return retries + 1
}

/** They join the phase that validates already, or get one after the verification. */
function withJudges(
  map: PhaseMap,
  judges: readonly string[],
  agent: string | null,
  retries: number | null,
  settings: Settings,
): PhaseMap {
  const there = map.find(
    (phase) => isJudging(phase) && [VALIDATOR, ...judges].some((role) => panelOf(phase).includes(role)),
  )
  if (there !== undefined) {
    const attempts = retries === null ? there.attempts : attemptsOf(settings, retries)
    const joined = { ...there, attempts, panel: unique([...panelOf(there), ...judges]) }
    return map.map((phase) => (phase === there ? joined : phase))
  }
  const author = authorOf(map, agent)
  const anchor =
    author && (map.find(({ step }) => step.type === 'check' && step.name === CONTRACT) ?? lastCheck(map, author))
  if (author === undefined || anchor === undefined) return map
  const panel = unique(judges)
  const phase: Phase = {
    name: freeName(map),
    step: { type: 'agent', name: panel[0] ?? VALIDATOR, does: 'judge' },
    onPass: anchor.onPass,
    onFail: author.name,
    onWait: null,
    attempts: attemptsOf(settings, retries ?? undefined),
    timeoutMs: null,
    ...(panel.length > 1 ? { panel } : {}),
  }
  return map.flatMap((other) => (other === anchor ? [{ ...anchor, onPass: phase.name }, phase] : [other]))
}

const isJudging = ({ step }: Phase): boolean => step.does === 'judge'

/** The phase whose work is validated; the first, if the map has no author at all. */
function authorOf(map: PhaseMap, agent: string | null): Phase | undefined {
  const authors = map.filter(({ step }) => step.does === 'work')
  return authors.find(({ step }) => roleOf(step.name, agent) === doerOf(agent)) ?? authors.at(-1) ?? map[0]
}

/** The last of the checks that follow the author's phase; that phase itself, if none does. */
function lastCheck(map: PhaseMap, author: Phase): Phase {
  const seen = new Set<Phase>()
  let at = author
  for (let next = phaseNamed(map, at.onPass); next?.step.type === 'check' && !seen.has(next);) {
    seen.add(next)
    at = next
    next = phaseNamed(map, at.onPass)
  }
  return at
}

function freeName(map: PhaseMap): string {
  for (let n = 1; ; n++) {
    const name = n === 1 ? 'validate' : `validate-${n}`
    if (phaseNamed(map, name) === undefined) return name
  }
}

const unique = (roles: readonly string[]): string[] => [...new Set(roles)]
