/**
 * The life of an agent's or check's run: a workspace, a prompt, a worker, and its result. Everything that a restart
 * needs is in the run's folder or the store before the worker starts.
 */
import { mkdir, readdir, rm } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ProjectConfig } from '../../domain/config.ts'
import type { Contract } from '../../domain/contract/contract.ts'
import { MusterError, assert } from '../../domain/errors.ts'
import type { RunFacts } from '../../domain/run.ts'
import { servicesNamed } from '../../domain/service.ts'
import { isElaboration, isValidation, subjectId } from '../../domain/task/purpose.ts'
import { taskBranch, type TaskSpec } from '../../domain/task/task.ts'
import type { FindingText } from '../../domain/verdict/verdict.ts'
import type { RunOutcome, RunRequest, Worker } from '../../ports/runtime.ts'
import type { RunRecord, StoredTask } from '../../ports/store.ts'
import type { AttemptBase, Snapshot } from '../../ports/workspaces.ts'
import { isUnchanged, readBeginning, writeBeginning, type Beginning } from '../loop/beginning.ts'
import { budgetLeft, payerOf } from '../loop/budget.ts'
import { confirmChange } from '../loop/contracts.ts'
import { workspaceState } from './retention.ts'
import { drafted } from '../steps/drafted.ts'
import { isPaid } from '../loop/rate-limits.ts'
import { digestOf, isPlanningRun, planned } from '../steps/planning.ts'
import type { EngineParts } from '../loop/parts.ts'
import { Checks, foundBy } from '../steps/checks.ts'
import {
  answersOf,
  deniedBy,
  isJudging,
  judgedOutcome,
  judgingOf,
  mustAnswer,
  subjectOf,
  thenReplayed,
} from '../steps/judging.ts'
import { judgeMaterial } from '../prompts/judge-material.ts'
import { composeJudgePrompt } from '../prompts/judge-prompt.ts'
import { authorPrompt } from '../prompts/author-prompt.ts'
import { agentOf, usedBy, withBudget } from './run-agent.ts'
import { resumableBy, unfinished } from '../loop/resume.ts'
import { endedRun, refusedFor, type EndedRun } from './ended.ts'
import { heardFor } from './heard.ts'

const indexOf = (dir: string): string => join(dir, 'index')

export class Runs {
  readonly #parts: EngineParts
  readonly #checks: Checks

  constructor(parts: EngineParts) {
    this.#parts = parts
    this.#checks = new Checks(parts)
  }

  /** Prompt, log, verdict and exit record of a run: kept. */
  dirOf(runId: string): string {
    return join(this.#parts.dataDir, 'runs', runId)
  }

  /** Where it works: removed once its result is saved. */
  workspaceOf(runId: string): string {
    return join(this.#parts.dataDir, 'workspaces', runId)
  }

  /** After a restart: removes workspaces whose result was stored before anybody could remove them. */
  async sweep(): Promise<void> {
    await this.#parts.golden.sweep()
    await this.#parts.executor.sweep()
    const left = await readdir(join(this.#parts.dataDir, 'workspaces')).catch(() => [])
    const standings = await this.#parts.store.runStandings(left)
    for (const runId of left) if (workspaceState(standings.get(runId)) === 'saved') await this.discard(runId)
  }

  /** Nothing is prepared any more: Muster ends. */
  stop(now: boolean): void {
    this.#parts.golden.stop(now)
  }

  /** Prepares everything and starts the worker. Rejects when the environment does not allow it; the caller makes that ERROR. */
  async start(run: RunRecord, config: ProjectConfig): Promise<Worker> {
    if (run.kind === 'check') return this.#checks.start(run, await this.#task(run), config)
    const { store, workspaces, runtime, golden, probe } = this.#parts
    const task = await this.#task(run)
    const dir = this.dirOf(run.id)
    const workspace = this.workspaceOf(run.id)
    await workspaces.remove(workspace)
    await mkdir(dir, { recursive: true, mode: 0o700 })
    const resumed = await this.#resumed(run, config)
    const base = resumed?.base ?? (await this.#base(run, task))
    const tell = (line: string) => probe.emit({ type: 'output', task: run.taskId, run: run.id, line })
    const { leaveOut } = await workspaces.checkout({
      dir: workspace,
      base,
      branch: taskBranch(task.spec.id),
      index: indexOf(dir),
      golden: await golden.copyFor(
        { base, target: task.spec.target, setup: config.setup, copy: config.copy },
        heardFor(this.#parts, run),
      ),
      copy: { root: this.#parts.projectRoot, paths: config.copy },
    })
    const subject = await subjectOf(store, task)
    const { spec } = subject
    const left = await budgetLeft(this.#parts, payerOf(spec))
    const beginning: Beginning = {
      ...base,
      leaveOut,
      ...(left === null ? {} : { maxBudgetUsd: left }),
      ...(resumed === null ? {} : { resumed: resumed.with }),
    }
    await writeBeginning(dir, beginning)
    const contract = await this.#contract(run)
    const request = this.#request(run, task, config, beginning, contract)
    if (left !== null && left <= 0 && isPaid(request.agent.runtime)) {
      throw new MusterError('waiting', `other runs used up the budget before ${run.id} could start`, {
        hint: 'raise the budget in muster.yaml or in the plan',
      })
    }
    const prompt = isJudging(run)
      ? composeJudgePrompt(await judgeMaterial(this.#parts, request, subject, config, contract))
      : await authorPrompt(this.#parts, request, subject, config, { run, contract, base, resumed: resumed !== null })
    return this.#judged(run, task, config, contract, await runtime.start({ ...request, prompt }, tell))
  }

  /** Of a judge's worker: what it quotes is run again before it is over. */
  #judged(run: RunRecord, task: StoredTask, config: ProjectConfig, contract: Contract | null, worker: Worker): Worker {
    const { commit } = task.state
    if (!isJudging(run) || commit === null || contract === null) return worker
    return thenReplayed(worker, async (commands) =>
      this.#checks.replay(run, await subjectOf(this.#parts.store, task), { commit, contract, config }, commands),
    )
  }

  /** What became of a run while Muster was away. */
  async recover(run: RunRecord, config: ProjectConfig): Promise<RunOutcome | 'missing'> {
    if (run.kind === 'check') return this.#checks.recover(run, await this.#task(run))
    const [task, base, contract] = [await this.#task(run), this.#baseOf(run.id), await this.#contract(run)]
    const outcome = await this.#parts.runtime.recover(this.#request(run, task, config, base, contract))
    if (outcome !== 'missing' && isJudging(run)) await this.#parts.executor.forget(run.id)
    return outcome
  }

  /** What a judge quoted is run again, if its run ended while Muster was away. */
  async replaying(run: RunRecord, outcome: RunOutcome, config: ProjectConfig): Promise<Worker> {
    const over: Worker = { ended: Promise.resolve(outcome), stop() {}, setClock() {} }
    return this.#judged(run, await this.#task(run), config, await this.#contract(run), over)
  }

  /** Saves what the run left and says what it means. A result that cannot be taken as it is fails, whatever its author says. */
  async collect(run: RunRecord, left: RunOutcome, config: ProjectConfig): Promise<EndedRun> {
    if (run.kind === 'check') return endedRun(left, { known: foundBy(run, left, left.findings) })
    const used = usedBy(run, left, config)
    if (isJudging(run)) return this.#judgement(run, left, config, used)
    if (isPlanningRun(run)) {
      const { plan, ...outcome } = planned(left, config.agents[run.name], await this.#changesOf(run.id))
      if (plan === undefined) return endedRun(outcome, { facts: used })
      return endedRun(outcome, { known: { plan: digestOf(plan) }, facts: { ...used, plan } })
    }
    return this.#work(run, left, config, used)
  }

  async #judgement(run: RunRecord, left: RunOutcome, config: ProjectConfig, used: RunFacts): Promise<EndedRun> {
    const outcome = judgedOutcome(run, left, await this.#changesOf(run.id))
    const { criteria } = outcome
    const { spec } = await this.#task(run)
    return endedRun(outcome, {
      known: {
        validates: outcome.validates ?? isValidation(spec),
        answers: await this.#answersOf(run, outcome, config),
        denies: deniedBy(outcome),
      },
      facts: { ...used, ...(criteria === undefined ? {} : { criteria }) },
    })
  }

  /** Of an author: the files it left. */
  async #work(run: RunRecord, left: RunOutcome, config: ProjectConfig, used: RunFacts): Promise<EndedRun> {
    const { spec } = await this.#task(run)
    const { draft, ...outcome } = isElaboration(spec) ? drafted(this.#parts.drafts, run, left) : { ...left }
    const beginning = this.#baseOf(run.id)
    const saved = left.fills === true ? null : await this.#save(run)
    if (outcome.verdict === 'ERROR' || saved === null) {
      if (outcome.verdict !== 'ERROR') throw notSaved(run, beginning)
      const facts = { ...used, ...(await this.#workFacts(run, outcome, beginning, null)) }
      const ended = endedRun(outcome, { facts })
      return { ...ended, end: { ...ended.end, commit: saved?.commit ?? null }, contract: null }
    }
    const { commit } = saved
    const from = beginning?.resumed?.from ?? beginning?.parents.at(-1)
    const contract = from === undefined ? null : await confirmChange(this.#parts, run.taskId, config, from, commit)
    const ended = endedRun(refusedFor(await this.#problems(run, beginning, saved), outcome), {
      known: { commit, unchanged: isUnchanged(beginning, commit) },
      facts: {
        ...used,
        ...(await this.#workFacts(run, outcome, beginning, contract)),
        ...(draft === undefined ? {} : { draft }),
      },
    })
    return { ...ended, end: { ...ended.end, commit }, contract }
  }

  /** What the record of an author's run keeps beside what every run's does. */
  async #workFacts(
    run: RunRecord,
    outcome: RunOutcome,
    beginning: Beginning | null,
    contract: Contract | null,
  ): Promise<RunFacts> {
    const advisory = (contract ?? (await this.#contract(run)))?.type === 'advisory'
    return {
      ...((await this.#owns(run)) ? unfinished(outcome, beginning?.resumed?.session) : {}),
      ...(advisory ? { output: outcome.answer ?? outcome.output ?? '' } : {}),
    }
  }

  /** Whether its task still waits for it: nobody goes on with what a person cancelled. */
  async #owns(run: RunRecord): Promise<boolean> {
    return (await this.#task(run)).state.run?.id === run.id
  }

  /** Where a run starts that goes on with another: from all that one left. Null if it begins anew. */
  async #resumed(run: RunRecord, config: ProjectConfig) {
    const { store, workspaces } = this.#parts
    const program = config.agents[run.name]?.runtime ?? ''
    const last = resumableBy(run, await store.runs(run.taskId), program)
    const before = last === null ? null : this.#baseOf(last.runId)
    const from = before?.resumed?.from ?? before?.parents.at(-1)
    if (last === null || before === null || from === undefined) return null
    const base: AttemptBase = { ...(await workspaces.at(last.commit)), conflicts: before.conflicts }
    return { base, with: { ...last.session, from } }
  }

  /** The contract the run works under: the newest when it started. */
  async #contract(run: RunRecord): Promise<Contract | null> {
    const { spec } = await this.#task(run)
    const all = await this.#parts.store.contracts(subjectId(spec))
    return all.find(({ hash }) => hash === run.contract) ?? null
  }

  async #problems(run: RunRecord, base: AttemptBase | null, { commit, refused }: Snapshot): Promise<FindingText[]> {
    // Markers of ours come with a base that has conflicts: this attempt's, or that of one before.
    const clean = run.attempt === 1 && base?.conflicts.length === 0
    const unresolved = clean ? [] : await this.#parts.workspaces.leftoverMarkers(commit)
    const fail = (file: string, message: string) => ({ severity: 'FAIL' as const, file, message })
    return [
      ...refused.map(({ path, why }) => fail(path, `left out of the result: ${why}`)),
      ...unresolved.map((path) => fail(path, 'still has conflict markers: resolve both sides')),
    ]
  }

  /** Frees the disk once everything is stored. What cannot be removed stops nobody: the next start tries it again. */
  async discard(runId: string): Promise<void> {
    const path = this.workspaceOf(runId)
    await this.#parts.workspaces.remove(path).catch((error: unknown) => {
      this.#parts.probe.emit({ type: 'workspace_left', run: runId, path, error: String(error) })
    })
  }

  /**
   * Tries again to save what a run left whose result could not be saved. Null when what it started from is not known;
   * `unchanged` when its author had changed nothing.
   */
  async saveAgain(run: RunRecord): Promise<(Snapshot & { unchanged: boolean }) | null> {
    const base = this.#baseOf(run.id)
    const saved = await this.#save(run, await this.#freshIndex(run.id))
    return saved && { ...saved, unchanged: isUnchanged(base, saved.commit) }
  }

  /** The paths in which a workspace differs from its base; null when that is not known. */
  async changesOf(runId: string): Promise<string[] | null> {
    const base = this.#baseOf(runId)
    if (base === null) return null
    const changed = await this.#parts.workspaces.changes(this.workspaceOf(runId), base, await this.#freshIndex(runId))
    return changed.filter((path) => !base.leaveOut.some((left) => path === left || path.startsWith(`${left}/`)))
  }

  /** Of one who was to change nothing, and may have removed even that. */
  async #changesOf(runId: string): Promise<string[] | null> {
    return existsSync(this.workspaceOf(runId)) ? this.changesOf(runId) : null
  }

  /** The first index may be what was wrong. */
  async #freshIndex(runId: string): Promise<string> {
    const index = `${indexOf(this.dirOf(runId))}.again`
    for (const file of [index, `${index}.lock`]) await rm(file, { force: true })
    return index
  }

  #baseOf(runId: string): Beginning | null {
    return readBeginning(this.dirOf(runId))
  }

  async #save(run: RunRecord, index = indexOf(this.dirOf(run.id))): Promise<Snapshot | null> {
    const workspace = this.workspaceOf(run.id)
    const beginning = this.#baseOf(run.id)
    if (beginning === null || !existsSync(workspace)) return null
    const { leaveOut, maxBudgetUsd: _budget, resumed: _resumed, ...base } = beginning
    const { spec } = await this.#task(run)
    const message = `${spec.title.replaceAll('\0', ' ')}\n\nTask: ${spec.id}\nAttempt: ${run.attempt}\nRun: ${run.id}\n`
    const { workspaces } = this.#parts
    return workspaces.snapshot({
      dir: workspace,
      base,
      index,
      leaveOut,
      keepAs: run.id,
      message,
      author: run.name,
    })
  }

  async #base(run: RunRecord, { spec, state }: StoredTask): Promise<AttemptBase> {
    const { workspaces } = this.#parts
    if (run.does === 'work' || run.does === 'plan') {
      const head = state.commit ?? ((await this.#hasSubtasks(spec)) ? await this.#subtasksHead(spec.id) : null)
      return workspaces.attemptBase(head, spec.target)
    }
    if (state.commit === null)
      throw new MusterError('failed', `${run.name} has nothing to judge: no attempt left a result`)
    return workspaces.at(state.commit)
  }

  /** A parent depends on its subtasks, and its work starts from what they have landed on its branch. */
  async #hasSubtasks({ id, dependsOn }: TaskSpec): Promise<boolean> {
    for (const dependency of dependsOn) {
      if ((await this.#parts.store.task(dependency))?.spec.parent === id) return true
    }
    return false
  }

  async #subtasksHead(id: string): Promise<string> {
    const head = await this.#parts.workspaces.head(taskBranch(id))
    if (head !== null) return head
    throw new MusterError('git', `the branch ${taskBranch(id)} with the work of the subtasks of ${id} is gone`, {
      hint: `restore it, for example: git branch ${taskBranch(id)} <commit>; then muster retry ${id}`,
    })
  }

  #request(
    run: RunRecord,
    task: StoredTask,
    config: ProjectConfig,
    beginning: Beginning | null,
    contract: Contract | null,
  ): RunRequest {
    const { resumed: { session, usage } = {}, maxBudgetUsd } = beginning ?? {}
    const judging = this.#judging(run, task, config, contract)
    const agent = withBudget(agentOf(run, task, config), maxBudgetUsd)
    return {
      runId: run.id,
      taskId: subjectId(task.spec),
      role: run.name,
      judge: isJudging(run),
      attempt: run.attempt,
      round: run.round,
      nonce: run.nonce,
      prompt: '',
      dir: this.dirOf(run.id),
      workspace: this.workspaceOf(run.id),
      projectRoot: this.#parts.projectRoot,
      agent,
      services: servicesNamed(config, agent.services),
      ...(judging === null ? {} : { judging }),
      ...(session === undefined || usage === undefined ? {} : { resume: { session, usage } }),
    }
  }

  #judging(run: RunRecord, { spec, state }: StoredTask, config: ProjectConfig, contract: Contract | null) {
    return judgingOf(run, state.commit, contract, mustAnswer(run.name, spec, config))
  }

  async #answersOf(run: RunRecord, outcome: RunOutcome, config: ProjectConfig): Promise<readonly string[]> {
    const judging = this.#judging(run, await this.#task(run), config, await this.#contract(run))
    return answersOf(judging ?? undefined, outcome)
  }

  async #task(run: RunRecord): Promise<StoredTask> {
    const task = await this.#parts.store.task(run.taskId)
    assert(task !== null, `run ${run.id} belongs to a stored task`)
    return task
  }
}

function notSaved(run: RunRecord, beginning: Beginning | null): MusterError {
  const why = beginning === null ? 'the commit that it started from can no longer be read' : 'its workspace is gone'
  return new MusterError('failed', `the result of ${run.id} could not be saved: ${why}`)
}
