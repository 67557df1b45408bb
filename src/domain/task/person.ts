/**
 * What a person can do to a task: this half of the transition takes decisions, retries and cancellations, and refuses
 * impossible ones with a reason. Only transition.ts uses it.
 */
import { ACCEPTANCE, CHECKER, against, standsAtAcceptance, tell } from './check.ts'
import { checkComments, rejectionOf } from './comment.ts'
import { questionTo } from '../contract/contract-question.ts'
import { because, codeOf, wordsOf, type Reason } from './reasons.ts'
import { MusterError } from '../errors.ts'
import type { Waiver } from '../verdict/evidence.ts'
import { PROTECTED } from '../verdict/evidence.ts'
import { usesForge } from '../forge.ts'
import { asksForAnswers, isForMachines, isLastGate, isVerifying, unanswered, withAnswers } from './gate.ts'
import { enter, sendBack, unchanged } from './outcome.ts'
import type { Phase } from './phase-map.ts'
import { DONE, phaseNamed } from './phase-map.ts'
import type { Decision, TaskState } from './task.ts'
import { currentPhase, isOver } from './task.ts'
import { isPlanGate, isPlanning } from './task-plan.ts'
import type { Command, Decided, Rules, StepResult, TaskEvent } from './event.ts'
import type { EntryOf } from './history.ts'
import { isCheck } from './purpose.ts'

/** Until somebody has worked under a contract, a person may choose another. */
export function agree(state: TaskState, held: Reason | null): Decided {
  if (state.status !== 'not-started' || state.runs > 0) {
    throw new MusterError('gate_closed', `${state.id} has started, so its contract can no longer be replaced`, {
      hint: `muster cancel ${state.id}, then add it again`,
    })
  }
  const open = held === null ? null : wordsOf(held)
  return { ...unchanged({ ...state, held }), log: [{ type: 'contract-agreed', data: { open } }] }
}

export function takeDecision(state: TaskState, event: Extract<TaskEvent, { type: 'decided' }>, rules: Rules): Decided {
  const phase = currentPhase(state, rules.map)
  const { kind, message, by, comments = [] } = event
  const said = comments.length === 0 ? {} : { comments }
  const about = aboutOf(state, phase)
  const log: EntryOf<'decision'> = {
    type: 'decision',
    data: { kind, message, by, phase: state.phase, attempt: state.attempt, commit: state.commit, ...about, ...said },
  }
  if (phase === undefined || state.status !== 'in-progress' || state.run !== null) {
    throw notAtGate(state, kind)
  }
  if (state.decision !== null) {
    const { kind: said, by: who } = state.decision
    throw new MusterError('gate_closed', `${state.id} already has an answer: ${who} said ${said}`, {
      hint: 'muster run acts on it',
    })
  }
  if (kind === 'reject') {
    checkComments(comments)
    if (message.trim() === '' && comments.length === 0) {
      throw new MusterError('usage', `a rejection of ${state.id} needs a comment for the author`, {
        hint: `muster reject ${state.id} -m "what must change"`,
      })
    }
    if (state.held === null && phase.step.type === 'signal') {
      return {
        ...unchanged({ ...state, ...UNPROVEN, wait: null, decision: { kind, message, by, ...said } }),
        log: [log],
      }
    }
    if (state.held === null && phase.step.type !== 'action') throw notAtGate(state, kind)
    const result: StepResult = { outcome: 'RETRY', person: true, ...rejectionOf(message, comments) }
    const free: TaskState = {
      ...state,
      ...UNPROVEN,
      held: null,
      retries: {},
      errors: 0,
      interruptions: 0,
      approval: null,
    }
    // A person's word is outside the phase's own budget: it always goes to the author, never back into the hold.
    const decided = sendBack(free, { ...phase, attempts: null }, by, result, rules)
    return { ...decided, state: { ...decided.state, retries: {} }, log: [log, ...decided.log] }
  }
  if (comments.length > 0) {
    throw new MusterError('usage', `only a rejection can have comments on lines`, {
      hint: `muster reject ${state.id} -m "what must change"`,
    })
  }
  return accept(state, phase, event, log, rules)
}

/**
 * What a decision is about: the plan, or what the checker had said of this attempt, for those who ask how often people see it
 * otherwise.
 */
function aboutOf(
  { plan, check, attempt }: TaskState,
  phase: Phase | undefined,
): Pick<EntryOf<'decision'>['data'], 'plan' | 'check'> {
  if (phase !== undefined && isPlanGate(phase.step)) return { plan: plan?.digest }
  return check?.attempt === attempt ? { check: check.verdict } : {}
}

/** What accepting means depends on where the task stands. Every way may be the word that lets it land, too. */
function accept(
  state: TaskState,
  phase: Phase,
  event: Extract<TaskEvent, { type: 'decided' }>,
  said: EntryOf<'decision'>,
  rules: Rules,
): Decided {
  const { kind, by } = event
  if (isPlanGate(phase.step)) return approvePlan(state, event, said)
  requireResult(state, phase, kind)
  const { commit } = state
  const approves = kind === 'approve' || allowsLanding(state, phase, rules)
  const approved: TaskState = approves && commit !== null ? { ...state, approval: { commit, by } } : state
  // One word, written down as both.
  const isBoth = kind === 'accept' && approves && commit !== null
  const log: EntryOf<'decision'> = isBoth ? { ...said, data: { ...said.data, approves: rules.protectedTarget } } : said
  if (phase.step.type === 'action') return freeAction(approved, phase, event, log, rules)
  if (asksForAnswers(state, phase.step)) {
    const decided = enter(withAnswers(approved, rules, 'all', by), phase.onPass, rules)
    return { ...decided, log: [log, ...decided.log] }
  }
  if (state.held !== null) return acceptHeld(approved, state.held, phase, event, log, rules)
  if (phase.step.type === 'signal') return acceptAtGate(approved, phase, event, log, rules)
  throw notAtGate(state, kind)
}

function requireResult(state: TaskState, { step }: Phase, kind: keyof typeof PAST): void {
  // A gate in front of the work is opened before there is any.
  const before = step.type === 'signal' && state.held === null
  // Whatever work there was before, a planner that is held has left no plan.
  if (before || (state.commit !== null && !isPlanning(step))) return
  throw new MusterError('gate_closed', `${state.id} has nothing to ${kind}: no attempt left a result`, {
    hint: `muster retry ${state.id}, or muster cancel ${state.id}`,
  })
}

/** Approval cannot replace the action: clear the hold and run it again. */
function freeAction(
  state: TaskState,
  { step }: Phase,
  { kind, by }: Extract<TaskEvent, { type: 'decided' }>,
  log: EntryOf<'decision'>,
  rules: Rules,
): Decided {
  const isAsked = asksForAnswers(state, step) || codeOf(state.held ?? state.wait) === 'approval'
  if (kind === 'accept' && !isAsked) throw notAtGate(state, kind)
  const clear = { held: null, wait: null, errors: 0, interruptions: 0, retries: {} }
  const over = state.held === null ? {} : { over: wordsOf(state.held) }
  return {
    ...unchanged(withAnswers({ ...state, ...clear }, rules, 'all', by)),
    log: [{ ...log, data: { ...log.data, ...over } }],
  }
}

/** Over the hold, for a reason: what was found against the work is waived. */
function acceptHeld(
  state: TaskState,
  held: Reason,
  phase: Phase,
  { kind, message, by }: Extract<TaskEvent, { type: 'decided' }>,
  log: EntryOf<'decision'>,
  rules: Rules,
): Decided {
  if (message.trim() === '') {
    throw new MusterError('usage', `${state.id} is held (${wordsOf(held)}): to accept it anyway, give a reason`, {
      hint: `muster ${kind} ${state.id} -m "why it is fine"`,
    })
  }
  const ids = overruledBy(state, phase, rules)
  const decided = enter({ ...state, waiver: waiverOf(state, ids, message, by) }, phase.onPass, rules)
  const waived = { ...log, data: { ...log.data, over: wordsOf(held), waived: ids } }
  // Who takes it over what was found has accepted it: nobody asks the same person twice.
  const accepted =
    overrules(state, phase) && standsAtAcceptance(decided.state, rules.map)
      ? { ...decided, state: { ...decided.state, decision: { kind: 'accept' as const, message, by } } }
      : decided
  return { ...accepted, log: [waived, ...accepted.log] }
}

/** At a gate: over a checker that is against it only for a reason, and then nothing is answered but waived. */
function acceptAtGate(
  state: TaskState,
  phase: Phase,
  { kind, message, by }: Extract<TaskEvent, { type: 'decided' }>,
  log: EntryOf<'decision'>,
  rules: Rules,
): Decided {
  const accepted: TaskState = { ...state, wait: null, decision: { kind: 'accept', message, by } }
  const over = overruled(state, rules)
  if (over === null) {
    const answered = withAnswers(accepted, rules, 'all', by)
    if (!isAdviceAlone(state, phase, rules)) return { ...unchanged(answered), log: [log] }
    const decided = enter(answered, DONE, rules)
    return { ...decided, log: [log, ...decided.log] }
  }
  if (message.trim() === '') {
    throw new MusterError('usage', `${over}: to accept ${state.id} anyway, give a reason`, {
      hint: `muster ${kind} ${state.id} --reason "why it is fine"`,
    })
  }
  const ids = [CHECKER, ...unanswered(state, rules).map(({ id }) => id)]
  const waiver = waiverOf(state, ids, message, by)
  return { ...unchanged({ ...accepted, waiver }), log: [{ ...log, data: { ...log.data, over, waived: ids } }] }
}

/** The plan is approved and nothing else: nobody has seen work, so nothing may land for it. */
function approvePlan(
  state: TaskState,
  { message, by }: Extract<TaskEvent, { type: 'decided' }>,
  log: EntryOf<'decision'>,
): Decided {
  const plan = state.plan === null ? null : { ...state.plan, approved: { by, note: message } }
  const decision: Decision = { kind: 'accept', message, by }
  return { ...unchanged({ ...state, plan, decision, held: null, wait: null }), log: [log] }
}

/**
 * Advice that changed nothing: had an attempt changed anything, its contract would be verifiable by now. There is nothing to
 * land, and no pull request to open: whoever has read it closes it, unless another person is asked after them.
 */
function isAdviceAlone({ commit }: TaskState, { name }: Phase, { map, contract }: Rules): boolean {
  const isAdvice = contract?.type === 'advisory' && !contract.criteria.some(isForMachines)
  return isAdvice && commit !== null && (isLastGate(map, name) || usesForge(map))
}

/**
 * Whether accepting here is also the word that the landing on a protected branch needs. Who takes the work over what was
 * found has answered acceptance as well, so what counts is what comes after that.
 */
function allowsLanding(state: TaskState, phase: Phase, { map, protectedTarget = null }: Rules): boolean {
  if (protectedTarget === null) return false
  if (isLastGate(map, phase.name)) return true
  const next = state.held === null || !overrules(state, phase) ? undefined : phaseNamed(map, phase.onPass)
  const answered = next?.step.type === 'signal' && next.step.name === ACCEPTANCE
  return answered && isLastGate(map, next.name)
}

/**
 * The criteria that a person takes over who accepts a held task: what was found unmet, and what nobody answered. Where the
 * verification came to no result at all, that is all of it.
 */
function overruledBy(state: TaskState, phase: Phase, rules: Rules): string[] {
  if (!overrules(state, phase)) return [...state.unmet]
  const blind = isVerifying(phase.step) && state.unmet.length === 0 && state.verified === null
  const machine = blind ? (rules.contract?.criteria ?? []).filter(isForMachines) : []
  const judge = phase.step.type === 'agent' ? [phase.step.name] : []
  return [...new Set([...state.unmet, ...judge, ...[...machine, ...unanswered(state, rules)].map(({ id }) => id)])]
}

/**
 * Whether accepting takes over what somebody found. Who accepts what an author left, or a change of protected paths alone, has
 * overruled nobody: what comes after that is asked as ever.
 */
function overrules({ unmet }: TaskState, { step }: Phase): boolean {
  if (step.type === 'agent') return step.does === 'judge'
  return !isVerifying(step) || unmet.length === 0 || unmet.some((id) => id !== PROTECTED)
}

/** What was taken over before, for this same snapshot, stays taken over. */
export function waiverOf(state: TaskState, ids: readonly string[], reason: string, by: string): Waiver {
  const commit = state.commit ?? ''
  const before = state.waiver?.commit === commit ? state.waiver : null
  const both = (first: string | undefined, second: string) => [...new Set([first ?? second, second])].join('; ')
  const criteria = [...new Set([...(before?.criteria ?? []), ...ids])]
  return { commit, criteria, reason: both(before?.reason, reason), by: both(before?.by, by) }
}

/** What the checker has against the work at acceptance; null if nothing. */
function overruled(state: TaskState, rules: Rules): string | null {
  const { verdict = null, report = '' } = state.check ?? {}
  const isAgainst = verdict === 'FAIL' || verdict === 'ERROR'
  return isAgainst && standsAtAcceptance(state, rules.map) ? wordsOf(against(verdict, report)) : null
}

const PAST = { accept: 'accepted', reject: 'rejected', approve: 'approved' }

function notAtGate(state: TaskState, kind: keyof typeof PAST): MusterError {
  const where = isOver(state.status)
    ? `it is ${state.status}`
    : state.run !== null
      ? `${state.run.name} is working on it`
      : `it is at ${state.phase ?? 'its start'}`
  return new MusterError('gate_closed', `${state.id} cannot be ${PAST[kind]} now: ${where}`, {
    hint: `muster explain ${state.id}`,
  })
}

/** What was found out and said of a snapshot that a person does not want as it is. */
export const UNPROVEN = { verified: null, waiver: null, answers: null }

/** Budgets and waits as they are before a task has used or met any. */
export const FRESH = {
  verifyThen: null,
  held: null,
  wait: null,
  errors: 0,
  interruptions: 0,
  retries: {},
  panel: [],
  recurring: {},
  decision: null,
  failure: null,
}

/** A person's commit takes the place of an author's run: it is an attempt, and what follows verifies it like any other. */
export function takeCommit(state: TaskState, commit: string, by: string, rules: Rules): Decided {
  const author = rules.map.find(({ step }) => step.does === 'work')
  const over = state.status === 'completed' || state.status === 'cancelled'
  if (author === undefined || over || state.run !== null) {
    const why = state.run === null ? `it is ${state.status}` : `${state.run.name} is working on it`
    throw new MusterError(
      'gate_closed',
      `${state.id} cannot take a commit now: ${author === undefined ? 'its map has no author' : why}`,
      {
        hint: `muster explain ${state.id}`,
      },
    )
  }
  const roundsMax = state.status === 'failed' ? state.round + rules.limits.maxTaskRounds : state.roundsMax
  const attempt = state.attempt + 1
  const done: TaskState = {
    ...state,
    ...FRESH,
    status: 'in-progress',
    phase: author.name,
    commit,
    attempt,
    roundsMax,
    approval: null,
    verified: null,
    unmet: [],
    waiver: null,
    answers: null,
    idle: 0,
  }
  const decided = enter(done, author.onPass, rules)
  return { ...decided, log: [{ type: 'submitted', data: { by, commit, attempt } }, ...decided.log] }
}

/** The task it checks went on without it. */
export function supersede(state: TaskState, reason: string): Decided {
  return isOver(state.status) ? unchanged(state) : ended(state, reason, 'muster')
}

export function cancel(state: TaskState, reason: string, by: string, rules: Rules): Decided {
  // A failed task that nobody wants any more keeps its story from being shipped until somebody says so.
  const givenUp = state.status === 'failed' && !isCheck(rules)
  if (isOver(state.status) && !givenUp) {
    throw new MusterError('gate_closed', `${state.id} is ${state.status} already`, { hint: `muster show ${state.id}` })
  }
  const decided = ended(state, reason, by)
  if (!isCheck(rules)) return decided
  const detail = `the check was cancelled by ${by}${reason && `: ${reason}`}`
  return tell(decided, { outcome: 'ERROR', verdict: 'ERROR', detail, findings: [] }, rules)
}

function ended(state: TaskState, reason: string, by: string): Decided {
  const commands: Command[] = state.run === null ? [] : [{ type: 'stop', runId: state.run.id }]
  const cancelled: TaskState = {
    ...state,
    status: 'cancelled',
    run: null,
    held: null,
    wait: null,
    decision: null,
    failure: reason === '' ? null : because('cancelled', { said: reason }),
  }
  const asks = questionTo(state)
  const data = { reason, by, ...(asks === null ? {} : { asks }) }
  return { ...unchanged(cancelled), commands, log: [{ type: 'task-cancelled', data }] }
}
