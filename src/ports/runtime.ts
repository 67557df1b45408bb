/** Runtimes start agents and checks, watch them and say how they ended. One adapter per agent program. */
import type { AgentEvent } from '../domain/agent-event.ts'
import type { AgentConfig, SandboxKind } from '../domain/config.ts'
import type { Results } from '../domain/verdict/evidence.ts'
import type { Service } from '../domain/service.ts'
import type { Reason } from '../domain/task/reasons.ts'
import type { Usage } from '../domain/usage.ts'
import type { ParsedVerdict } from '../domain/verdict/verdict.ts'
import type { UnderWay } from './executor.ts'

/** What a judge must answer. */
export interface Judging {
  /** The commit it judges. */
  commit: string
  /** Ids of the criteria that its PASS must answer. */
  criteria: readonly string[]
  /** Ids of criteria that it may answer; others may answer them too. */
  offered?: readonly string[]
  /** False: only PASS and FAIL are allowed. */
  warns: boolean
  /** The contract in words. */
  contract: string
}

export interface RunRequest {
  runId: string
  taskId: string
  role: string
  judge: boolean
  attempt: number
  round: number
  nonce: string
  prompt: string
  /** The run's own folder: prompt, log, verdict and exit record are kept there. */
  dir: string
  /** The folder in which it works. */
  workspace: string
  /** The folder of muster.yaml; scripts named in a command resolve there, unless they are `resolved`. */
  projectRoot: string
  agent: AgentConfig
  /** Of a judge. */
  judging?: Judging
  /** A session of the agent program to continue, and what it used so far, because programs count on from there. */
  resume?: { session: string; usage: Usage }
  /** Files to put into its folder below `report/` before it starts; files that it leaves there are read afterwards. */
  brings?: readonly { path: string; text: string }[]
  /** The services beside it. Their commands are `resolved` if its own is. */
  services?: readonly Service[]
  /** Run the command unchanged: its scripts were resolved before. */
  resolved?: boolean
}

/** The result of a run. `interrupted`: it was stopped from outside, so a missing verdict says nothing about the work. */
export interface RunOutcome extends ParsedVerdict {
  /** For people: "exit 0", "killed by SIGSEGV", "timed out after 30m". */
  exit: string
  /** The end of its output. */
  output?: string
  /** How its process ended; absent if it never ran. */
  process?: {
    code: number | null
    signal: string | null
    timedOut: boolean
    logDigest: string | null
    /** Its whole output, as far as the log has it. */
    log: Uint8Array | null
  }
  /** Of a verification: its results, and why only a person can decide about them. */
  results?: Results
  hold?: Reason
  /** Something really checked the deployment. */
  validates?: boolean
  /** Fingerprints of the failures; none for failures that the target caused. */
  prints?: readonly string[]
  crashed: boolean
  interrupted: boolean
  /** It filled the disk. Nothing can be saved while its files exist, so they are removed. */
  fills?: true
  /** The sandbox that was used. Anything but bubblewrap is shown as `unsandboxed`; absent if it never ran. */
  sandbox?: SandboxKind
  /** What it used of a model, as far as known, also if it failed or was interrupted. */
  usage?: Usage
  /** The agent program's session, which can continue an interrupted run in the same workspace. */
  session?: string
  /** When a rate limit that it reached resets, in milliseconds since 1970; null: the program did not say. */
  retryAt?: number | null
  /** The last answer of an agent program, which may contain a judge's verdict. */
  answer?: string
}

export type Worker = UnderWay<RunOutcome>

export interface Runtime {
  /**
   * Starts the worker. Resolves once it runs; a command that cannot be started is a worker that ends with ERROR. The
   * same run started twice starts once: the second ends as interrupted. `onLine` gets the last line of what it does, for
   * people; `onEvent` what an agent program tells, as it happens.
   */
  start(request: RunRequest, onLine: (line: string) => void, onEvent?: (event: AgentEvent) => void): Promise<Worker>
  /**
   * After a restart of Muster: `missing` if this run never started (it may be started now), else how it ended. A worker
   * that still runs without its Muster is ended first and counts as interrupted.
   */
  recover(request: RunRequest): Promise<RunOutcome | 'missing'>
}

/** The verdict file of a run's worker: in the run's own folder, outside of the workspace. */
export const verdictFileOf = (dir: string): string => `${dir}/verdict`

/** Beside it: what the server of a judge's tools knows of the run (not the nonce), and what the judge reported. */
export const judgeFileOf = (dir: string): string => `${dir}/judge.json`
export const callsFileOf = (dir: string): string => `${dir}/calls.jsonl`

/** What a judge's tools return and check against. */
export interface JudgeFile extends Judging {
  task: string
  attempt: number
}
