/**
 * Whether Muster can verify the project at all: runs the setup and each check once on the head of the base, in clean
 * checkouts, as a task's verification would. The results are stored as evidence, so that the first task need not repeat
 * them. It changes nothing else.
 */
import { configuredCommands, partsOf } from '../../tools/checks.ts'
import type { ProjectConfig } from '../../domain/config.ts'
import type { Contract } from '../../domain/contract/contract.ts'
import { MusterError } from '../../domain/errors.ts'
import type { CriterionResult, Evidence } from '../../domain/verdict/evidence.ts'
import { FACT_FILES, factsOf } from '../../tools/facts.ts'
import { TOOLS } from '../../domain/tool.ts'
import { factBytesMax } from '../../domain/limits.ts'
import { scriptParts } from '../../tools/script-parts.ts'
import { taskBranch } from '../../domain/task/task.ts'
import type { Hear } from '../../ports/executor.ts'
import type { AttemptBase } from '../../ports/workspaces.ts'
import type { EngineParts } from '../loop/parts.ts'
import { foundText } from '../../domain/verdict/gist.ts'
import { tellingLine } from '../../domain/verdict/telling-line.ts'
import type { FindingText } from '../../domain/verdict/verdict.ts'

/** `unclear`: it could not start, or did not end. */
type ProofResult = 'green' | 'red' | 'flaky' | 'unclear'

export interface ProvenCheck {
  name: string
  command: string
  result: ProofResult
  /** Null where its runner says nothing of tests. */
  counts: Evidence['counts']
  durationMs: number
  /** Known from an earlier try of the same. */
  reused: boolean
  /** In one line, unless it is green. */
  why: string | null
  /** The command that it is what is left of, without the parts that are of no use on the base. */
  leftOf?: { command: string; without: readonly string[] }
}

/**
 * Red tests that are named leave the check of use: what fails on the base in the same way is excused, and counted. So does
 * a flake: work whose check is red and green waits for a person, and without the check nobody would look.
 */
export const isUsable = ({ result, counts }: Pick<ProvenCheck, 'result' | 'counts'>): boolean =>
  result === 'green' ||
  result === 'flaky' ||
  (result === 'red' && counts !== null && counts.failed > 0 && counts.failed < counts.executed)

export interface Proof {
  /** The commit of the base that was tried. */
  commit: string
  setup: { command: string; ok: boolean; durationMs: number; why: string | null } | null
  /** Empty if the setup failed. */
  checks: readonly ProvenCheck[]
}

interface Trying {
  /** What is tried now: `setup`, or the name of a check. */
  what: string
  line: string
}

export interface ProveOptions {
  /** Whatever runs is ended, and what is known by then is the answer. */
  signal: AbortSignal
  /** Look for the part of a useless test command that can be used. */
  takeApart?: boolean
}

export async function proveProject(
  parts: EngineParts,
  tell: (trying: Trying) => void,
  { signal, takeApart = false }: ProveOptions,
): Promise<Proof> {
  const { workspaces, config, clock } = parts
  await workspaces.sync()
  const commit = await workspaces.head(config.base)
  if (commit === null) throw new MusterError('not_found', `the branch ${config.base} has no commit`)
  await parts.golden.sweep()
  signal.addEventListener('abort', () => parts.golden.stop(true), { once: true })
  const base = await workspaces.at(commit)
  const begun = clock.steady()
  const setup = await trySetup(parts, base, (line) => tell({ what: 'setup', line }))
  const proof: Proof = {
    commit,
    setup: setup === null ? null : { ...setup, durationMs: clock.steady() - begun },
    checks: [],
  }
  if (setup?.ok === false) return proof
  const { commands, testParts } = await commandsAt(parts, commit)
  const checks: ProvenCheck[] = []
  for (const [name, command] of Object.entries(commands)) {
    if (signal.aborted) break
    const told = (line: string) => tell({ what: name, line })
    const tryOne = (run: string): Promise<ProvenCheck | null> =>
      tryCheck({ ...parts, config: withRun(config, name, run) }, commit, { name, command: run }, told, signal)
    const proven = await tryOne(command)
    const partly = takeApart && name === 'unit-test' && proven !== null && !isUsable(proven)
    const left = partly ? await leftOf(command, testParts, tryOne) : null
    if (proven !== null) checks.push(left ?? proven)
  }
  return { ...proof, checks }
}

function withRun(config: ProjectConfig, name: string, run: string): ProjectConfig {
  const check = config.checks[name]
  return check === undefined ? config : { ...config, checks: { ...config.checks, [name]: { ...check, run } } }
}

/** What is left of a command without the parts that are of no use: each is tried behind those that are. */
async function leftOf(
  command: string,
  parts: readonly string[],
  tryOne: (run: string) => Promise<ProvenCheck | null>,
): Promise<ProvenCheck | null> {
  let left: ProvenCheck | null = null
  const without: string[] = []
  for (const part of parts) {
    const proven = await tryOne(left === null ? part : `${left.command} && ${part}`)
    if (proven === null) return null
    if (isUsable(proven)) left = proven
    else without.push(part)
  }
  // Without a number of tests nobody knows whether the tests are among what is left.
  return left === null || (left.counts?.executed ?? 0) === 0 ? null : { ...left, leftOf: { command, without } }
}

/** What tasks are verified by: the checks of muster.yaml, and what else the project has the tool for. */
async function commandsAt(
  { workspaces, config }: EngineParts,
  commit: string,
): Promise<{ commands: Record<string, string>; testParts: string[] }> {
  const paths = await workspaces.files(commit)
  const texts = new Map<string, string | null>()
  for (const path of paths.filter((each) => FACT_FILES.test(each)))
    texts.set(path, await workspaces.read(commit, path, factBytesMax))
  const read = (path: string) => texts.get(path) ?? null
  const { tools } = factsOf(paths, read, configuredCommands(config), partsOf(config))
  const found = TOOLS.flatMap((name) =>
    tools[name] === undefined || name === 'e2e' ? [] : [[name, tools[name].command]],
  )
  const own = Object.entries(config.checks).map(([name, { run }]) => [name, run])
  const commands = Object.fromEntries([...found, ...own]) as Record<string, string>
  return { commands, testParts: scriptParts(commands['unit-test'] ?? '', new Set(paths), read) }
}

async function trySetup(
  { config, golden }: EngineParts,
  base: AttemptBase,
  tell: (line: string) => void,
): Promise<{ command: string; ok: boolean; why: string | null } | null> {
  const { setup, copy } = config
  if (setup === null) return null
  const command = setup.run
  tell(command)
  try {
    await golden.copyFor({ base, target: config.base, setup, copy }, linesOf(tell))
    return { command, ok: true, why: null }
  } catch (error) {
    if (!(error instanceof MusterError)) throw error
    return { command, ok: false, why: firstLine(error.message) }
  }
}

/** A setup's lines too. */
const linesOf =
  (tell: (line: string) => void): Hear =>
  (event) => {
    if (event.type === 'line' || event.type === 'setup-line') tell(event.line)
  }

/** Null: it was stopped. */
async function tryCheck(
  parts: EngineParts,
  commit: string,
  { name, command }: { name: string; command: string },
  tell: (line: string) => void,
  signal: AbortSignal,
): Promise<ProvenCheck | null> {
  const { verifier, executor, config, clock } = parts
  const { setup, copy } = config
  const runId = `proof-${name}`
  await executor.forget(runId)
  const begun = clock.steady()
  const verification = verifier.start(
    {
      runId,
      taskId: 'proof',
      attempt: 0,
      contract: NOTHING,
      only: name,
      commit,
      base: commit,
      config,
      waived: [],
      timeoutMs: null,
      deferred: false,
      whole: true,
      tree: { branch: taskBranch('proof'), target: config.base, setup, copy },
    },
    linesOf(tell),
  )
  const stop = () => verification.stop(true)
  signal.addEventListener('abort', stop, { once: true })
  const outcome = await verification.ended
  signal.removeEventListener('abort', stop)
  const { results } = outcome
  if (outcome.interrupted || results === undefined) return null
  const [answer] = results.criteria
  const detail = firstLine(answer?.error ?? outcome.detail)
  return {
    name,
    command,
    ...readAnswer(answer, detail, outcome.findings),
    durationMs: answer?.evidence?.durationMs ?? clock.steady() - begun,
  }
}

function readAnswer(
  answer: CriterionResult | undefined,
  detail: string,
  findings: readonly FindingText[],
): Omit<ProvenCheck, 'name' | 'command' | 'durationMs'> {
  const evidence = answer?.evidence ?? null
  const known = { counts: evidence?.counts ?? null, reused: evidence?.reused ?? false }
  if (answer?.status === 'pass') return { ...known, result: 'green', why: null }
  const result = badResult(answer)
  const named = (known.counts?.executed ?? 0) > 0 || result !== 'red'
  const why = named ? detail : [detail, printedWhy(findings)].filter(Boolean).join(': ')
  const fix = NO_DISPLAY.test(findings.map(foundText).join('\n')) ? DISPLAY_FIX : ''
  return { ...known, result, why: `${why}${fix}` }
}

function badResult(answer: CriterionResult | undefined): 'flaky' | 'red' | 'unclear' {
  if (answer?.status === 'fail') return 'red'
  // Only what is red is run again.
  return answer?.status === 'error' && (answer.evidence?.runs ?? 0) > 1 ? 'flaky' : 'unclear'
}

/** What programs say that find no display to open a window on. */
const NO_DISPLAY =
  /cannot (?:open|connect to|find) (?:the )?(?:x )?display|no (?:x11 )?display (?:found|name|environment)|missing x server|DISPLAY (?:is not|not|environment variable is not) set|could not connect to display|unable to open (?:x )?display/i
const DISPLAY_FIX = '; the tests need a display: run them with xvfb-run -a'

/** What a command that is red without a test printed of it, in a line. The first finding repeats the exit code. */
function printedWhy(findings: readonly FindingText[]): string {
  const printed = findings.slice(1).map(foundText)
  return printed.length === 0 ? '' : tellingLine(printed.join('\n'))
}

const firstLine = (text: string): string => text.trim().split('\n')[0] ?? ''

/** A proof answers no contract. */
const NOTHING: Contract = {
  type: 'verifiable',
  criteria: [],
  generatedFrom: 'auto',
  generatedAt: new Date(0).toISOString(),
  ambiguous: false,
  couldBe: null,
  why: '',
  notices: [],
  files: [],
  taskHash: '',
  hash: '',
}
