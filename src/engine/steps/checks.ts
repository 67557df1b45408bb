/**
 * `check contract` and `check <name>`: the task's snapshot merged onto its target, verified in clean checkouts. What is
 * judged is what would land.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { ProjectConfig } from '../../domain/config.ts'
import { MusterError } from '../../domain/errors.ts'
import { NO_CHANGE, PROTECTED, excusedTests } from '../../domain/verdict/evidence.ts'
import { phaseNamed } from '../../domain/task/phase-map.ts'
import type { Contract } from '../../domain/contract/contract.ts'
import { CONTRACT, taskBranch, type TaskSpec, type TaskState } from '../../domain/task/task.ts'
import type { Facts, StepResult } from '../../domain/task/event.ts'
import type { FindingText } from '../../domain/verdict/verdict.ts'
import type { JobTree } from '../../ports/executor.ts'
import type { RunOutcome, Worker } from '../../ports/runtime.ts'
import type { RunRecord, StoredTask } from '../../ports/store.ts'
import type { Replaying } from '../../ports/verifier.ts'
import { commandFor } from '../../domain/story/story-work.ts'
import { servedStory } from '../../domain/task/purpose.ts'
import { unmerged } from './actions/merge.ts'
import { startDeploy } from './deploys.ts'
import { printsOf } from '../jobs/prints.ts'
import type { EngineParts } from '../loop/parts.ts'
import { heardFor } from '../jobs/heard.ts'

/** What a judge's run judged, and under what. */
interface Judged {
  commit: string
  contract: Contract
  config: ProjectConfig
}

export class Checks {
  readonly #parts: EngineParts

  constructor(parts: EngineParts) {
    this.#parts = parts
  }

  async start(run: RunRecord, { spec, state }: StoredTask, config: ProjectConfig): Promise<Worker> {
    const { store, workspaces, verifier, dataDir } = this.#parts
    const command = commandFor(spec, run.name)
    if (command !== null) {
      return startDeploy(this.#parts, { run, command }, { spec, state }, config)
    }
    if (state.commit === null)
      throw new MusterError('failed', `${run.name} has nothing to judge: no attempt left a result`)
    const contract = (await store.contracts(spec.id)).find(({ hash }) => hash === run.contract)
    if (contract === undefined) throw new MusterError('failed', `${spec.id} has no contract`)
    const merged = await workspaces.merge(spec.target, state.commit, false)
    if (merged.kind === 'missing') throw new MusterError('git', merged.detail)
    if (merged.kind === 'conflict' || merged.kind === 'rewritten')
      return over(sentBack(unmerged(spec.target, merged), merged.kind))
    const commit = merged.kind === 'merged' ? await merged.commit(`Verify ${spec.id}\n`) : merged.commit
    // A run has a folder, also if nothing had to be run: without one, its log would count as removed.
    await mkdir(join(dataDir, 'runs', run.id), { recursive: true, mode: 0o700 })
    return verifier.start(
      {
        runId: run.id,
        taskId: spec.id,
        attempt: run.attempt,
        contract,
        only: run.name === CONTRACT ? null : run.name,
        commit,
        base: merged.kind === 'merged' ? merged.old : await this.#beginning(spec, state, commit),
        config,
        waived: state.waiver?.commit === state.commit ? state.waiver.criteria : [],
        timeoutMs: phaseNamed(spec.phases, run.phase)?.timeoutMs ?? null,
        deferred: spec.story !== null,
        whole: servedStory(spec) !== null,
        tree: treeOf(spec, config),
      },
      heardFor(this.#parts, run),
    )
  }

  /**
   * What the work of a whole story, judged where it is, began from; what a forge has merged, from the target before that.
   * What somebody else brought there, from what it was merged onto when it was verified. Other work that is on its target
   * already changes nothing.
   */
  async #beginning(spec: TaskSpec, { landed, verified }: TaskState, commit: string): Promise<string> {
    const { store, workspaces } = this.#parts
    const served = servedStory(spec)
    if (served === null && landed !== null) return (await workspaces.find(`${landed}^1`))?.commit ?? commit
    if (served === null && verified?.base !== undefined) return verified.base
    const story = served === null ? null : await store.story(served)
    const head = story === null ? null : await workspaces.head(story.base)
    return (head === null ? null : await workspaces.mergeBase(head, commit)) ?? commit
  }

  /** What a judge quotes, on the commit it judged. */
  async replay(run: RunRecord, { spec }: StoredTask, judged: Judged, commands: string[]): Promise<Replaying> {
    const { workspaces, verifier } = this.#parts
    const { commit, contract, config } = judged
    const head = await workspaces.head(spec.target)
    const base = (head === null ? null : await workspaces.mergeBase(head, commit)) ?? commit
    const { id: runId, attempt, name: role } = run
    const tree = treeOf(spec, config)
    return verifier.replay(
      { runId, taskId: spec.id, attempt, role, contract, commit, base, config, commands, tree },
      heardFor(this.#parts, run),
    )
  }

  /** It begins anew: what it had found out is kept by tree, so that costs nothing. */
  async recover(run: RunRecord, { spec }: StoredTask): Promise<'missing'> {
    // A deploy is found again where it was left.
    if (commandFor(spec, run.name) !== null) return 'missing'
    await this.#parts.executor.forget(run.id)
    return 'missing'
  }
}

/** What a task's commits are checked out as. */
function treeOf({ id, target }: TaskSpec, { setup, copy }: ProjectConfig): Omit<JobTree, 'commit'> {
  return { branch: taskBranch(id), target, setup, copy }
}

/** What a landing would say now, before anything is run. */
function sentBack({ detail, findings }: StepResult, exit: string): RunOutcome {
  const ended = { exit, output: '', crashed: false, interrupted: false }
  // The target moves on by itself: that it does so again says nothing about the author.
  return { verdict: 'FAIL', detail, findings: [...findings], prints: [], ...ended }
}

function over(outcome: RunOutcome): Worker {
  return { ended: Promise.resolve(outcome), stop() {}, setClock() {} }
}

/** What a verification means for the task's state. A check of its own says nothing about the contract. */
export function foundBy(
  run: RunRecord,
  { results, hold, prints: said }: Pick<RunOutcome, 'results' | 'hold' | 'prints'>,
  findings: readonly FindingText[],
): Pick<Facts, 'verified' | 'unmet' | 'prints'> {
  if (results === undefined) return said === undefined ? {} : { prints: said }
  const failed = printsOf(results, findings)
  // What is no criterion's failure, such as a conflict or no change at all, is told by its findings.
  const prints = failed.length === 0 ? {} : { prints: failed }
  if (run.name !== CONTRACT) return prints
  const unmet = results.criteria.filter(({ status }) => status === 'fail' || status === 'error').map(({ id }) => id)
  const touched = [
    ...(results.protectedPaths.length > 0 ? [PROTECTED] : []),
    ...(results.unchanged === true ? [NO_CHANGE] : []),
  ]
  const { tree, contract, base, overall } = results
  return {
    ...prints,
    unmet: [...unmet, ...touched],
    ...(overall === 'pass' && hold === undefined
      ? { verified: { tree, contract, base, excused: excusedTests(results).length } }
      : {}),
  }
}
