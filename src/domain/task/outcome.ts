/**
 * What a step's outcome does to a task: this half of the transition moves it from phase to phase, counts rounds and
 * errors, holds it and fails it. Only transition.ts and person.ts use it.
 */
import { gist } from '../verdict/gist.ts'
import { interruptionsMax } from '../limits.ts'
import type { NoticeKind } from '../notice.ts'
import type { Phase } from './phase-map.ts'
import { DONE } from './phase-map.ts'
import { askPerson, isUnverified, unanswered } from './gate.ts'
import { because, told, wordsOf, type Reason } from './reasons.ts'
import type { TaskState } from './task.ts'
import { CONTRACT } from './task.ts'
import type { Command, Decided, Rules, StepResult } from './event.ts'
import type { LogEntry } from './history.ts'
import type { Finding, FindingText } from '../verdict/verdict.ts'
import { counted, fingerprint, recurringMax, stuckOn } from './recurring.ts'

/** Outcome to transition: the only code that moves a task from one phase to another. */
export function applyOutcome(
  state: TaskState,
  phase: Phase,
  source: string,
  result: StepResult,
  rules: Rules,
): Decided {
  const held = (reason: Reason): Decided => ({
    ...hold(state, reason, []),
    findings: stamp(result.findings, state.round, source),
  })
  switch (result.outcome) {
    case 'ADVANCE': {
      if (result.hold !== undefined) return held(result.hold)
      const findings = asWarnings(result.findings)
      const entered = enter(state, phase.onPass, rules)
      return { ...entered, findings: stamp(findings, state.round, source) }
    }
    case 'WAIT': {
      const wait = result.waits ?? null
      // What has to be verified first stays where it is.
      const target = result.reverify === true ? null : phase.onWait
      if (target === null || target === phase.name) return unchanged({ ...state, wait })
      return enter(state, target, rules)
    }
    case 'RETRY':
      return sendBack(state, phase, source, result, rules)
    case 'ERROR':
      if (result.fails !== undefined) return fail(state, result.fails)
      return result.hold === undefined ? countError(state, source, result, rules) : held(result.hold)
  }
}

/** What somebody is to do about a failure: its findings, and its detail unless they say the same. */
export function findingTexts(result: StepResult): FindingText[] {
  const listed = result.findings.filter((finding) => finding.message !== '')
  const said = result.detail === '' && listed.length === 0 ? 'failed without saying why' : result.detail
  // A verification's findings begin with what its detail says.
  const repeated =
    listed.length > 0 && said.split('\n').every((line) => listed.some((one) => one.message.startsWith(line)))
  return said === '' || repeated ? listed : [{ severity: 'FAIL', message: said }, ...listed]
}

/** A judge that warns and lists nothing warns with its detail: it is to be seen like any other warning. */
export function withWarning(result: StepResult): StepResult {
  if (result.verdict !== 'WARN' || result.detail === '' || result.findings.length > 0) return result
  return { ...result, findings: [{ severity: 'WARN', message: result.detail }] }
}

/** A result of one outcome. */
type Of<O extends StepResult['outcome']> = Extract<StepResult, { outcome: O }>

export function sendBack(state: TaskState, phase: Phase, source: string, result: Of<'RETRY'>, rules: Rules): Decided {
  const texts = findingTexts(result)
  const findings = stamp(texts, state.round, source)
  const judged = result.verdict !== undefined && phase.step.does === 'judge'
  const before = Object.hasOwn(state.retries, phase.name) ? state.retries[phase.name] : 0
  const failures = (before ?? 0) + 1
  const back: TaskState = {
    ...state,
    round: state.round + 1,
    retries: { ...state.retries, [phase.name]: failures },
    // A person's words start the count anew: they know what they ask for.
    recurring: result.person === true ? {} : counted(state.recurring, printsNow(state, result, texts)),
  }
  if (back.round >= state.roundsMax) {
    const reason = because('rounds', { max: rules.limits.maxTaskRounds, said: gist(result) })
    return { ...fail(back, reason), findings }
  }
  if (phase.attempts !== null && failures >= phase.attempts) {
    const reason = because('attempts', { phase: phase.name, max: phase.attempts, judged, said: gist(result) })
    return { ...hold(back, reason, []), findings }
  }
  const same = stuckOn(back.recurring)
  if (same !== undefined) {
    const found = texts.find((text) => fingerprint(text) === same)
    const said = found === undefined ? gist(result) : firstLine(`${found.file ?? ''} ${found.message}`)
    const reason = because('recurring', { who: nameOf(source), rounds: recurringMax, said })
    return { ...hold({ ...back, recurring: {} }, reason, []), findings }
  }
  return { ...enter(back, phase.onFail, rules), findings }
}

/** As people read it. */
const nameOf = (source: string): string => (source === CONTRACT ? 'the verification' : source)

/** All that was found this time, by the judges of a panel too. */
function printsNow({ panel }: TaskState, { prints }: StepResult, texts: readonly FindingText[]): string[] {
  const own = prints ?? texts.filter(({ severity }) => severity === 'FAIL').map(fingerprint)
  return [...new Set([...panel.flatMap((said) => said.prints), ...own])]
}

function countError(state: TaskState, source: string, result: Of<'ERROR'>, rules: Rules): Decided {
  // The program's lane is closed meanwhile, so this does not go round in a circle.
  if (result.limited) return unchanged(state)
  if (result.interrupted) {
    const again: TaskState = { ...state, interruptions: state.interruptions + 1 }
    if (again.interruptions < interruptionsMax) return unchanged(again)
    return hold(again, because('interrupted', { who: source, times: again.interruptions }), [])
  }
  const again: TaskState = { ...state, errors: state.errors + 1 }
  if (again.errors < rules.limits.maxErrorAttempts) return unchanged(again)
  const reason = because('cannot-run', { who: nameOf(source), times: again.errors, said: gist(result) })
  const held = hold(again, reason, [])
  // What was said counts for nothing, and whoever has to decide reads it all the same.
  return { ...held, findings: stamp(asWarnings(result.findings), state.round, source) }
}

/** Moves the task to a phase, or completes it: the only place that does, and only with every criterion answered (H-1). */
export function enter(state: TaskState, target: string, rules: Rules): Decided {
  const from = state.phase
  const clear = {
    verifyThen: null,
    errors: 0,
    interruptions: 0,
    decision: null,
    wait: null,
    held: null,
    panel: [],
  }
  if (target === DONE) {
    const open = unanswered(state, rules)
    if (open.length > 0) return hold(state, askPerson(open), [])
    if (isUnverified(state, rules)) {
      // It stays where it is until its contract is verified; then it is done.
      const log: LogEntry = { type: 'verification-needed', data: { at: from } }
      return { ...unchanged({ ...state, ...clear, verifyThen: DONE }), log: [log] }
    }
    const done: TaskState = { ...state, ...clear, status: 'completed', phase: null }
    return { ...unchanged(done), log: [{ type: 'task-completed', data: { from } }] }
  }
  const log: LogEntry = { type: 'phase-entered', data: { from, to: target, round: state.round } }
  return { ...unchanged({ ...state, ...clear, phase: target }), log: [log] }
}

export function fail(state: TaskState, reason: Reason): Decided {
  const failed: TaskState = {
    ...state,
    status: 'failed',
    failure: reason,
    held: null,
    wait: null,
    decision: null,
  }
  const notice = personNotice(state, 'failed', ['failed', 'failed'], `${state.id} failed: ${wordsOf(reason)}`)
  return { ...unchanged(failed), commands: [notice], log: [{ type: 'task-failed', data: { ...told(reason) } }] }
}

export function hold(state: TaskState, reason: Reason, log: LogEntry[]): Decided {
  const held: TaskState = { ...state, held: reason, wait: null, decision: null }
  const notice = personNotice(state, 'needs-you', ['held', 'is held'], `${state.id} needs you: ${wordsOf(reason)}`)
  return { ...unchanged(held), commands: [notice], log: [...log, { type: 'task-held', data: { ...told(reason) } }] }
}

/** Keyed by the task's own counters: the same notice is never sent twice, a new reason is a new notice. */
/** `what`: as part of its key, and as people read it behind the task's id. */
export function personNotice(
  { id, runs, round }: TaskState,
  kind: NoticeKind,
  [what, words]: readonly [string, string],
  text: string,
  about = `${id}:${runs}:${round}`,
): Command {
  return { type: 'notify', kind, key: `${what}:${about}`, subject: `${id} ${words}`, text }
}

const asWarnings = (findings: readonly FindingText[]): FindingText[] =>
  findings.map((finding) => ({ ...finding, severity: 'WARN' }))

export function stamp(findings: readonly FindingText[], round: number, source: string): Finding[] {
  return findings.map((finding) => ({ ...finding, round, source }))
}

export function firstLine(text: string): string {
  const line = text.trim().split('\n')[0] ?? ''
  return line.length > 200 ? `${line.slice(0, 199)}…` : line || 'no detail'
}

export function unchanged(state: TaskState): Decided {
  return { state, commands: [], log: [], findings: [] }
}
