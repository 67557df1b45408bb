/** Hashes of contracts: what a contract was made for, and that nobody has changed it since. */
import { hash } from 'node:crypto'
import type { Contract } from '../domain/contract/contract.ts'

/** What a task says, as far as its contract depends on it. */
export interface TaskText {
  title: string
  instructions: string
  acceptanceCriteria: string
  expectedFiles: readonly string[]
  /** The checks it lists, by name. */
  checks: readonly string[]
}

export function sealContract(draft: Omit<Contract, 'hash'>): Contract {
  return { ...draft, hash: hashOf(draft) }
}

export function hashTask({ title, instructions, acceptanceCriteria, expectedFiles, checks }: TaskText): string {
  return sha256(canonical({ title, instructions, acceptanceCriteria, expectedFiles, checks }))
}

/** Whether the contract is still the one that was sealed. */
export function isIntact(contract: Contract): boolean {
  return contract.hash === hashOf(contract)
}

/** Whether the contract was made for this text; a task whose text changed needs a new one. */
export function isMadeFor(contract: Contract, task: TaskText): boolean {
  return contract.taskHash === hashTask(task)
}

function hashOf(contract: Omit<Contract, 'hash'> & { hash?: string }): string {
  const { generatedAt: _, hash: __, ...sealed } = contract
  return sha256(canonical(sealed))
}

/** One text for one value: keys in order, fields that are not there left out. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}

function sha256(text: string): string {
  return hash('sha256', text, 'hex')
}
