/**
 * The executor runs jobs. A job is a value: what to run, on which files, within which limits, and what has to come back.
 * It has no path of this machine, no handle and no secret, so another machine could run it. The executor owns folders,
 * checkouts, golden copies and processes; it decides nothing.
 */
import type { SandboxKind, SetupConfig } from '../domain/config.ts'
import type { Service } from '../domain/service.ts'
import type { ReportProblem, TestReport } from '../domain/verdict/test-report.ts'

/** The files that a job works on: a commit in a clean checkout, in which the project's setup has run. */
export interface JobTree {
  commit: string
  /** What the checkout's branch is called. */
  branch: string
  /** The branch that the work is to land on: what its setup made is shared by all who start from there. */
  target: string
  setup: SetupConfig | null
  /** Untracked files of the project that it needs. */
  copy: readonly string[]
}

/** A shell command in parts, of which only the last may be changed to ask for a report. */
interface JobCommand {
  /** Where in the checkout it runs. */
  cwd: string
  prefix: string
  command: string
}

interface JobBase {
  /** `<run>` or `<run>/<part>`. A job is started once, ever: its folder, its log and what a crash left are found by it. */
  id: string
  task: string
  tree: JobTree
  /** Names of the user's variables that it gets. */
  env: readonly string[]
  timeoutMs: number
}

/** A command that shows something about a tree: a check, or what a judge quotes. */
export interface CommandJob extends JobBase {
  kind: 'command'
  /** What its log begins with: the command as a person would type it. */
  title: string
  attempt: number
  command: JobCommand
  /** Files laid over the checkout. A whole path stays where it is. */
  laid: readonly { path: string; text: string }[]
  services: readonly Service[]
  network: boolean
  /** Where in the checkout it leaves a report; null: runners that Muster knows are asked for one. */
  report: string | null
  /** It is known to run tests: what it prints may name them. */
  tests: boolean
}

/** A command that acts on the world outside. It outlives Muster, and the next one finds it again. */
export interface DetachedJob extends JobBase {
  kind: 'detached'
  /** A shell command. What the values of `env` are is kept out of its log. */
  run: string
  /** Variables of Muster's own. */
  variables: Readonly<Record<string, string>>
}

type JobSpec = CommandJob | DetachedJob

/**
 * `stopped`: from outside. `not-run`: it could not begin, or had not what it needed. `lost`: it is gone, and nobody saw how it
 * ended. `left`: it goes on without this Muster. Only the first two say something about what was run.
 */
export type JobEnd =
  | { is: 'exited' | 'timed-out'; code: number | null; signal: string | null }
  | { is: 'stopped' | 'lost' | 'left' }
  | { is: 'not-run'; why: string }

/** What became of a job. A value too: it can be kept, and read again by a later Muster. */
export interface JobResult {
  /** The job; its log is found by it. */
  id: string
  end: JobEnd
  /** The end of what it printed, without its last line break. */
  output: string
  logDigest: string | null
  /** Null: it was asked for none. One that was asked for and not written is a problem. */
  report: TestReport | ReportProblem | null
  /** A runner that writes a report was asked for one: without it, the runner did not get as far as its tests. */
  asked: boolean
  /** Files of the tree that its coverage report says were executed. */
  covered: readonly string[]
  /** The folder it ran in: whole paths in its output start with it, others are from there. */
  root: string
  sandbox: SandboxKind | null
  durationMs: number
  /** When it was over. */
  at: string
}

/** What a job tells while it is under way. A setup may run first; `since`: when that began. */
type JobEvent =
  | { type: 'line'; line: string }
  | { type: 'setup-began'; command: string; since: number }
  | { type: 'setup-line'; line: string }
  | { type: 'setup-ended'; ok: boolean }

export type Hear = (event: JobEvent) => void

/** Work that is under way, and what becomes of it. */
export interface UnderWay<T> {
  /** Settles when it is over and nothing of its processes is left; never rejects. */
  ended: Promise<T>
  /** Ends it: asks first, kills after a grace period. `now` skips that period. Idempotent; it may not have begun yet. */
  stop(now?: boolean): void
  /** Pauses and resumes the clock of its timeout, not the work. */
  setClock(running: boolean): void
  /** Lets it continue without this Muster, which ends. Absent where nothing outlives Muster. */
  detach?(): void
}

export type Job = UnderWay<JobResult>

export interface Executor {
  /** A detached job that was started before is found again. A command job that was is `stopped`: nothing is done. */
  start(job: JobSpec, hear: Hear): Job
  /** After a restart: ends what a killed Muster left of the command jobs of a run. They may be started again afterwards. */
  forget(run: string): Promise<void>
  /** After a restart: removes what no job needs any more. */
  sweep(): Promise<void>
}
