/**
 * The one place where a task's standing changes. `decide` is pure: the same state, event and rules give the same answer.
 * It returns the next state, the commands the engine must carry out once the state is stored, and what to write down.
 * An event that does not fit the state changes nothing; a person's impossible request is refused in words.
 */
import { MusterError } from './errors.ts'
import type { Limits } from './limits.ts'
import { interruptionsMax } from './limits.ts'
import type { Phase, PhaseMap } from './phase-map.ts'
import { DONE, phaseNamed } from './phase-map.ts'
import type { ActiveRun, Decision, TaskState } from './task.ts'
import { isOver } from './task.ts'
import type { Finding, FindingText, Outcome, Verdict } from './verdict.ts'
import { isJudge } from './verdict.ts'

/** What a run or a signal came to. */
export interface StepResult {
  outcome: Outcome
  verdict?: Verdict | undefined
  detail: string
  findings: readonly FindingText[]
  /** The snapshot this run made, for an author. */
  commit?: string | null | undefined
  /** What a landing moved the target from and to. */
  landed?: { from: string; to: string } | undefined
  /** The worker ended by itself and left no verdict. */
  crashed?: boolean | undefined
  /** Muster itself died or was stopped under the run. */
  interrupted?: boolean | undefined
}

export type TaskEvent =
  /** The engine gives the task its turn: start the step of its phase. */
  | { type: 'step' }
  | { type: 'run-ended'; runId: string; result: StepResult }
  | { type: 'signal'; name: string; result: StepResult }
  /** An action says beforehand that it cannot run yet. */
  | { type: 'waited'; reason: string }
  | { type: 'decided'; kind: 'accept' | 'reject' | 'approve'; message: string; by: string }
  | { type: 'retried'; by: string }
  | { type: 'cancelled'; reason: string; by: string }

export type Command =
  | { type: 'start'; run: ActiveRun; phase: string; attempt: number; round: number }
  | { type: 'stop'; runId: string }
  | { type: 'notify'; key: string; subject: string; text: string }

/** One line of the task's history. */
export interface LogEntry {
  type: string
  data: Record<string, unknown>
}

export interface Decided {
  state: TaskState
  commands: Command[]
  log: LogEntry[]
  findings: Finding[]
}

export interface Rules {
  map: PhaseMap
  limits: Limits
  /** The role that takes the implementer's place in this task. */
  agent: string | null
}

export function decide(state: TaskState, event: TaskEvent, rules: Rules): Decided {
  switch (event.type) {
    case 'step':
      return startStep(state, rules)
    case 'run-ended':
      return endRun(state, event.runId, event.result, rules)
    case 'signal':
      return readSignal(state, event.name, event.result, rules)
    case 'waited':
      return waitFor(state, event.reason, rules)
    case 'decided':
      return takeDecision(state, event, rules)
    case 'retried':
      return retry(state, event.by, rules)
    case 'cancelled':
      return cancel(state, event.reason, event.by)
  }
}

/** Whether a `step` would do anything: the task is open, nobody works on it, and no person is needed first. */
export function canStep(state: TaskState): boolean {
  return !isOver(state.status) && state.run === null && state.held === null
}

/** The phase the task is at or, before its start, the one it will start with. */
export function currentPhase(state: TaskState, map: PhaseMap): Phase | undefined {
  if (isOver(state.status)) return undefined
  return state.phase === null ? map[0] : phaseNamed(map, state.phase)
}

function startStep(state: TaskState, rules: Rules): Decided {
  if (!canStep(state)) return unchanged(state)
  const phase = currentPhase(state, rules.map)
  if (phase === undefined) return hold(state, `its phase map has no phase "${state.phase}"`, [])
  const { type, name } = phase.step
  const { state: begun, log } = begin(state, phase)
  if (type === 'signal') return { state: begun, commands: [], log, findings: [] }

  const role = type === 'agent' && name === 'implementer' ? (rules.agent ?? name) : name
  const author = type === 'agent' && !isJudge(role)
  const run: ActiveRun = { id: `${state.id}.r${state.runs + 1}`, kind: type, name: role }
  const attempt = author ? state.attempt + 1 : state.attempt
  const started: TaskState = { ...begun, wait: null, run, runs: state.runs + 1, attempt }
  log.push({ type: 'run-started', data: { run: run.id, kind: type, name: role, attempt, round: state.round } })
  const command: Command = { type: 'start', run, phase: phase.name, attempt, round: state.round }
  return { state: started, commands: [command], log, findings: [] }
}

/** A task that has not started enters its first phase. */
function begin(state: TaskState, phase: Phase): { state: TaskState; log: LogEntry[] } {
  if (state.status !== 'not-started') return { state, log: [] }
  const begun: TaskState = { ...state, status: 'in-progress', phase: phase.name }
  return { state: begun, log: [{ type: 'task-started', data: { phase: phase.name } }] }
}

function endRun(state: TaskState, runId: string, result: StepResult, rules: Rules): Decided {
  const run = state.run
  if (run === null || run.id !== runId) {
    // Late: the task was cancelled, or went on without this run. It is written down and changes nothing.
    return {
      ...unchanged(state),
      log: [{ type: 'late-result-ignored', data: { run: runId, outcome: result.outcome } }],
    }
  }
  const phase = currentPhase(state, rules.map)
  const idle: TaskState = { ...state, run: null, commit: result.commit ?? state.commit }
  const log: LogEntry = {
    type: 'run-ended',
    data: { run: run.id, kind: run.kind, name: run.name, ...describe(result), commit: result.commit ?? null },
  }
  if (phase === undefined) return hold(idle, `its phase map has no phase "${state.phase}"`, [log])
  const decided = applyOutcome(idle, phase, run.name, result, rules)
  const commands = result.crashed ? [crashNotice(state, run), ...decided.commands] : decided.commands
  return { ...decided, commands, log: [log, ...decided.log] }
}

function readSignal(state: TaskState, name: string, result: StepResult, rules: Rules): Decided {
  const phase = currentPhase(state, rules.map)
  const standsThere = state.status === 'in-progress' && phase?.step.type === 'signal' && phase.step.name === name
  if (!canStep(state) || !standsThere) return unchanged(state)
  const decided = applyOutcome({ ...state, decision: null }, phase, name, result, rules)
  if (result.outcome === 'WAIT' && decided.state.phase === state.phase) return waitFor(state, result.detail, rules)
  return { ...decided, log: [{ type: 'signal-read', data: { name, ...describe(result) } }, ...decided.log] }
}

function waitFor(state: TaskState, reason: string, rules: Rules): Decided {
  const phase = currentPhase(state, rules.map)
  if (!canStep(state) || state.wait === reason || phase === undefined) return unchanged(state)
  const { state: begun, log } = begin(state, phase)
  return { ...unchanged({ ...begun, wait: reason }), log: [...log, { type: 'waiting', data: { reason } }] }
}

/** Outcome to transition: the only code that moves a task from one phase to another. */
function applyOutcome(state: TaskState, phase: Phase, source: string, result: StepResult, rules: Rules): Decided {
  switch (result.outcome) {
    case 'ADVANCE': {
      const findings = result.findings.map((finding) => ({ ...finding, severity: 'WARN' as const }))
      return { ...enter(state, phase.onPass), findings: stamp(findings, state.round, source) }
    }
    case 'WAIT': {
      if (phase.onWait === null || phase.onWait === phase.name) return unchanged({ ...state, wait: result.detail })
      return enter(state, phase.onWait)
    }
    case 'RETRY':
      return sendBack(state, phase, source, result, rules)
    case 'ERROR':
      return countError(state, source, result, rules)
  }
}

function sendBack(state: TaskState, phase: Phase, source: string, result: StepResult, rules: Rules): Decided {
  const listed = result.findings.filter((finding) => finding.message !== '')
  const said = result.detail === '' && listed.length === 0 ? 'failed without saying why' : result.detail
  const texts: FindingText[] = said === '' ? listed : [{ severity: 'FAIL', message: said }, ...listed]
  const findings = stamp(texts, state.round, source)
  const before = Object.hasOwn(state.retries, phase.name) ? state.retries[phase.name] : 0
  const failures = (before ?? 0) + 1
  const back: TaskState = {
    ...state,
    round: state.round + 1,
    retries: { ...state.retries, [phase.name]: failures },
  }
  if (back.round >= state.roundsMax) {
    const reason = `exceeded max rounds (${rules.limits.maxTaskRounds}): ${firstLine(result.detail)}`
    return { ...fail(back, reason), findings }
  }
  if (phase.attempts !== null && failures >= phase.attempts) {
    const reason = `phase "${phase.name}" used all its ${phase.attempts} attempts: ${firstLine(result.detail)}`
    return { ...hold(back, reason, []), findings }
  }
  return { ...enter(back, phase.onFail), findings }
}

function countError(state: TaskState, source: string, result: StepResult, rules: Rules): Decided {
  if (result.interrupted) {
    const again: TaskState = { ...state, interruptions: state.interruptions + 1 }
    if (again.interruptions < interruptionsMax) return unchanged(again)
    return hold(again, `${source} was interrupted ${again.interruptions} times in a row`, [])
  }
  const again: TaskState = { ...state, errors: state.errors + 1 }
  if (again.errors < rules.limits.maxErrorAttempts) return unchanged(again)
  return hold(again, `${source} could not run (tried ${again.errors} times): ${firstLine(result.detail)}`, [])
}

function enter(state: TaskState, target: string): Decided {
  const from = state.phase
  const clear = { errors: 0, interruptions: 0, decision: null, wait: null, held: null }
  if (target === DONE) {
    const done: TaskState = { ...state, ...clear, status: 'completed', phase: null }
    return { ...unchanged(done), log: [{ type: 'task-completed', data: { from } }] }
  }
  const log = { type: 'phase-entered', data: { from, to: target, round: state.round } }
  return { ...unchanged({ ...state, ...clear, phase: target }), log: [log] }
}

function fail(state: TaskState, reason: string): Decided {
  const failed: TaskState = {
    ...state,
    status: 'failed',
    failureReason: reason,
    held: null,
    wait: null,
    decision: null,
  }
  const notice = personNotice(state, 'failed', `${state.id} failed: ${reason}`)
  return { ...unchanged(failed), commands: [notice], log: [{ type: 'task-failed', data: { reason } }] }
}

function hold(state: TaskState, reason: string, log: LogEntry[]): Decided {
  const held: TaskState = { ...state, held: reason, wait: null, decision: null }
  const notice = personNotice(state, 'held', `${state.id} waits for a person: ${reason}`)
  return { ...unchanged(held), commands: [notice], log: [...log, { type: 'task-held', data: { reason } }] }
}

function takeDecision(state: TaskState, event: Extract<TaskEvent, { type: 'decided' }>, rules: Rules): Decided {
  const phase = currentPhase(state, rules.map)
  const { kind, message, by } = event
  const log: LogEntry = { type: 'decision', data: { kind, message, by, phase: state.phase, commit: state.commit } }
  if (phase === undefined || state.status !== 'in-progress' || state.run !== null) {
    throw notAtGate(state, kind)
  }
  if (kind === 'reject') {
    if (message.trim() === '') {
      throw new MusterError('usage', `a rejection of ${state.id} needs words: they go to the author`, {
        hint: `muster reject ${state.id} -m "what must change"`,
      })
    }
    if (state.held === null && phase.step.type === 'signal') {
      return { ...unchanged({ ...state, wait: null, decision: { kind, message, by } }), log: [log] }
    }
    if (state.held === null && phase.step.type !== 'action') throw notAtGate(state, kind)
    const result: StepResult = { outcome: 'RETRY', detail: message, findings: [] }
    const free: TaskState = { ...state, held: null, retries: {}, errors: 0, interruptions: 0, approval: null }
    // A person's word is outside the phase's own budget: it always goes to the author, never back into the hold.
    const decided = sendBack(free, { ...phase, attempts: null }, by, result, rules)
    return { ...decided, state: { ...decided.state, retries: {} }, log: [log, ...decided.log] }
  }
  return accept(state, phase, event, log)
}

function accept(
  state: TaskState,
  phase: Phase,
  event: Extract<TaskEvent, { type: 'decided' }>,
  log: LogEntry,
): Decided {
  const { kind, message, by } = event
  if (state.commit === null) {
    throw new MusterError('gate_closed', `${state.id} has nothing to ${kind}: no attempt has left a result`, {
      hint: `muster retry ${state.id}, or muster cancel ${state.id}`,
    })
  }
  const approval = kind === 'approve' ? { commit: state.commit, by } : state.approval
  if (phase.step.type === 'action') {
    if (kind === 'accept') throw notAtGate(state, kind)
    // Words do not do what the action has not done: it is tried again, and a hold ends.
    const free: TaskState = { ...state, approval, held: null, wait: null, errors: 0, interruptions: 0, retries: {} }
    return {
      ...unchanged(free),
      log: [state.held === null ? log : { ...log, data: { ...log.data, over: state.held } }],
    }
  }
  if (state.held !== null) {
    if (message.trim() === '') {
      throw new MusterError('usage', `${state.id} is held (${state.held}): accepting it over that needs a reason`, {
        hint: `muster ${kind} ${state.id} -m "why it is fine"`,
      })
    }
    const decided = enter({ ...state, approval }, phase.onPass)
    return { ...decided, log: [{ ...log, data: { ...log.data, over: state.held } }, ...decided.log] }
  }
  if (phase.step.type === 'signal') {
    const decision: Decision = { kind: 'accept', message, by }
    return { ...unchanged({ ...state, approval, wait: null, decision }), log: [log] }
  }
  throw notAtGate(state, kind)
}

const PAST = { accept: 'accepted', reject: 'rejected', approve: 'approved' }

function notAtGate(state: TaskState, kind: keyof typeof PAST): MusterError {
  const where = isOver(state.status)
    ? `it is ${state.status}`
    : state.run !== null
      ? `${state.run.name} is at work on it`
      : `it stands at ${state.phase ?? 'its start'}`
  return new MusterError('gate_closed', `${state.id} cannot be ${PAST[kind]} now: ${where}`, {
    hint: `muster explain ${state.id}`,
  })
}

function retry(state: TaskState, by: string, rules: Rules): Decided {
  const fresh = {
    held: null,
    wait: null,
    errors: 0,
    interruptions: 0,
    retries: {},
    decision: null,
    failureReason: null,
  }
  const log: LogEntry = { type: 'task-retried', data: { by, from: state.status, held: state.held } }
  if (state.held !== null) return { ...unchanged({ ...state, ...fresh }), log: [log] }
  if (state.status !== 'failed' && state.status !== 'cancelled') {
    throw new MusterError('gate_closed', `${state.id} cannot be retried: it is ${state.status}`, {
      hint: `muster explain ${state.id}`,
    })
  }
  const roundsMax = state.round + rules.limits.maxTaskRounds
  const again: TaskState = { ...state, ...fresh, status: 'not-started', phase: null, roundsMax }
  return { ...unchanged(again), log: [log] }
}

function cancel(state: TaskState, reason: string, by: string): Decided {
  if (isOver(state.status)) {
    throw new MusterError('gate_closed', `${state.id} is ${state.status} already`, { hint: `muster show ${state.id}` })
  }
  const commands: Command[] = state.run === null ? [] : [{ type: 'stop', runId: state.run.id }]
  const cancelled: TaskState = {
    ...state,
    status: 'cancelled',
    run: null,
    held: null,
    wait: null,
    decision: null,
    failureReason: reason || null,
  }
  return { ...unchanged(cancelled), commands, log: [{ type: 'task-cancelled', data: { reason, by } }] }
}

function crashNotice(state: TaskState, run: ActiveRun): Command {
  const text = `${run.name} of ${state.id} ended without writing a verdict (attempt ${state.attempt})`
  return { type: 'notify', key: `crash:${run.id}`, subject: `${state.id}: worker crashed`, text }
}

/** Keyed by the task's own counters: the same notice is never sent twice, a new reason is a new notice. */
function personNotice(state: TaskState, what: string, text: string): Command {
  return {
    type: 'notify',
    key: `${what}:${state.id}:${state.runs}:${state.round}`,
    subject: `${state.id} ${what}`,
    text,
  }
}

function describe(result: StepResult): Record<string, unknown> {
  const { outcome, verdict, detail, crashed, interrupted, landed } = result
  return {
    outcome,
    ...(verdict === undefined ? {} : { verdict }),
    detail,
    ...(crashed ? { crashed } : {}),
    ...(interrupted ? { interrupted } : {}),
    ...(landed === undefined ? {} : { landed }),
  }
}

function stamp(findings: readonly FindingText[], round: number, source: string): Finding[] {
  return findings.map((finding) => ({ ...finding, round, source }))
}

function firstLine(text: string): string {
  const line = text.trim().split('\n')[0] ?? ''
  return line.length > 200 ? `${line.slice(0, 199)}…` : line || 'no detail'
}

function unchanged(state: TaskState): Decided {
  return { state, commands: [], log: [], findings: [] }
}
