/**
 * The contracts in force of open tasks: the last one that was sealed for each. Cached in memory, because every decision
 * needs one and only the transactor writes them.
 */
import type { Contract } from '../../domain/contract/contract.ts'
import { deferredOf } from '../../domain/contract/contract.ts'
import type { TaskState } from '../../domain/task/task.ts'
import type { TaskSummary } from '../../ports/store.ts'
import { handedUp } from './contracts.ts'
import type { EngineParts } from './parts.ts'

export class ContractsInForce {
  readonly #parts: Pick<EngineParts, 'store' | 'contracts'>
  readonly #known = new Map<string, Contract | null>()

  constructor(parts: Pick<EngineParts, 'store' | 'contracts'>) {
    this.#parts = parts
  }

  async of(taskId: string): Promise<Contract | null> {
    const known = this.#known.get(taskId)
    if (known !== undefined) return known
    const contract = (await this.#parts.store.contracts(taskId)).at(-1) ?? null
    this.#known.set(taskId, contract)
    return contract
  }

  /** Whether some of it is answered later, on the story's head. */
  async hasDeferred(taskId: string): Promise<boolean> {
    const contract = await this.of(taskId)
    return contract !== null && deferredOf(contract).length > 0
  }

  /** These were stored. */
  sealed(contracts: readonly { taskId: string; contract: Contract }[]): void {
    for (const { taskId, contract } of contracts) this.#known.set(taskId, contract)
  }

  /** The task is over. */
  forget(taskId: string): void {
    this.#known.delete(taskId)
  }

  /** What a parent's contract gains when it starts: the criteria that its subtasks could not answer (H-2). Null: nothing. */
  async handedTo(spec: TaskSummary, state: TaskState, own: Contract | null): Promise<Contract | null> {
    if (state.status !== 'not-started' || spec.dependsOn.length === 0 || own === null) return null
    const handed = await handedUp(this.#parts.store, spec)
    if (handed.length === 0) return null
    const extended = this.#parts.contracts.extend(own, handed)
    return extended === own ? null : extended
  }
}
