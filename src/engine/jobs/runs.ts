/**
 * The life of an agent's or check's run: a workspace, a prompt, a worker, and what it came to. Everything a restart needs
 * is in the run's folder or the store before the worker starts.
 */
import { mkdir, readdir, rm } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ProjectConfig } from '../../domain/config.ts'
import type { Contract } from '../../domain/contract/contract.ts'
import { MusterError, assert, systemFailure } from '../../domain/errors.ts'
import type { RunFacts } from '../../domain/run.ts'
import { servicesNamed } from '../../domain/service.ts'
import { POST_DEPLOY } from '../../domain/story/story-work.ts'
import type { TaskSpec } from '../../domain/task/task.ts'
import { taskBranch } from '../../domain/task/task.ts'
import type { StepResult } from '../../domain/task/event.ts'
import type { FindingText } from '../../domain/verdict/verdict.ts'
import { isAuthor, isJudge, outcomeOf } from '../../domain/verdict/verdict.ts'
import type { RunOutcome, RunRequest, Worker } from '../../ports/runtime.ts'
import type { RunEnd, RunRecord, StoredTask } from '../../ports/store.ts'
import type { AttemptBase, Snapshot } from '../../ports/workspaces.ts'
import { isUnchanged, readBeginning, writeBeginning, type Beginning } from '../loop/beginning.ts'
import { budgetLeft, payerOf } from '../loop/budget.ts'
import { confirmChange } from '../loop/contracts.ts'
import { workspaceState } from './retention.ts'
import { drafted, ELABORATOR } from '../steps/drafted.ts'
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
import { heardFor } from './heard.ts'

export interface EndedRun {
  result: StepResult
  end: Omit<RunEnd, 'at'>
  /** In force from now on: what the run changed added criteria. */
  contract?: Contract | null
}

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
      throw new MusterError('waiting', `the budget was used up by others before ${run.id} could start`, {
        hint: 'raise it in muster.yaml or in the plan',
      })
    }
    const prompt = isJudging(run)
      ? composeJudgePrompt(await judgeMaterial(this.#parts, request, subject, config, contract))
      : await authorPrompt(this.#parts, request, subject, config, { contract, base, resumed: resumed !== null })
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
    if (run.kind === 'check') return this.#checks.recover(run)
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
    const judge = isJudging(run)
    const author = run.kind === 'agent' && isAuthor(run.name)
    const plans = isPlanningRun(run) ? planned(left, config.agents[run.name], await this.#changesOf(run.id)) : null
    const drafts = author && run.name === ELABORATOR ? drafted(this.#parts.drafts, run, left) : null
    const outcome = judge ? judgedOutcome(run, left, await this.#changesOf(run.id)) : (drafts ?? plans ?? left)
    const beginning = author ? this.#baseOf(run.id) : null
    const saved = author && left.fills !== true ? await this.#save(run) : null
    if (author && saved === null && outcome.verdict !== 'ERROR') {
      const why = beginning === null ? 'what it began from cannot be read any more' : 'its workspace is gone'
      throw new MusterError('failed', `the result of ${run.id} could not be saved: ${why}`)
    }
    const { crashed, interrupted, exit, sandbox, results, hold, validates, retryAt } = outcome
    const problems = saved === null || outcome.verdict === 'ERROR' ? [] : await this.#problems(run, beginning, saved)
    const from = outcome.verdict === 'ERROR' ? undefined : (beginning?.resumed?.from ?? beginning?.parents.at(-1))
    const contract =
      saved === null || from === undefined
        ? null
        : await confirmChange(this.#parts, run.taskId, config, from, saved.commit)
    const failed = problems.length > 0
    const verdict = failed ? 'FAIL' : outcome.verdict
    const detail = failed
      ? ['the result cannot be taken as it is', outcome.detail].filter(Boolean).join(': ')
      : outcome.detail
    const findings = [...problems, ...outcome.findings]
    const result: StepResult = {
      outcome: outcomeOf(verdict),
      verdict,
      detail,
      findings,
      crashed,
      interrupted,
      limited: outcome.verdict === 'ERROR' && retryAt !== undefined,
      sandbox,
      hold,
      validates: validates ?? (judge && run.name === POST_DEPLOY),
      ...(judge ? { answers: await this.#answersOf(run, outcome, config), denies: deniedBy(outcome) } : {}),
      ...foundBy(run, outcome, findings),
      ...(plans?.plan === undefined ? {} : { plan: digestOf(plans.plan) }),
    }
    const commit = saved?.commit ?? null
    const advisory = author && (contract ?? (await this.#contract(run)))?.type === 'advisory'
    const facts: RunFacts = {
      ...usedBy(run, outcome, config),
      ...(author && (await this.#owns(run)) ? unfinished(outcome, beginning?.resumed?.session) : {}),
      ...(sandbox === undefined ? {} : { sandbox }),
      ...(advisory ? { output: outcome.answer ?? outcome.output ?? '' } : {}),
      ...(results === undefined ? {} : { results }),
      ...(drafts?.draft === undefined ? {} : { draft: drafts.draft }),
      ...(plans?.plan === undefined ? {} : { plan: plans.plan }),
      ...(outcome.criteria === undefined ? {} : { criteria: outcome.criteria }),
    }
    return {
      result:
        commit !== null && verdict !== 'ERROR'
          ? { ...result, commit, unchanged: isUnchanged(beginning, commit) }
          : result,
      end: { outcome: result.outcome, verdict, detail, commit, exit, facts },
      contract,
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
    const all = await this.#parts.store.contracts(spec.checkerFor ?? spec.id)
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
    if (run.kind === 'agent' && !isJudge(run.name)) {
      const head = state.commit ?? ((await this.#hasSubtasks(spec)) ? await this.#subtasksHead(spec.id) : null)
      return workspaces.attemptBase(head, spec.target)
    }
    if (state.commit === null)
      throw new MusterError('failed', `${run.name} has nothing to judge: no attempt has left a result`)
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
    throw new MusterError('git', `the branch ${taskBranch(id)}, with what the subtasks of ${id} landed, is gone`, {
      hint: `bring it back, for example: git branch ${taskBranch(id)} <commit>; then muster retry ${id}`,
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
      taskId: task.spec.checkerFor ?? run.taskId,
      role: run.name,
      judge: isJudge(run.name),
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

/** A step that could not be carried out at all is ERROR, in the words of what went wrong. */
export function errorResult(error: unknown, facts: RunFacts = {}): EndedRun {
  const known = error instanceof MusterError ? error : systemFailure(error)
  const detail = known?.message ?? (error instanceof Error ? error.message : String(error))
  const hint = known?.hint === undefined ? '' : ` (${known.hint})`
  return {
    result: { outcome: 'ERROR', verdict: 'ERROR', detail: detail + hint, findings: [] },
    end: { outcome: 'ERROR', verdict: 'ERROR', detail: detail + hint, commit: null, exit: null, facts },
  }
}
