/**
 * Phase maps: named phases, each with one step and the next phase on pass, fail and wait. This file turns what a person
 * wrote into a valid map, or returns every problem with it. It never runs a step.
 */
import { phasesMax } from '../limits.ts'
import type { Problem } from '../problem.ts'
import { unknownWord } from '../problem.ts'
import { dutyByName, type Duty } from '../role.ts'

const STEP_TYPES = ['agent', 'check', 'action', 'signal'] as const
type StepType = (typeof STEP_TYPES)[number]

/** As it is written: `agent implementer`. */
interface WrittenStep {
  type: StepType
  name: string
}

/** `does`: what the agent's role does, so that nobody has to ask its name. */
export type Step =
  | { type: 'agent'; name: string; does: Duty }
  | { type: Exclude<StepType, 'agent'>; name: string; does?: undefined }

export interface Phase {
  name: string
  step: Step
  onPass: string
  onFail: string
  /** null: stay. */
  onWait: string | null
  /** How often this phase may send the task back before it is held for a person; null: only the task's rounds bound it. */
  attempts: number | null
  timeoutMs: number | null
  /** The judges of an agent's phase, one after the other: the worst verdict counts. Absent: the step's own role alone. */
  panel?: readonly string[] | undefined
}

/** In the order written: the first phase starts the task. */
export type PhaseMap = readonly Phase[]

/** The reserved target that completes a task; only a pass may lead there. */
export const DONE = 'done'

/** A phase as it stands in a file, before anything is known about it. */
export interface RawPhase {
  run: string
  on_pass: string
  on_fail?: string | undefined
  on_wait?: string | undefined
  attempts?: number | undefined
  timeoutMs?: number | undefined
  panel?: readonly string[] | undefined
}

/** The names a map may use; what is not here is refused at load, never waited for. */
export interface KnownSteps {
  agent: readonly string[]
  check: readonly string[]
  action: readonly string[]
  signal: readonly string[]
  /** What a role does; without it, its name decides. */
  dutyOf?: (role: string) => Duty
}

const STEP_NOUN: Record<StepType, string> = { agent: 'role', check: 'check', action: 'action', signal: 'signal' }

export function parseStep(run: string): WrittenStep | null {
  const [type, name, ...rest] = run.trim().split(/\s+/)
  if (rest.length > 0 || name === undefined) return null
  const known = STEP_TYPES.find((candidate) => candidate === type)
  return known === undefined ? null : { type: known, name }
}

export function phaseNamed(map: PhaseMap, name: string): Phase | undefined {
  return map.find((phase) => phase.name === name)
}

/** The map, or every reason why it is refused. Paths are relative to the map: `[phase, key]`. */
export function buildPhaseMap(
  raw: ReadonlyMap<string, RawPhase>,
  known: KnownSteps,
): { map: PhaseMap; problems: Problem[] } {
  const problems: Problem[] = []
  const map: Phase[] = []
  if (raw.size === 0) problems.push({ path: [], message: 'a phase map needs at least one phase' })
  if (raw.size > phasesMax) {
    return { map, problems: [{ path: [], message: `a phase map has at most ${phasesMax} phases, not ${raw.size}` }] }
  }
  for (const [name, phase] of raw) {
    if (name === DONE) problems.push({ path: [name], message: `"${DONE}" is reserved and cannot name a phase` })
    const step = parseStep(phase.run)
    if (step === null) {
      problems.push({ path: [name, 'run'], message: stepProblem(phase.run) })
      continue
    }
    if (!known[step.type].includes(step.name)) {
      const message = unknownWord(STEP_NOUN[step.type], step.name, known[step.type])
      problems.push({ path: [name, 'run'], message })
    }
    map.push({
      name,
      step: settledStep(step, known),
      onPass: phase.on_pass,
      onFail: phase.on_fail ?? name,
      onWait: phase.on_wait ?? null,
      attempts: phase.attempts ?? null,
      timeoutMs: phase.timeoutMs ?? null,
      ...(phase.panel === undefined ? {} : { panel: phase.panel }),
    })
  }
  problems.push(...targetProblems(raw))
  if (problems.length === 0) problems.push(...graphProblems(map))
  return { map, problems }
}

function settledStep({ type, name }: WrittenStep, { dutyOf = dutyByName }: Pick<KnownSteps, 'dutyOf'>): Step {
  return type === 'agent' ? { type, name, does: dutyOf(name) } : { type, name }
}

/** A phase as it is stored, now or by an older Muster, which wrote nothing of what a role does. */
type StoredPhase = Omit<Phase, 'step'> & { step: WrittenStep & { does?: Duty | undefined } }

/** A map without what its roles do: that is the project's to say. */
export function asWritten(map: PhaseMap): readonly StoredPhase[] {
  return map.map((phase) => ({ ...phase, step: { type: phase.step.type, name: phase.step.name } }))
}

/** A map as it was stored, with what its roles do. */
export function settledMap(stored: readonly StoredPhase[]): PhaseMap {
  return stored.map((phase) => {
    const { does } = phase.step
    return { ...phase, step: settledStep(phase.step, { dutyOf: (role) => does ?? dutyByName(role) }) }
  })
}

function stepProblem(run: string): string {
  const type = run.trim().split(/\s+/)[0] ?? ''
  if (STEP_TYPES.some((known) => known === type)) return `"${run}" is not a step: write "${type} <name>"`
  return `${unknownWord('step type', type, STEP_TYPES)}: write "<type> <name>", for example "agent implementer"`
}

function targetProblems(raw: ReadonlyMap<string, RawPhase>): Problem[] {
  const problems: Problem[] = []
  for (const [name, phase] of raw) {
    for (const key of ['on_pass', 'on_fail', 'on_wait'] as const) {
      const target = phase[key]
      const path = [name, key]
      if (target === undefined) continue
      if (target === DONE) {
        const message = `"${DONE}" is only valid for on_pass: only a pass completes a task`
        if (key !== 'on_pass') problems.push({ path, message })
      } else if (!raw.has(target)) {
        problems.push({ path, message: unknownWord('phase', target, [...raw.keys(), DONE]) })
      }
    }
  }
  return problems
}

function graphProblems(map: PhaseMap): Problem[] {
  const first = map[0]
  if (first === undefined) return []
  const problems: Problem[] = []
  const reached = reachable([first.name], (phase) => [phase.onPass, phase.onFail, phase.onWait], map)
  for (const phase of map) {
    if (!reached.has(phase.name)) {
      problems.push({ path: [phase.name], message: `no phase leads to "${phase.name}", so it can never be reached` })
    }
  }
  for (const phase of map) {
    const ahead = reachable([phase.name], (at) => [at.onPass, at.onFail, at.onWait], map)
    if (!ahead.has(DONE) && reached.has(phase.name)) {
      problems.push({ path: [phase.name], message: `no path leads from "${phase.name}" to "${DONE}"` })
    }
  }
  const looped = actionCycle(map)
  if (looped !== null) {
    const message = `${looped.join(' → ')} is a cycle of actions only: it would loop without any work in between`
    problems.push({ path: [looped[0] ?? ''], message })
  }
  const waited = looped === null ? waitCycle(map) : null
  if (waited !== null) {
    const message = `${waited.join(' → ')} loops by waiting, and no step of it counts a round: it would never end`
    problems.push({ path: [waited[0] ?? '', 'on_wait'], message })
  }
  return problems
}

function reachable(from: string[], next: (phase: Phase) => (string | null)[], map: PhaseMap): Set<string> {
  const seen = new Set(from)
  const queue = [...from]
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    const phase = phaseNamed(map, name)
    if (phase === undefined) continue
    for (const target of next(phase)) {
      if (target === null || seen.has(target)) continue
      seen.add(target)
      queue.push(target)
    }
  }
  return seen
}

/** A cycle that a WAIT takes part in, and neither a RETRY nor a person: it could go round without end or count. */
function waitCycle(map: PhaseMap): string[] | null {
  for (const start of map) {
    if (start.onWait === null || start.onWait === start.name) continue
    const path = pathBetween(start.onWait, start.name, map)
    if (path !== null) return [start.name, ...path]
  }
  return null
}

/** The way from one phase to another that needs neither a RETRY nor a person: a signal is left only by waiting. */
function pathBetween(from: string, to: string, map: PhaseMap): string[] | null {
  const queue = [[from]]
  const seen = new Set([from])
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    const at = path.at(-1) ?? ''
    if (at === to) return path
    const phase = phaseNamed(map, at)
    for (const next of [phase?.step.type === 'signal' ? null : phase?.onPass, phase?.onWait]) {
      if (next == null || seen.has(next)) continue
      seen.add(next)
      queue.push([...path, next])
    }
  }
  return null
}

/** A cycle through action phases only. Staying on WAIT is no cycle: the engine then waits for an event. */
function actionCycle(map: PhaseMap): string[] | null {
  const isAction = (name: string) => phaseNamed(map, name)?.step.type === 'action'
  for (const start of map) {
    if (start.step.type !== 'action') continue
    const path: string[] = [start.name]
    const visit = (name: string, seen: Set<string>): boolean => {
      const phase = phaseNamed(map, name)
      if (phase === undefined) return false
      const targets = [phase.onPass, phase.onFail, phase.onWait === name ? null : phase.onWait]
      for (const target of targets) {
        if (target === null || !isAction(target)) continue
        if (target === start.name) return true
        if (seen.has(target)) continue
        seen.add(target)
        path.push(target)
        if (visit(target, seen)) return true
        path.pop()
      }
      return false
    }
    if (visit(start.name, new Set([start.name]))) return [...path, start.name]
  }
  return null
}
