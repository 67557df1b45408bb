/**
 * Checkers: a separate task in which somebody who did not write an attempt judges it at acceptance. This file says when
 * one starts and when it is cancelled, what its end means for itself, and what its verdict means for the checked task.
 * Only transition.ts and person.ts use what decides.
 */
import { applyOutcome, fail, findingTexts, firstLine, personNotice, stamp, unchanged } from './outcome.ts'
import { unanswered, withAnswers } from './gate.ts'
import type { PhaseMap } from './phase-map.ts'
import { DONE } from './phase-map.ts'
import { checkedTask } from './purpose.ts'
import { because, wordsOf, type Reason } from './reasons.ts'
import type { Check, TaskState } from './task.ts'
import { currentPhase } from './task.ts'
import type { Decided, Rules, StepResult, TaskEvent } from './event.ts'
import type { LogEntry } from './history.ts'
import type { FindingText } from '../verdict/verdict.ts'

export const CHECKER = 'checker'
export const ACCEPTANCE = 'acceptance'

export const checkId = (task: string, attempt: number): string => `${task}.check.${attempt}`

/** All a checker does. */
export const CHECKER_MAP: PhaseMap = [
  {
    name: 'check',
    step: { type: 'agent', name: CHECKER, does: 'judge' },
    onPass: DONE,
    onFail: 'check',
    onWait: null,
    attempts: null,
    timeoutMs: null,
  },
]

export function hasAcceptance(map: PhaseMap): boolean {
  return map.some(({ step }) => step.type === 'signal' && step.name === ACCEPTANCE)
}

/** Whether the task stands at acceptance, and nothing else than that keeps it. */
export function standsAtAcceptance(state: TaskState, map: PhaseMap): boolean {
  if (state.status !== 'in-progress' || state.held !== null) return false
  const step = currentPhase(state, map)?.step
  return step?.type === 'signal' && step.name === ACCEPTANCE
}

/** Whether its checker is at work. A person may still speak first. */
export function isChecking(state: TaskState, map: PhaseMap): boolean {
  return state.check?.verdict === null && state.decision === null && standsAtAcceptance(state, map)
}

/** Whatever moved the task: where it stands now may need a checker, or need one no more. Part of the same transition. */
export function accompany(decided: Decided, rules: Rules): Decided {
  const { state } = decided
  const { check, attempt, commit } = state
  const open = standsAtAcceptance(state, rules.map) && state.decision === null && commit !== null
  const stale = check?.verdict === null && (!open || check.attempt !== attempt)
  const left = stale ? callOff(decided, check) : decided
  if (!open || !rules.checked || check?.attempt === attempt) return left
  const begun: Check = { id: checkId(state.id, attempt), attempt, commit, verdict: null, report: '' }
  return {
    ...left,
    state: { ...state, check: begun },
    commands: [...left.commands, { type: 'check', check: begun }],
    log: [...left.log, { type: 'check-started', data: { check: begun.id, attempt, commit } }],
  }
}

function callOff(decided: Decided, { id }: Check): Decided {
  const reason = `${decided.state.id} has already moved on`
  return {
    ...decided,
    state: { ...decided.state, check: null },
    commands: [...decided.commands, { type: 'also', task: id, event: { type: 'superseded', reason } }],
    log: [...decided.log, { type: 'check-called-off', data: { check: id } }],
  }
}

/** The end of a checker's run: it is completed with whatever verdict, and failed without one. */
export function endCheck(state: TaskState, result: StepResult, log: LogEntry, rules: Rules): Decided {
  const { verdict = 'ERROR' } = result
  if (verdict !== 'ERROR') {
    const done: TaskState = { ...state, status: 'completed', phase: null, errors: 0, interruptions: 0 }
    return tell(
      { ...unchanged(done), log: [log, { type: 'task-completed', data: { from: state.phase } }] },
      result,
      rules,
    )
  }
  const phase = currentPhase(state, rules.map)
  if (phase === undefined) return giveUp(state, 'its phase map is gone', rules)
  const limits = { ...rules.limits, maxErrorAttempts: rules.limits.maxCheckerAttempts }
  const unheld = 'hold' in result ? { ...result, hold: undefined } : result
  const decided = applyOutcome(state, phase, CHECKER, unheld, { ...rules, limits })
  if (decided.state.held === null) return { ...decided, log: [log, ...decided.log] }
  const over = giveUp(state, result.detail || wordsOf(decided.state.held), rules, result.findings)
  return { ...over, log: [log, ...over.log] }
}

/** A checker is never held for a person: the task it checks is what a person looks at. */
export function giveUp(state: TaskState, reason: string, rules: Rules, findings: readonly FindingText[] = []): Decided {
  const failed = { ...fail({ ...state, errors: 0 }, because('gave-up', { said: firstLine(reason) })), commands: [] }
  return tell(failed, { outcome: 'ERROR', verdict: 'ERROR', detail: reason, findings }, rules)
}

/** The checked task hears of it in the same commit, so that neither is ever without the other (L3). */
export function tell(decided: Decided, result: StepResult, rules: Rules): Decided {
  const { verdict = 'ERROR', detail, findings, answers = [] } = result
  const { id: check, runs } = decided.state
  const event: TaskEvent = { type: 'checked', check, runs, verdict, detail, findings, answers }
  return { ...decided, commands: [...decided.commands, { type: 'also', task: checkedTask(rules) ?? '', event }] }
}

/** PASS and WARN accept the task, unless something is a person's to answer. Anything else waits for a person. */
export function takeCheck(state: TaskState, event: Extract<TaskEvent, { type: 'checked' }>, rules: Rules): Decided {
  const { verdict, detail, findings } = event
  const said = { check: event.check, verdict, detail: detail.slice(0, 2000) }
  const { check } = state
  const phase = currentPhase(state, rules.map)
  if (check?.id !== event.check || !isChecking(state, rules.map) || phase === undefined) {
    return { ...unchanged(state), log: [{ type: 'late-result-ignored', data: said }] }
  }
  const passed = verdict === 'PASS' || verdict === 'WARN'
  const report = verdict === 'PASS' ? '' : reportOf(event)
  const answered = passed ? withAnswers(state, rules, event.answers, CHECKER) : state
  const open = unanswered(answered, rules)
  const accepted = passed && open.length === 0
  const outcome = accepted ? 'ADVANCE' : 'WAIT'
  const log: LogEntry = { type: 'checked', data: { ...said, outcome, attempt: check.attempt } }
  const checked: TaskState = { ...answered, check: { ...check, verdict, report } }
  if (accepted) {
    const decided = applyOutcome(checked, phase, CHECKER, { outcome: 'ADVANCE', detail, findings }, rules)
    return { ...decided, log: [log, ...decided.log] }
  }
  const why = passed
    ? because('only-person', { ids: open.map(({ id }) => id) })
    : against(verdict === 'ERROR' ? 'ERROR' : 'FAIL', report)
  const found = passed
    ? findings.map((finding) => ({ ...finding, severity: 'WARN' as const }))
    : verdict === 'FAIL'
      ? findingTexts({ outcome: 'RETRY', detail, findings })
      : []
  const about = `${event.check}:${event.runs}`
  const words = passed
    ? 'needs your decision'
    : verdict === 'FAIL'
      ? 'was rejected by its checker'
      : 'has a checker that could not tell'
  const what = [`checked-${verdict}`, words] as const
  return {
    state: { ...checked, wait: why },
    commands: [personNotice(state, 'needs-you', what, `${state.id} needs you: ${wordsOf(why)}`, about)],
    log: [log],
    findings: stamp(found, state.round, CHECKER),
  }
}

/** What the checker says against the work, in full: in its own words, and finding by finding. */
function reportOf({ detail, findings }: Extract<TaskEvent, { type: 'checked' }>): string {
  const lines = findings.map(({ severity, criterion, file, line, message }) => {
    const place = file === undefined ? '' : `${file}${line === undefined ? '' : `:${line}`} `
    return `[${severity}] ${criterion === undefined ? '' : `${criterion} `}${place}${message}`
  })
  return [detail, ...lines].filter((text) => text !== '').join('\n')
}

/** What it has against the work, shortly. */
export const against = (verdict: 'FAIL' | 'ERROR', report: string): Reason =>
  because('checker', { verdict, said: firstLine(report) })
