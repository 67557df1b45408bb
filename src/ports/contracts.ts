/** Contracts: how a task will be judged, made before anybody works on it. */
import type { ProjectConfig } from '../domain/config.ts'
import type { Contract, ContractType, Criterion, WrittenContract } from '../domain/contract/contract.ts'

export interface ContractRequest {
  title: string
  instructions: string
  acceptanceCriteria: string
  expectedFiles: readonly string[]
  checks: readonly string[]
  /** Of a story: its criteria are `prd`. */
  story: string | null
  /** What a person wrote in its place, or said about its type. */
  written: WrittenContract | null
  type: ContractType | null
}

/** What an attempt, or a person, really did. */
interface RealChange {
  /** What it led to. */
  commit: string
  paths: readonly string[]
  /** Asked for only where rules look at the lines. */
  patch(): Promise<string>
}

export interface Contracts {
  /** The contract for work that starts from `commit`. Rejects with `config` when what a person wrote is no contract. */
  seal(request: ContractRequest, commit: string, config: ProjectConfig): Promise<Contract>
  /** One contract of all their criteria, each once and without those that people took over: for work that is judged as a whole. */
  union(contracts: readonly Contract[], waived: readonly Criterion[], commit: string): Promise<Contract>
  /** The contract with these criteria as well, under ids of their own; those that it has already are left out. */
  extend(contract: Contract, criteria: readonly Criterion[]): Contract
  /**
   * The contract in force as it is under another configuration: `made` is what that one asks for; `own` stays whatever it
   * asks for. Criteria that are in both keep their ids.
   */
  renew(inForce: Contract, made: Contract, own: readonly Criterion[]): Contract
  /** What was really changed adds to it; null when that is nothing. Never drops or changes a criterion. */
  confirm(contract: Contract, change: RealChange, config: ProjectConfig): Promise<Contract | null>
}
