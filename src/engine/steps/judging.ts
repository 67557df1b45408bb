/**
 * What a judge's run judges and what its end means: the commit, the criteria that it must answer, and that its checkout
 * is unchanged. If a judge changed anything, its verdict does not count (E-18).
 */
import { CHECKER, hasAcceptance } from '../../domain/task/check.ts'
import type { ProjectConfig } from '../../domain/config.ts'
import type { Contract } from '../../domain/contract/contract.ts'
import { contractSection, forJudges } from '../../domain/contract/contract-text.ts'
import { assert } from '../../domain/errors.ts'
import { isAskedOfPeople, isForJudges } from '../../domain/task/gate.ts'
import { checkedTask } from '../../domain/task/purpose.ts'
import type { TaskSpec } from '../../domain/task/task.ts'
import { ISSUE_VERIFIER } from '../../domain/validation.ts'
import type { Replay } from '../../domain/verdict/verdict.ts'
import type { Judging, RunOutcome, Worker } from '../../ports/runtime.ts'
import type { Replaying } from '../../ports/verifier.ts'
import type { RunRecord, Store, StoredTask } from '../../ports/store.ts'

/** Who has to answer the criteria of a contract one by one. Other judges are shown them, and may. */
const isAnswering = (role: string): boolean => role === 'checker' || role === 'validator'

/** Whether a judge's PASS needs an answer to each criterion: a checker's and a validator's, and anybody's where the map asks nobody else. */
export function mustAnswer(role: string, { phases }: Pick<TaskSpec, 'phases'>, { agents }: ProjectConfig): boolean {
  const isChecked = hasAcceptance(phases) && Object.hasOwn(agents, CHECKER)
  const judges = phases.flatMap(({ step, panel }) => (step.type === 'agent' ? (panel ?? [step.name]) : []))
  const others = isChecked || judges.some(isAnswering) || phases.some(({ step }) => isAskedOfPeople(step))
  return isAnswering(role) || !others
}

export const isJudging = (run: RunRecord): boolean => run.does === 'judge'

/** The task that the run works on: a checker's is the one it checks. */
export async function subjectOf(store: Store, task: StoredTask): Promise<StoredTask> {
  const id = checkedTask(task.spec)
  if (id === null) return task
  const checked = await store.task(id)
  assert(checked !== null, `${task.spec.id} checks a stored task`)
  return checked
}

/** `must`: its PASS needs an answer to each criterion. */
export function judgingOf(
  run: RunRecord,
  commit: string | null,
  contract: Contract | null,
  must: boolean,
): Judging | null {
  if (!isJudging(run) || commit === null) return null
  const ids = (contract?.criteria ?? [])
    .filter((one) => isForJudges(one) && one.judge === 'checker')
    .map(({ id }) => id)
  return {
    commit,
    criteria: must ? ids : [],
    offered: must ? [] : ids,
    warns: run.name !== ISSUE_VERIFIER,
    contract: contract === null ? '' : contractSection({ ...contract, criteria: contract.criteria.map(forJudges) }),
  }
}

/** The criteria that a judge's PASS answers: those it named as met, or all that it had to answer if it named none. */
export function answersOf(judging: Judging | undefined, { verdict, criteria = [] }: RunOutcome): readonly string[] {
  if (verdict !== 'PASS' && verdict !== 'WARN') return []
  return criteria.length === 0 ? (judging?.criteria ?? []) : criteria.filter(({ met }) => met).map(({ id }) => id)
}

/** The criteria that a judge says are not met, whatever somebody said before. */
export function deniedBy({ criteria = [] }: RunOutcome): string[] {
  return criteria.filter(({ met }) => !met).map(({ id }) => id)
}

/** `changed`: the paths of its checkout that are not as they were; null if that cannot be told. */
export function judgedOutcome(run: RunRecord, outcome: RunOutcome, changed: readonly string[] | null): RunOutcome {
  if (outcome.verdict === 'ERROR') return outcome
  if (changed === null || changed.length > 0) {
    const what = changed === null ? 'is gone' : `was changed (${changed.slice(0, 5).join(', ')})`
    const detail = `the checkout that ${run.name} judged ${what}. A judge must change nothing, so its verdict does not count`
    return { ...outcome, verdict: 'ERROR', detail, findings: [], criteria: [] }
  }
  return outcome
}

/** What Muster saw of the commands that the findings rest on. */
function replayed(outcome: RunOutcome, said: ReadonlyMap<string, Replay>): RunOutcome {
  const findings = outcome.findings.map((finding) => {
    const replay = said.get(finding.command ?? '')
    return replay === undefined ? finding : { ...finding, replay }
  })
  return { ...outcome, findings }
}

/** The commands that what fails rests on. */
function quotedCommands({ verdict, findings }: RunOutcome): string[] {
  if (verdict === 'ERROR') return []
  return findings.flatMap(({ severity, command }) => (severity === 'FAIL' && command !== undefined ? [command] : []))
}

/** A judge's run is over when what its findings rest on has been run again. */
export function thenReplayed(worker: Worker, start: (commands: string[]) => Promise<Replaying>): Worker {
  let replaying: Replaying | null = null
  let stopped = false
  let clockRuns = true
  const replay = async (outcome: RunOutcome): Promise<RunOutcome> => {
    const commands = quotedCommands(outcome)
    if (commands.length === 0 || stopped) return outcome
    replaying = await start(commands)
    // It may have been stopped meanwhile.
    if (stopped) replaying.stop()
    if (!clockRuns) replaying.setClock(false)
    return replayed(outcome, await replaying.ended)
  }
  return {
    // What cannot be run again says nothing about the verdict.
    ended: worker.ended.then((outcome) => replay(outcome).catch(() => outcome)),
    stop(now) {
      stopped = true
      worker.stop(now)
      replaying?.stop()
    },
    setClock(running) {
      clockRuns = running
      worker.setClock(running)
      replaying?.setClock(running)
    },
  }
}
