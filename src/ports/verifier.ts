/** The verifier runs the criteria that Muster judges itself, on the exact commit, and keeps the evidence. */
import type { ProjectConfig } from '../domain/config.ts'
import type { Contract } from '../domain/contract/contract.ts'
import type { Replay } from '../domain/verdict/verdict.ts'
import type { Hear, JobTree, UnderWay } from './executor.ts'
import type { Worker } from './runtime.ts'

export interface VerifyRequest {
  runId: string
  taskId: string
  attempt: number
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
  /** What every commit is checked out as. */
  tree: Omit<JobTree, 'commit'>
}

/** Commands that a judge quotes as evidence. */
export interface ReplayRequest extends Pick<
  VerifyRequest,
  'runId' | 'taskId' | 'attempt' | 'contract' | 'commit' | 'base' | 'config' | 'tree'
> {
  role: string
  commands: readonly string[]
}

/** What running each of them again showed. */
export type Replaying = UnderWay<Map<string, Replay>>

export interface Verifier {
  /** What cannot be found out is ERROR. Without `results` it was stopped. */
  start(request: VerifyRequest, hear: Hear): Worker
  /** Runs again what is safe to run of them, on the same commit. Decides nothing. */
  replay(request: ReplayRequest, hear: Hear): Replaying
}

/** Results of commands by what they depend on. Only Muster writes them. */
export interface EvidenceCache {
  evidence(key: string): Promise<string | null>
  keepEvidence(key: string, body: string): Promise<void>
}
