/**
 * The only place where a task's state changes. `decide` is pure: the same state, event and rules give the same answer.
 * It returns the next state, the commands that the engine must carry out once the state is stored, and the lines of
 * history. An event that does not fit the state changes nothing; an impossible request of a person is refused with a
 * reason.
 */
import { adopt } from './adopt.ts'
import { idleAttemptsMax } from '../limits.ts'
import type { Command, Decided, Rules, StepResult, TaskEvent } from './event.ts'
import type { DescribedResult, LogEntry } from './history.ts'
import { nextCommands } from './next.ts'
import { applyOutcome, hold, personNotice, unchanged, withWarning } from './outcome.ts'
import { accompany, endCheck, giveUp, takeCheck } from './check.ts'
import { agree, cancel, supersede, takeCommit, takeDecision } from './person.ts'
import { retry } from './retry.ts'
import { isForgeStep } from '../forge.ts'
import { isLanding, unanswered, withAnswers, withoutAnswers } from './gate.ts'
import { hear, judgeOf } from './panel.ts'
import { because, isSame, saysSame, wordsOf } from './reasons.ts'
import type { Phase } from './phase-map.ts'
import { isCheck } from './purpose.ts'
import { needsPerson, reasonFor, waitingFor } from './stage.ts'
import { askFor, begin, waitFor, waiveMerged } from './waiting.ts'
import type { ActiveRun, TaskState } from './task.ts'
import { canStep, currentPhase } from './task.ts'
import { LEAD, type Player } from '../role.ts'

export function decide(state: TaskState, event: TaskEvent, rules: Rules): Decided {
  const decided = move(state, event, rules)
  return isCheck(rules) ? decided : announce(state, event, accompany(decided, rules), rules)
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
    ? ([`trouble-at-${state.phase}`, `cannot continue at ${state.phase}`] as const)
    : ([`at-${state.phase}`, `waits at ${state.phase}`] as const)
  const gate: Command[] =
    told || same || (stood && !news) || !needsPerson(state, map)
      ? []
      : [
          personNotice(
            state,
            'needs-you',
            what,
            `${state.id} is waiting: ${waitingFor(state, reasonFor(state, map, []))}`,
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
      return isCheck(rules) ? giveUp(state, wordsOf(event.reason), rules) : hold(state, event.reason, [])
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

  const player = type === 'agent' ? playerOf(phase, state, rules) : null
  const role = player?.role ?? name
  const waited = state.wait === null ? {} : { waited: state.wait }
  const run: ActiveRun = {
    id: `${state.id}.r${state.runs + 1}`,
    kind: type,
    name: role,
    ...waited,
    ...(player && { does: player.does }),
  }
  const attempt = player?.does === 'work' ? state.attempt + 1 : state.attempt
  const started: TaskState = { ...begun, wait: null, run, runs: state.runs + 1, attempt }
  log.push({
    type: 'run-started',
    data: { run: run.id, phase: phase.name, kind: type, name: role, attempt, round: state.round },
  })
  const command: Command = { type: 'start', run, phase: phase.name, attempt, round: state.round }
  return { state: started, commands: [command], log, findings: [] }
}

/** Who does an agent's step: the next of its judges, and in the implementer's place the task's own agent, if it names one. */
function playerOf(phase: Phase, state: TaskState, { agent }: Rules): Player {
  const role = judgeOf(phase, state)
  return role === LEAD && agent !== null ? agent : { role, does: phase.step.does ?? 'work' }
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
  if (isCheck(rules)) return endCheck(idle, withWarning(result), log, rules)
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

/** What a run leaves behind, before its outcome moves anything. */
function afterRun(state: TaskState, run: ActiveRun, result: StepResult, rules: Rules): TaskState {
  const { unchanged: same, landed } = result
  const after: TaskState = {
    ...state,
    ...provenAfter(state, result),
    run: null,
    plan: result.plan === undefined ? state.plan : { run: run.id, digest: result.plan, approved: null },
    commit: result.commit ?? state.commit,
    landed: landed?.to ?? state.landed,
    validated: state.validated || result.validates === true,
    pr: result.pr ?? state.pr,
    idle: same === undefined ? state.idle : same ? state.idle + 1 : 0,
    verifyThen: result.outcome === 'WAIT' && result.reverify === true ? state.phase : state.verifyThen,
  }
  const denied = withoutAnswers(after, result.denies ?? [])
  return result.answers === undefined ? denied : withAnswers(denied, rules, result.answers, run.name)
}

/** What is known of the work after a run. What was verified, answered or waived is for one snapshot alone. */
function provenAfter(
  state: TaskState,
  { commit = null, verified, unmet, landed }: StepResult,
): Pick<TaskState, 'verified' | 'answers' | 'unmet' | 'waiver'> {
  const isNew = commit !== null && commit !== state.commit
  // What stands on the target is what has to be verified, whoever put it there.
  const other = landed?.tree !== undefined && landed.tree !== state.verified?.tree
  return {
    verified: verified ?? (isNew || other ? null : state.verified),
    answers: isNew ? null : state.answers,
    unmet: unmet ?? (isNew ? [] : state.unmet),
    waiver: isNew ? null : state.waiver,
  }
}

/** Burned out: a person should look, and may retry, break it down or cancel. It accepts and rejects nothing (S1.23, E-24). */
function triage(state: TaskState): Command[] {
  // Told once: further attempts that change nothing are no news (L16).
  if (state.idle !== idleAttemptsMax || state.status !== 'in-progress') return []
  const text = `${state.idle} attempts in a row at ${state.id} changed nothing: reword the task, split it, or cancel it`
  const { id, attempt } = state
  const next = [`muster show ${id}`, `muster cancel ${id}`]
  return [
    {
      type: 'notify',
      kind: 'needs-you',
      key: `triage:${id}:${attempt}`,
      subject: `${id} makes no progress`,
      text,
      next,
    },
  ]
}

function readSignal(state: TaskState, name: string, result: StepResult, rules: Rules): Decided {
  const phase = currentPhase(state, rules.map)
  const standsThere = state.status === 'in-progress' && phase?.step.type === 'signal' && phase.step.name === name
  if (!canStep(state) || !standsThere) return unchanged(state)
  const { approval = state.approval, merged } = result
  const waits = result.outcome === 'WAIT' ? result.waits : undefined
  const { state: kept, log: waived } = merged === undefined ? { state, log: [] } : waiveMerged(state, merged.by, rules)
  // Who reviewed it at the forge has answered what nobody else has, as who accepts it here does.
  const heard = result.approval === undefined ? kept : withAnswers(kept, rules, 'all', result.approval.by)
  const decided = applyOutcome({ ...heard, decision: null, approval }, phase, name, result, rules)
  if (waits !== undefined && decided.state.phase === state.phase)
    return waitFor(state, { phase: phase.name, reason: waits }, rules)
  return { ...decided, log: [...waived, { type: 'signal-read', data: { name, ...describe(result) } }, ...decided.log] }
}

function crashNotice(state: TaskState, run: ActiveRun): Command {
  const text = `${run.name} of ${state.id} ended without writing a verdict (attempt ${state.attempt})`
  const next = [`muster logs ${state.id} --run ${run.id}`, `muster explain ${state.id}`]
  return { type: 'notify', kind: 'crash', key: `crash:${run.id}`, subject: `${state.id}: worker crashed`, text, next }
}

function describe(result: StepResult): DescribedResult {
  const { outcome, verdict, detail, crashed, landed, sandbox, plan } = result
  const { interrupted, limited } = result.outcome === 'ERROR' ? result : {}
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
