/**
 * What a judge's run is about and what its end means: the commit it judges, the criteria it must answer, and that its
 * checkout is as it was. Whatever a judge says after it changed something does not count (E-18).
 */
import type { Contract } from '../domain/contract.ts'
import { contractSection, forJudges } from '../domain/contract-text.ts'
import { assert } from '../domain/errors.ts'
import { ISSUE_VERIFIER } from '../domain/validation.ts'
import type { Replay } from '../domain/verdict.ts'
import { isJudge } from '../domain/verdict.ts'
import type { Judging, RunOutcome, Worker } from '../ports/runtime.ts'
import type { Replaying } from '../ports/verifier.ts'
import type { RunRecord, Store, StoredTask } from '../ports/store.ts'

/** Who answers the criteria of a contract one by one; the others look at what their role says. */
export const isAnswering = (role: string): boolean => role === 'checker' || role === 'validator'

export const isJudging = (run: RunRecord): boolean => run.kind === 'agent' && isJudge(run.name)

/** The task that the run works on: a checker's is the one it checks. */
export async function subjectOf(store: Store, task: StoredTask): Promise<StoredTask> {
  const { checkerFor } = task.spec
  if (checkerFor === null) return task
  const checked = await store.task(checkerFor)
  assert(checked !== null, `${task.spec.id} checks a stored task`)
  return checked
}

export function judgingOf(run: RunRecord, commit: string | null, contract: Contract | null): Judging | null {
  if (!isJudging(run) || commit === null) return null
  return {
    commit,
    criteria: isAnswering(run.name) && contract !== null ? openCriteria(contract, 'checker') : [],
    warns: run.name !== ISSUE_VERIFIER,
    contract: contract === null ? '' : contractSection({ ...contract, criteria: contract.criteria.map(forJudges) }),
  }
}

/** Ids of the criteria that somebody other than Muster has to answer now. */
function openCriteria({ criteria }: Contract, judge: 'checker' | 'person'): string[] {
  const open = criteria.filter((one) => one.judge === judge && one.skipped === undefined && one.timing !== 'deferred')
  return open.map(({ id }) => id)
}

/** What a person must answer, whatever a judge says; undefined if nothing. */
export function personalNeeds(contract: Contract | null): string | undefined {
  const ids = contract === null ? [] : openCriteria(contract, 'person')
  return ids.length === 0 ? undefined : `${ids.join(', ')} of its contract can only be answered by a person`
}

/** `changed`: the paths of its checkout that are not as they were; null if that cannot be told. */
export function judgedOutcome(run: RunRecord, outcome: RunOutcome, changed: readonly string[] | null): RunOutcome {
  if (outcome.verdict === 'ERROR') return outcome
  if (changed === null || changed.length > 0) {
    const what = changed === null ? 'is gone' : `was changed (${changed.slice(0, 5).join(', ')})`
    const detail = `the checkout that ${run.name} judged ${what}: a judge changes nothing, so what it says does not count`
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
  const replay = async (outcome: RunOutcome): Promise<RunOutcome> => {
    const commands = quotedCommands(outcome)
    if (commands.length === 0 || stopped) return outcome
    replaying = await start(commands)
    // It may have been stopped meanwhile.
    if (stopped) replaying.stop()
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
    setClock: (running) => worker.setClock(running),
  }
}
