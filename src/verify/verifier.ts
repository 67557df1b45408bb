/**
 * The Verifier port: answers every criterion of a contract that a machine can judge, one after the other, each in a
 * clean checkout of the exact commit, compared with the same command on the base where that matters. It only finds out;
 * the engine decides what follows.
 */
import type { Reason } from '../domain/task/reasons.ts'
import { isTestCheck } from '../tools/checks.ts'
import type { CheckConfig, SandboxKind } from '../domain/config.ts'
import type { Criterion } from '../domain/contract/contract.ts'
import { assert } from '../domain/errors.ts'
import type { CriterionResult, CriterionStatus, Results } from '../domain/verdict/evidence.ts'
import { NO_CHANGE, PROTECTED, tallyOf, tallyText } from '../domain/verdict/evidence.ts'
import { checkTimeoutMs } from '../domain/limits.ts'
import type { FindingText, Verdict } from '../domain/verdict/verdict.ts'
import type { Hear, Job, JobResult } from '../ports/executor.ts'
import type { RunOutcome, Worker } from '../ports/runtime.ts'
import type { Verifier, VerifyRequest } from '../ports/verifier.ts'
import { type Answer, answerOf, outcomeOf, plainResult, type Runs } from './answer.ts'
import { checkAssertion } from './assertion.ts'
import { cacheKey } from './cache-key.ts'
import { asTheyWere, compared, mended, removedTests, withoutNames } from './changed-tests.ts'
import type { Combined } from './combine.ts'
import { combine } from './combine.ts'
import { concerns, untouchedWords } from './concern.ts'
import { criteriaOf, projectFiles } from './criteria.ts'
import { checkEnd, type Command, type ExecuteParts, hasTests, jobOf, runsTests } from './execute.ts'
import { judgeRun, type RunRules } from './judge-run.ts'
import { unloaded } from './loading.ts'
import { likelyMend } from './mend.ts'
import { type Judging, judgesFiles, protectedPaths } from './protected.ts'
import { replay } from './replay.ts'
import type { Trusted } from './script-file.ts'
import { resolveCheck } from './services.ts'
import { type NotShown, notShown, type Tree, treeOf } from './shown.ts'
import { trustedBytesMax, trustedSides } from './trusted.ts'

interface VerifierParts extends ExecuteParts {
  /** Lets one at a time through for each word. */
  exclusive<T>(word: string, work: () => Promise<T>): Promise<T>
}

export function verifier(parts: VerifierParts): Verifier {
  const trusted = trustedSides(parts)
  return {
    replay: (request, hear) => replay(parts, trusted, request, hear),
    start: (request, hear) => new Verifying(parts, trusted, request, hear),
  }
}

/** What would tell more: the same on the base, or the same once more. What cannot change the answer is not run. */
function nextRun(
  { outcome, runAgain }: Combined,
  isCompared: boolean,
  { tests, kind }: RunRules,
): 'base' | 'again' | null {
  // A green type check stays green whatever the base was.
  if (!isCompared && outcome !== 'error' && (tests || kind === 'goal' || outcome === 'fail')) return 'base'
  return runAgain ? 'again' : null
}

class Verifying implements Worker {
  readonly ended: Promise<RunOutcome>
  readonly #parts: VerifierParts
  readonly #request: VerifyRequest
  readonly #hear: Hear
  readonly #trees = new Map<string, string>()
  readonly #known = new Map<string, Runs>()
  readonly #sideOf: ReturnType<typeof trustedSides>
  /** What is judged, each file read once. */
  readonly #tree: Tree
  #trusted: Trusted | null = null
  #changed: readonly string[] = []
  readonly #judging: Judging
  #job: Job | null = null
  #stopping: 'no' | 'gently' | 'now' = 'no'
  #clockRuns = true
  #count = 0
  #sandbox: SandboxKind | null = null

  constructor(parts: VerifierParts, sideOf: ReturnType<typeof trustedSides>, request: VerifyRequest, hear: Hear) {
    this.#parts = parts
    this.#sideOf = sideOf
    this.#request = request
    this.#hear = hear
    this.#judging = { files: new Set(), scripts: new Set(), loose: false, listed: request.config.protectedPaths }
    this.#tree = treeOf(parts.workspaces, request.commit)
    this.ended = this.#verify().catch((error: unknown) => this.#broken(error))
  }

  stop(now = false): void {
    if (this.#stopping !== 'now') this.#stopping = now ? 'now' : 'gently'
    this.#job?.stop(now)
  }

  setClock(running: boolean): void {
    this.#clockRuns = running
    this.#job?.setClock(running)
  }

  async #verify(): Promise<RunOutcome> {
    const { contract, only, commit, base, waived, whole = false } = this.#request
    const { workspaces } = this.#parts
    const changed = await workspaces.changed(base, commit)
    this.#changed = changed
    await this.#treeOf(commit)
    const trusted = this.#sideOf(base, new Set(changed))
    this.#trusted = trusted
    const must = only === null && contract.type === 'verifiable' && !whole && !waived.includes(NO_CHANGE)
    if (must && changed.length === 0) return this.#nothingChanged()
    const answers: Answer[] = []
    for (const criterion of await criteriaOf(this.#request, trusted)) {
      if (this.#stopping !== 'no') return this.#interrupted()
      const answer = await this.#answer(criterion)
      if (answer === null) return this.#interrupted()
      answers.push(answer)
    }
    for (const file of await judgesFiles(this.#request.config, trusted)) this.#judging.files.add(file)
    const now = (path: string) => workspaces.read(commit, path, trustedBytesMax)
    const touched = only === null ? await protectedPaths(trusted, now, changed, this.#judging) : []
    return this.#outcome(answers, touched)
  }

  /** Null: it was stopped. */
  async #answer(criterion: Criterion): Promise<Answer | null> {
    const { id, activity, skipped, judge: by, timing, command, assertion } = criterion
    const { waived, deferred } = this.#request
    const plain = (status: CriterionStatus, error: string | null = null): Answer => {
      return { result: plainResult(criterion, status, error), findings: [], needsPerson: false }
    }
    if (skipped !== undefined) return plain('skipped', skipped)
    if (waived.includes(id)) return plain('waived')
    if (by !== 'machine') return plain('pending')
    if (timing === 'deferred' && deferred) return plain('deferred')
    if (assertion !== undefined) {
      const wrong = await checkAssertion(this.#parts.workspaces, this.#request.commit, assertion)
      const answer = plain(wrong === null ? 'pass' : 'fail', wrong)
      return {
        ...answer,
        findings: wrong === null ? [] : [{ severity: 'FAIL', message: wrong, file: assertion.path }],
      }
    }
    if (command === undefined)
      return plain('error', `the project has no tool for ${activity}; set checks.${activity} in muster.yaml to run it`)
    const untouched = this.#untouched(criterion)
    if (untouched !== null) {
      // Its own files judge later work, whether or not it is run for this one.
      await this.#resolve(criterion, command)
      return plain('skipped', untouchedWords(untouched))
    }
    return this.#run(criterion, command)
  }

  /**
   * The paths of a guard that this change does not concern. What somebody asks for by name, and what is said about a
   * file, is always run; so is everything where nobody can say what was changed.
   */
  #untouched({ activity, command, kind, pattern }: Criterion): readonly string[] | null {
    const check = this.#request.config.checks[activity]
    const named = this.#request.only !== null || kind === 'goal' || pattern !== undefined
    if (named || check?.paths === undefined || check.run !== command || this.#changed.length === 0) return null
    return concerns(check.paths, this.#changed) ? null : check.paths
  }

  /** What is run for it, from the base; what that needs to judge is protected from here on. */
  async #resolve({ activity }: Criterion, run: string) {
    const { config } = this.#request
    const check = config.checks[activity]
    const own: CheckConfig | undefined = check?.run === run ? check : undefined
    assert(this.#trusted !== null, 'what was changed is known before anything runs')
    const { resolved, services } = await resolveCheck(run, own, config, this.#trusted)
    for (const file of resolved.files) this.#judging.files.add(file)
    for (const script of resolved.scripts) this.#judging.scripts.add(script)
    this.#judging.loose ||= resolved.loose
    return { own, resolved, services }
  }

  async #run(criterion: Criterion, run: string): Promise<Answer | null> {
    const { own, resolved, services } = await this.#resolve(criterion, run)
    const command: Command = {
      resolved,
      services,
      shown: own?.cwd ? `cd ${own.cwd} && ${run}` : run,
      env: own?.env ?? [],
      timeoutMs: this.#request.timeoutMs ?? own?.timeoutMs ?? checkTimeoutMs,
      network: own?.network ?? true,
      report: own?.report ?? null,
      tests: isTestCheck(criterion.activity),
    }
    const work = () => this.#judge(criterion, command)
    return own?.exclusive == null ? work() : this.#parts.exclusive(own.exclusive, work)
  }

  async #judge(criterion: Criterion, command: Command): Promise<Answer | null> {
    const { commit, base } = this.#request
    const { kind, activity } = criterion
    const here = await this.#runs(command, commit)
    const tests = isTestCheck(activity) || runsTests(command) || (here?.executions ?? []).some(hasTests)
    const rules = { tests, kind, network: command.network }
    let before: Runs | null = null
    for (;;) {
      if (here === null) return null
      const judged = here.executions.map((run) => judgeRun(run, criterion, before?.executions ?? [], rules))
      const said = combine(judged)
      const next = nextRun(said, before !== null, rules)
      if (next === null) return this.#conclude(criterion, command, { here, before }, said, rules)
      if (next === 'base') {
        before = await this.#runs(command, base, 'on the target, without the change')
        if (before === null) return null
      } else {
        const again = await this.#once(command, commit, 'again')
        if (again === null) return null
        here.executions.push(again)
        here.reused = false
      }
    }
  }

  /** All runs are there that could change the answer. */
  async #conclude(
    criterion: Criterion,
    command: Command,
    { here, before }: { here: Runs; before: Runs | null },
    said: Combined,
    rules: RunRules,
  ): Promise<Answer | null> {
    for (const runs of [here, ...(before === null ? [] : [before])]) await this.#keep(runs, criterion, rules)
    const named = !rules.tests || here.executions.some(hasTests)
    const sure = await this.#compareTests(command, before, said, named)
    if (sure === null) return null
    const mend = sure.unloaded === null ? null : await this.#mend()
    const unshown = sure.outcome === 'pass' && rules.tests ? await this.#notShown(criterion, command, here) : null
    return answerOf(criterion, command, { here, before, mend, unshown }, sure, this.#request.commit)
  }

  /** Whether tests that were red are green because of the code, or only because they were changed or removed. */
  async #compareTests(command: Command, before: Runs | null, said: Combined, named: boolean): Promise<Combined | null> {
    assert(this.#trusted !== null, 'what was changed is known before anything runs')
    if (said.outcome !== 'pass') return said
    const removed = named ? [] : await removedTests(this.#changed, this.#trusted, this.#tree)
    if (removed.length > 0) return withoutNames(said, removed)
    const tests = before === null ? [] : mended(before.executions, said)
    const restored = tests.length === 0 ? [] : await asTheyWere(this.#changed, this.#trusted)
    if (restored.length === 0) return said
    const why = 'with the tests as they are on the target'
    const was = await this.#runs({ ...command, restored }, this.#request.commit, why)
    return was === null ? null : compared(said, tests, was.executions)
  }

  /** What a green run does not show about the file that the criterion names. */
  #notShown(criterion: Criterion, { resolved }: Command, { executions }: Runs): Promise<NotShown | null> {
    const last = executions.at(-1)
    const report = last?.report ?? null
    const tests = report !== null && 'tests' in report ? report.tests : null
    const shownBy = { tests, cwd: resolved.cwd, covered: last?.covered ?? [] }
    return notShown(criterion, this.#request.contract, this.#changed, shownBy, this.#tree)
  }

  async #mend(): Promise<string> {
    assert(this.#trusted !== null, 'what was changed is known before anything runs')
    const { paths, textOf } = await projectFiles(this.#trusted)
    return likelyMend(this.#request.config.setup, paths, textOf)
  }

  /** The runs of a command on a commit: those that another criterion had, kept ones, or a first. */
  async #runs(command: Command, commit: string, why = ''): Promise<Runs | null> {
    const tree = await this.#treeOf(commit)
    const key = await cacheKey(this.#parts, command, tree, this.#request.config)
    const runs = this.#known.get(key) ?? (await this.#kept(key, tree))
    if (runs !== null) return runs
    const first = await this.#once(command, commit, why)
    if (first === null) return null
    const begun = { key, tree, executions: [first], reused: false }
    this.#known.set(key, begun)
    return begun
  }

  async #kept(key: string, tree: string): Promise<Runs | null> {
    const stored = await this.#parts.cache.evidence(key)
    const executions = JSON.parse(stored ?? '[]') as JobResult[]
    const red = executions.some((run) => checkEnd(run).exitCode !== 0)
    if (stored === null || (red && this.#request.whole === true)) return null
    return { key, tree, executions, reused: true }
  }

  /** For later verifications. What could not be found out, did not load, or came out now so, now so, is no evidence. */
  async #keep({ key, executions, reused }: Runs, criterion: Criterion, rules: RunRules): Promise<void> {
    const judged = executions.map((run) => judgeRun(run, criterion, [], { ...rules, kind: 'goal' }))
    const loads = !rules.tests || executions.every((run) => unloaded(checkEnd(run)) === null)
    if (!reused && loads && combine(judged).outcome !== 'error')
      await this.#parts.cache.keepEvidence(key, JSON.stringify(executions))
  }

  async #treeOf(commit: string): Promise<string> {
    const tree = this.#trees.get(commit) ?? (await this.#parts.workspaces.at(commit)).tree
    this.#trees.set(commit, tree)
    return tree
  }

  async #once(command: Command, commit: string, why = ''): Promise<JobResult | null> {
    const title = `${command.shown}${why === '' ? '' : `   # ${why}`}`
    this.#hear({ type: 'line', line: `$ ${title}` })
    const job = this.#parts.executor.start(
      jobOf(this.#request, command, { commit, n: ++this.#count, title }),
      this.#hear,
    )
    this.#job = job
    if (!this.#clockRuns) job.setClock(false)
    if (this.#stopping !== 'no') job.stop(this.#stopping === 'now')
    const ran = await job.ended
    this.#sandbox ??= ran.sandbox
    return ran.end.is === 'stopped' || this.#stopping !== 'no' ? null : ran
  }

  #outcome(answers: readonly Answer[], touched: readonly string[]): RunOutcome {
    const criteria = answers.map(({ result }) => result)
    const said = outcomeOf(answers, this.#request.waived.includes(PROTECTED) ? [] : touched)
    return this.#ended(said, criteria, { protectedPaths: touched })
  }

  #nothingChanged(): RunOutcome {
    const detail = 'no change: the result equals what it started from'
    return this.#ended({ verdict: 'FAIL', detail }, this.#all('fail', 'no change'), { unchanged: true })
  }

  #interrupted(): RunOutcome {
    const detail = 'interrupted: stopped from outside'
    const { results: _none, ...ended } = this.#ended({ verdict: 'ERROR', detail }, [])
    return { ...ended, exit: 'stopped', interrupted: true }
  }

  #broken(error: unknown): RunOutcome {
    const why = error instanceof Error ? error.message : String(error)
    return this.#ended({ verdict: 'ERROR', detail: `it could not be verified: ${why}` }, this.#all('error', why))
  }

  /** The same about everything that was to be found out here. */
  #all(status: 'fail' | 'error', why: string): CriterionResult[] {
    const { contract } = this.#request
    return contract.criteria
      .filter(({ judge, skipped }) => judge === 'machine' && skipped === undefined)
      .map((criterion) => plainResult(criterion, status, why))
  }

  #ended(
    said: { verdict: Verdict; detail: string; findings?: FindingText[]; hold?: Reason | null },
    criteria: readonly CriterionResult[],
    more: Partial<Results> = {},
  ): RunOutcome {
    const { contract, commit, base } = this.#request
    const { verdict, detail, findings = [], hold = null } = said
    const sandbox = this.#sandbox
    const overall = verdict === 'PASS' ? 'pass' : verdict === 'FAIL' ? 'fail' : 'error'
    const completedAt = new Date(this.#parts.now()).toISOString()
    const tree = this.#trees.get(commit) ?? ''
    const results: Results = {
      overall,
      contract: contract.hash,
      commit,
      tree,
      base,
      criteria,
      protectedPaths: [],
      completedAt,
      ...more,
    }
    return {
      verdict,
      detail,
      findings,
      exit: tallyText(tallyOf(criteria)),
      output: '',
      results,
      crashed: false,
      interrupted: false,
      ...(hold === null ? {} : { hold }),
      ...(sandbox === null ? {} : { sandbox }),
    }
  }
}
