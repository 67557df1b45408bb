/** The verifier runs the criteria that Muster judges itself, on the exact commit, and keeps the evidence. */
import type { ProjectConfig, SandboxKind } from '../domain/config.ts'
import type { Contract } from '../domain/contract/contract.ts'
import type { Results } from '../domain/verdict/evidence.ts'
import type { Reason } from '../domain/task/reasons.ts'
import type { ParsedVerdict, Replay } from '../domain/verdict/verdict.ts'

export interface VerifyRequest {
  runId: string
  taskId: string
  attempt: number
  /** The run's own folder: logs and reports of the commands are kept there. */
  dir: string
  contract: Contract
  /** `check <name>`: this check alone, whether or not the contract has it. */
  only: string | null
  /** What is judged. */
  commit: string
  /** What it is compared with: the target's head that the commit is merged onto. */
  base: string
  config: ProjectConfig
  /** Criteria, and PROTECTED, that a person has taken over for this snapshot. */
  waived: readonly string[]
  /** For each command; null: its own. */
  timeoutMs: number | null
  /** Deferred criteria wait for the story's head. */
  deferred: boolean
  /** The work of a whole story: it may be on its target already, and what failed before is run again when somebody asks again. */
  whole?: boolean
  /** Makes a clean checkout of a commit in a folder that does not exist. */
  checkout(dir: string, commit: string): Promise<void>
}

export interface VerifyOutcome extends ParsedVerdict {
  results: Results
  /** Only a person can go on from here: why. */
  hold: Reason | null
  interrupted: boolean
  sandbox: SandboxKind | null
}

export interface Verification {
  /** Never rejects: what cannot be found out is ERROR. */
  ended: Promise<VerifyOutcome>
  stop(now?: boolean): void
  setClock(running: boolean): void
}

/** Commands that a judge quotes as evidence. */
export interface ReplayRequest extends Pick<
  VerifyRequest,
  'runId' | 'taskId' | 'attempt' | 'dir' | 'contract' | 'commit' | 'base' | 'config' | 'checkout'
> {
  role: string
  commands: readonly string[]
}

export interface Replaying {
  /** What each came to. Never rejects. */
  ended: Promise<Map<string, Replay>>
  stop(): void
}

export interface Verifier {
  start(request: VerifyRequest, onLine: (line: string) => void): Verification
  /** Runs again what is safe to run of them, on the same commit. Decides nothing. */
  replay(request: ReplayRequest, onLine: (line: string) => void): Replaying
  /** After a restart: ends what is left of a verification's commands. It may be started again afterwards. */
  recover(dir: string): Promise<void>
}

/** Results of commands by what they depend on. Only Muster writes them. */
export interface EvidenceCache {
  evidence(key: string): Promise<string | null>
  keepEvidence(key: string, body: string): Promise<void>
}
