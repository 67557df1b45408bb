/** Runtimes start agents and checks, watch them and say how they ended. One adapter per agent program. */
import type { AgentEvent } from '../domain/agent-event.ts'
import type { AgentConfig, SandboxKind } from '../domain/config.ts'
import type { Results } from '../domain/verdict/evidence.ts'
import type { Service } from '../domain/service.ts'
import type { Reason } from '../domain/task/reasons.ts'
import type { Usage } from '../domain/usage.ts'
import type { ParsedVerdict } from '../domain/verdict/verdict.ts'
import type { UnderWay } from './executor.ts'

/** What a judge is to say, beside what its prompt tells it. */
export interface Judging {
  /** The commit it judges. */
  commit: string
  /** Ids of the criteria that its PASS must answer. */
  criteria: readonly string[]
  /** Ids of criteria that it may answer, and others may as well. */
  offered?: readonly string[]
  /** False: it knows PASS and FAIL only. */
  warns: boolean
  /** The contract as people read it. */
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
  /** Where it works. */
  workspace: string
  /** The folder of muster.yaml; scripts named in a command resolve there, unless they are `resolved`. */
  projectRoot: string
  agent: AgentConfig
  /** Of a judge. */
  judging?: Judging
  /** A session of the agent program to go on with, and what its runs have used so far: programs count on. */
  resume?: { session: string; usage: Usage }
  /** Files that lie ready in its folder, below `report/`; whatever it leaves there can be found there after it. */
  brings?: readonly { path: string; text: string }[]
  /** What runs beside it, with commands that are `resolved` as its own. */
  services?: readonly Service[]
  /** The command is to run as it is: which scripts it means was decided before. */
  resolved?: boolean
}

/** What a run came to. `interrupted`: it was stopped from outside, so its silence says nothing about the work. */
export interface RunOutcome extends ParsedVerdict {
  /** For people: "exit 0", "killed by SIGSEGV", "timed out after 30m". */
  exit: string
  /** The end of what it printed. */
  output?: string
  /** How its process ended, for those who judge by that; absent if it never ran. */
  process?: {
    code: number | null
    signal: string | null
    timedOut: boolean
    logDigest: string | null
    /** All that it printed, as far as the log keeps it. */
    log: Uint8Array | null
  }
  /** Of a verification: what it found out, and why only a person can go on from there. */
  results?: Results
  hold?: Reason
  /** Something has looked at what was deployed. */
  validates?: boolean
  /** Fingerprints of what failed; none for what comes from the target and not from the work. */
  prints?: readonly string[]
  crashed: boolean
  interrupted: boolean
  /** It left the disk no room. Nothing can be saved beside what it wrote, so that goes. */
  fills?: true
  /** The sandbox that was used. Anything but bubblewrap is shown as `unsandboxed`; absent if it never ran. */
  sandbox?: SandboxKind
  /** What it used of a model, as far as anybody knows; of failed and interrupted runs too. */
  usage?: Usage
  /** Of the agent program: a run that was interrupted can go on with it in the same workspace. */
  session?: string
  /** A rate limit was reached: when it is over, in milliseconds since 1970; null when the program did not say. */
  retryAt?: number | null
  /** What an agent program said last. A judge's verdict may stand there. */
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

/** Where a run's worker leaves its verdict: in the run's own folder, outside the workspace. */
export const verdictFileOf = (dir: string): string => `${dir}/verdict`

/** Beside it: what the server of a judge's tools knows of the run, which is not the nonce, and what it was told. */
export const judgeFileOf = (dir: string): string => `${dir}/judge.json`
export const callsFileOf = (dir: string): string => `${dir}/calls.jsonl`

/** What a judge's tools are asked for and check against. */
export interface JudgeFile extends Judging {
  task: string
  attempt: number
}
