/**
 * The one place where a task's standing changes. `decide` is pure: the same state, event and rules give the same answer.
 * It returns the next state, the commands the engine must carry out once the state is stored, and what to write down.
 * An event that does not fit the state changes nothing; a person's impossible request is refused in words.
 */
import { adopt } from './adopt.ts'
import type { Comment } from './comment.ts'
import type { Limits } from '../limits.ts'
import { idleAttemptsMax } from '../limits.ts'
import { nextCommands } from './next.ts'
import type { NoticeText } from '../notice.ts'
import { applyOutcome, hold, personNotice, unchanged, withWarning } from './outcome.ts'
import { accompany, endCheck, giveUp, takeCheck } from './check.ts'
import { agree, cancel, supersede, takeCommit, takeDecision } from './person.ts'
import { retry } from './retry.ts'
import type { TaskPull } from '../forge.ts'
import { isForgeStep } from '../forge.ts'
import { isLanding, unanswered, withAnswers, withoutAnswers, type Gate } from './gate.ts'
import { hear, judgeOf } from './panel.ts'
import { because, isSame, saysSame, wordsOf, type Reason } from './reasons.ts'
import type { Phase, PhaseMap } from './phase-map.ts'
import { needsPerson, reasonFor, waitingFor } from './stage.ts'
import { askFor, begin, waitFor, waiveMerged } from './waiting.ts'
import type { NewTerms } from './terms.ts'
import type { ActiveRun, Approval, Check, TaskState, Verified } from './task.ts'
import { canStep, currentPhase } from './task.ts'
import type { Finding, FindingText, Outcome, Verdict } from '../verdict/verdict.ts'
import { isAuthor } from '../verdict/verdict.ts'

/** What a run or a signal came to. */
export interface StepResult {
  outcome: Outcome
  verdict?: Verdict | undefined
  detail: string
  findings: readonly FindingText[]
  /** The snapshot this run made, for an author. */
  commit?: string | null | undefined
  /** Whether that is just what the attempt started from. */
  unchanged?: boolean | undefined
  /** Of a planner: the digest of the plan that it wrote. */
  plan?: string | undefined
  /** What a landing moved the target from and to, and the tree that stands there now where that is known. */
  landed?: { from: string; to: string; tree?: string } | undefined
  /** The worker ended by itself and left no verdict. */
  crashed?: boolean | undefined
  /** The sandbox that was used. */
  sandbox?: string | undefined
  /** The tree that the run found to pass, and the contract it passed. */
  verified?: Verified | undefined
  /** Of a judge that passes: the criteria that it found met. */
  answers?: readonly string[] | undefined
  /** Of a judge: the criteria that it found not met. */
  denies?: readonly string[] | undefined
  /** A person says so. */
  person?: boolean | undefined
  /** Fingerprints of what failed, where they are more exact than those of the findings. */
  prints?: readonly string[] | undefined
  /** Criteria that it did not find met. */
  unmet?: readonly string[] | undefined
  /** Only a person can go on from this result: why. */
  hold?: Reason | undefined
  /** Of a WAIT: what it waits for. */
  waits?: Reason | undefined
  /** The merged tree is another than the verified one: verify it first. */
  reverify?: boolean | undefined
  /** Muster itself died or was stopped under the run. */
  interrupted?: boolean | undefined
  /** The agent program is at its account's limit, which says nothing about the task. */
  limited?: boolean | undefined
  /** The task's pull request, and the commit that it was given. */
  pr?: TaskPull | undefined
  /** Something has looked at what was deployed. */
  validates?: boolean | undefined
  /** Somebody merged it at the forge, whatever was still to be answered: that is their waiver. */
  merged?: { by: string } | undefined
  /** Who reviewed the snapshot has allowed it to land on a protected branch. */
  approval?: Approval | undefined
  /** Nothing and nobody in Muster can go on from this: why the task fails. */
  fails?: Reason | undefined
}

/** What a step that goes no further now came to. */
export function waitsFor(reason: Reason, more: Partial<StepResult> = {}): StepResult {
  return { outcome: 'WAIT', detail: wordsOf(reason), findings: [], waits: reason, ...more }
}

/** What a step came to from which nothing and nobody in Muster can go on. */
export function failsFor(reason: Reason): StepResult {
  return { outcome: 'ERROR', detail: wordsOf(reason), findings: [], fails: reason }
}

export type TaskEvent =
  /**
   * The engine gives the task its turn: start the step of its phase, of this one if it is named. `first`: an action that
   * the step needs before it can run itself; the phase stays what it is. `merged`: somebody has merged the work at the
   * forge already; what nobody answered before that, they have waived.
   */
  | { type: 'step'; phase?: string; first?: string; merged?: { by: string } }
  | { type: 'run-ended'; runId: string; result: StepResult }
  | { type: 'signal'; name: string; result: StepResult }
  /** An action says beforehand that it cannot run yet. */
  | { type: 'waited'; phase?: string; reason: Reason }
  /** The engine must not start the step of its phase: only a person can see to that. */
  | { type: 'barred'; reason: Reason }
  | {
      type: 'decided'
      kind: 'accept' | 'reject' | 'approve'
      message: string
      by: string
      comments?: readonly Comment[] | undefined
    }
  /** A person has chosen or written the contract of a task that has not started; `held` says what is still open. */
  | { type: 'contract-agreed'; held: Reason | null }
  /** A person's own commit, as an attempt. */
  | { type: 'submitted'; commit: string; by: string }
  /**
   * `asks`: what a person still had to say before its start when it was cancelled. `under`: from now on it works under these
   * terms; what was found out and decided under the others counts no more.
   */
  | { type: 'retried'; by: string; asks?: Reason | null; under?: NewTerms | undefined }
  | { type: 'cancelled'; reason: string; by: string }
  /** The checker of the task has ended. */
  | {
      type: 'checked'
      check: string
      /** How often it was at work: one more tells people something new. */
      runs: number
      verdict: Verdict
      detail: string
      findings: readonly FindingText[]
      /** The criteria that it found met. */
      answers: readonly string[]
    }
  /** To a checker: the task it checks went on without it. */
  | { type: 'superseded'; reason: string }
  /** The database is older than the branch: the work is there already. `known`: the task as it went to land. */
  | { type: 'landing-found'; target: string; to: string; known: TaskState }

export type Command =
  | { type: 'start'; run: ActiveRun; phase: string; attempt: number; round: number }
  | { type: 'stop'; runId: string }
  /** What to type about it is what the task's standing asks for, unless it says so itself. */
  | ({ type: 'notify'; next?: readonly string[] } & Omit<NoticeText, 'next'>)
  /** A checker of its own, made with this commit. */
  | { type: 'check'; check: Check }
  /** What another task hears of in the same commit. */
  | { type: 'also'; task: string; event: TaskEvent }

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

export interface Rules extends Gate {
  map: PhaseMap
  limits: Limits
  /** The role that takes the implementer's place in this task. */
  agent: string | null
  /** Whether a checker judges what reaches acceptance. */
  checked: boolean
  /** Of a checker: the task it checks. */
  checkerFor: string | null
  /** The branch it lands on, if that is protected: then its landing needs a person's word. */
  protectedTarget?: string | null | undefined
}

export function decide(state: TaskState, event: TaskEvent, rules: Rules): Decided {
  const decided = move(state, event, rules)
  return rules.checkerFor === null ? announce(state, event, accompany(decided, rules), rules) : decided
}

/** A task that has come to a person's gate is told of, and every notice says what to type. */
function announce(before: TaskState, event: TaskEvent, decided: Decided, { map }: Rules): Decided {
  const { state, commands } = decided
  const told = commands.some((command) => command.type === 'notify' && command.kind === 'needs-you')
  const stood = needsPerson(before, map) && before.phase === state.phase && isSame(before.held, state.held)
  // What was tried again waits for the same as before.
  const same = before.run?.waited !== undefined && saysSame(before.run.waited, state.wait)
  const step = currentPhase(state, map)?.step
  const atForge = step?.type === 'signal' && isForgeStep(step)
  // The gate could not be polled. Report that separately from the gate itself.
  const changed = !saysSame(before.wait, state.wait)
  const trouble = event.type === 'waited' && changed && (stood || atForge)
  const news = changed && (trouble || atForge)
  const what = trouble
    ? ([`trouble-at-${state.phase}`, `cannot go on at ${state.phase}`] as const)
    : ([`at-${state.phase}`, `waits at ${state.phase}`] as const)
  const gate: Command[] =
    told || same || (stood && !news) || !needsPerson(state, map)
      ? []
      : [
          personNotice(
            state,
            'needs-you',
            what,
            `${state.id} waits for ${waitingFor(state, map, reasonFor(state, map, []))}`,
          ),
        ]
  const next = nextCommands(state, map)
  const all = [...commands, ...gate].map((command) => (command.type === 'notify' ? { next, ...command } : command))
  return { ...decided, commands: all }
}

function move(state: TaskState, event: TaskEvent, rules: Rules): Decided {
  switch (event.type) {
    case 'step':
      return startStep(state, event, rules)
    case 'run-ended':
      return endRun(state, event.runId, event.result, rules)
    case 'signal':
      return readSignal(state, event.name, event.result, rules)
    case 'waited':
      return waitFor(state, event, rules)
    case 'barred':
      if (!canStep(state)) return unchanged(state)
      return rules.checkerFor === null ? hold(state, event.reason, []) : giveUp(state, wordsOf(event.reason), rules)
    case 'decided':
      return takeDecision(state, event, rules)
    case 'contract-agreed':
      return agree(state, event.held)
    case 'submitted':
      return takeCommit(state, event.commit, event.by, rules)
    case 'retried':
      return retry(state, event, rules)
    case 'cancelled':
      return cancel(state, event.reason, event.by, rules)
    case 'checked':
      return takeCheck(state, event, rules)
    case 'superseded':
      return supersede(state, event.reason)
    case 'landing-found':
      return adopt(state, event, rules)
  }
}

function startStep(
  state: TaskState,
  { phase: wanted, first, merged }: Extract<TaskEvent, { type: 'step' }>,
  rules: Rules,
): Decided {
  const phase = currentPhase(state, rules.map)
  if (!canStep(state) || (wanted !== undefined && wanted !== phase?.name)) return unchanged(state)
  if (phase === undefined) return hold(state, because('no-phase', { phase: state.phase }), [])
  const { type, name } = first === undefined ? phase.step : { type: 'action' as const, name: first }
  const { state: begun, log } = begin(state, phase)
  if (type === 'signal') return { state: begun, commands: [], log, findings: [] }
  const open = isLanding(phase.step) && first === undefined ? unanswered(begun, rules) : []
  if (open.length > 0) {
    if (merged === undefined) return askFor(begun, phase, open, log, rules)
    const waived = waiveMerged(begun, merged.by, rules)
    const started = startStep(waived.state, { type: 'step' }, rules)
    return { ...started, log: [...log, ...waived.log, ...started.log] }
  }

  const role = type === 'agent' ? roleOf(judgeOf(phase, state), rules.agent) : name
  const author = type === 'agent' && isAuthor(role)
  const waited = state.wait === null ? {} : { waited: state.wait }
  const run: ActiveRun = { id: `${state.id}.r${state.runs + 1}`, kind: type, name: role, ...waited }
  const attempt = author ? state.attempt + 1 : state.attempt
  const started: TaskState = { ...begun, wait: null, run, runs: state.runs + 1, attempt }
  log.push({
    type: 'run-started',
    data: { run: run.id, phase: phase.name, kind: type, name: role, attempt, round: state.round },
  })
  const command: Command = { type: 'start', run, phase: phase.name, attempt, round: state.round }
  return { state: started, commands: [command], log, findings: [] }
}

/** Who does an agent's step in a task that names an agent of its own, or none. */
export function roleOf(name: string, agent: string | null): string {
  return name === 'implementer' ? (agent ?? name) : name
}

function endRun(state: TaskState, runId: string, result: StepResult, rules: Rules): Decided {
  const run = state.run
  if (run === null || run.id !== runId) {
    // Late: the task was cancelled, or went on without this run. It is written down and changes nothing.
    return {
      ...unchanged(state),
      log: [{ type: 'late-result-ignored', data: { run: runId, ...describe(result) } }],
    }
  }
  const phase = currentPhase(state, rules.map)
  const idle = afterRun(state, run, result, rules)
  const log: LogEntry = {
    type: 'run-ended',
    data: { run: run.id, kind: run.kind, name: run.name, ...describe(result), commit: result.commit ?? null },
  }
  if (rules.checkerFor !== null) return endCheck(idle, withWarning(result), log, rules)
  if (phase === undefined) return hold(idle, because('no-phase', { phase: state.phase }), [log])
  const decided = isFirst(run, phase, result)
    ? unchanged({ ...idle, errors: 0, interruptions: 0, wait: null })
    : judged(idle, phase, run.name, withWarning(result), rules)
  const notices = [...(result.crashed ? [crashNotice(state, run)] : []), ...triage(decided.state)]
  return { ...decided, commands: [...notices, ...decided.commands], log: [log, ...decided.log] }
}

/** Whether the run has done what the step of the phase needed first: that is still to come. */
function isFirst({ kind, name }: ActiveRun, { step }: Phase, { outcome }: StepResult): boolean {
  return kind === 'action' && outcome === 'ADVANCE' && !(step.type === 'action' && step.name === name)
}

/** What the run came to, together with what the other judges of its phase said. */
function judged(state: TaskState, phase: Phase, role: string, result: StepResult, rules: Rules): Decided {
  const heard = hear(state, phase, role, result)
  if ('later' in heard) return heard.later
  return applyOutcome({ ...state, panel: heard.panel }, phase, role, heard.result, rules)
}

/** What a run leaves behind, before its outcome moves anything. What was verified or waived is for one snapshot alone. */
function afterRun(state: TaskState, run: ActiveRun, result: StepResult, rules: Rules): TaskState {
  const { verified, unmet, unchanged: same, landed } = result
  const commit = result.commit ?? state.commit
  const isNew = commit !== state.commit
  const idle = same === undefined ? state.idle : same ? state.idle + 1 : 0
  // What stands on the target is what has to be verified, whoever put it there.
  const other = landed?.tree !== undefined && landed.tree !== state.verified?.tree
  const after: TaskState = {
    ...state,
    run: null,
    plan: result.plan === undefined ? state.plan : { run: run.id, digest: result.plan, approved: null },
    commit,
    landed: landed?.to ?? state.landed,
    validated: state.validated || result.validates === true,
    pr: result.pr ?? state.pr,
    idle,
    verifyThen: result.reverify === true ? state.phase : state.verifyThen,
    verified: verified ?? (isNew || other ? null : state.verified),
    answers: isNew ? null : state.answers,
    unmet: unmet ?? (isNew ? [] : state.unmet),
    waiver: isNew ? null : state.waiver,
  }
  const denied = withoutAnswers(after, result.denies ?? [])
  return result.answers === undefined ? denied : withAnswers(denied, rules, result.answers, run.name)
}

/** Burned out: a person should look, and may retry, break it down or cancel. It accepts and rejects nothing (S1.23, E-24). */
function triage(state: TaskState): Command[] {
  // Told once: further attempts that change nothing are no news (L16).
  if (state.idle !== idleAttemptsMax || state.status !== 'in-progress') return []
  const text = `${state.idle} attempts in a row at ${state.id} changed nothing: retry it with better words, break it down, or cancel it`
  const { id, attempt } = state
  const next = [`muster show ${id}`, `muster cancel ${id}`]
  return [
    { type: 'notify', kind: 'needs-you', key: `triage:${id}:${attempt}`, subject: `${id} burned out`, text, next },
  ]
}

function readSignal(state: TaskState, name: string, result: StepResult, rules: Rules): Decided {
  const phase = currentPhase(state, rules.map)
  const standsThere = state.status === 'in-progress' && phase?.step.type === 'signal' && phase.step.name === name
  if (!canStep(state) || !standsThere) return unchanged(state)
  const { outcome, waits, approval = state.approval, merged } = result
  const { state: kept, log: waived } = merged === undefined ? { state, log: [] } : waiveMerged(state, merged.by, rules)
  // Who reviewed it at the forge has answered what nobody else has, as who accepts it here does.
  const heard = result.approval === undefined ? kept : withAnswers(kept, rules, 'all', result.approval.by)
  const decided = applyOutcome({ ...heard, decision: null, approval }, phase, name, result, rules)
  if (outcome === 'WAIT' && waits !== undefined && decided.state.phase === state.phase)
    return waitFor(state, { phase: phase.name, reason: waits }, rules)
  return { ...decided, log: [...waived, { type: 'signal-read', data: { name, ...describe(result) } }, ...decided.log] }
}

function crashNotice(state: TaskState, run: ActiveRun): Command {
  const text = `${run.name} of ${state.id} ended without writing a verdict (attempt ${state.attempt})`
  const next = [`muster logs ${state.id} --run ${run.id}`, `muster explain ${state.id}`]
  return { type: 'notify', kind: 'crash', key: `crash:${run.id}`, subject: `${state.id}: worker crashed`, text, next }
}

function describe(result: StepResult): Record<string, unknown> {
  const { outcome, verdict, detail, crashed, interrupted, limited, landed, sandbox, plan } = result
  return {
    outcome,
    ...(verdict === undefined ? {} : { verdict }),
    detail,
    ...(crashed ? { crashed } : {}),
    ...(interrupted ? { interrupted } : {}),
    ...(limited ? { limited } : {}),
    ...(landed === undefined ? {} : { landed }),
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(plan === undefined ? {} : { plan }),
  }
}
