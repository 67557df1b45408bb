/**
 * A person's part in a contract: they can choose or write it before the work starts, and their own commits can add to
 * it.
 */
import type { ProjectConfig } from '../../domain/config.ts'
import type { Contract } from '../../domain/contract/contract.ts'
import { MusterError } from '../../domain/errors.ts'
import type { TaskSpec } from '../../domain/task/task.ts'
import type { Decider } from '../decider.ts'
import { confirmChange, question, texts, type Wish } from './contracts.ts'
import type { EngineCore } from './core.ts'

/** A person's choice of the contract. */
export type AgreeRequest = Decider & { task: string; config: ProjectConfig } & Wish

/** A person's word on a contract, while nobody has worked under the present one. */
export async function agreeOn(engine: EngineCore, request: AgreeRequest): Promise<Contract> {
  const { task: id, by, proof, config, type, written } = request
  const { parts, transactor } = engine
  const stored = await parts.store.task(id)
  if (stored === null)
    throw new MusterError('not_found', `there is no task ${id}`, { hint: 'muster status lists them' })
  const head = await parts.workspaces.head(stored.spec.target)
  if (head === null) throw new MusterError('git', `the branch ${stored.spec.target} is no longer in the repository`)
  const contract = await parts.contracts.seal({ ...texts(stored.spec), type, written }, head, config)
  const held = question(stored.spec, contract, config)
  await transactor.apply(id, { type: 'contract-agreed', held }, { actor: by, proof, contract })
  return contract
}

/** What a commit of a person's own adds to the contract. It may start anywhere on the target; `instead`: under other terms. */
export async function confirmCommit(
  engine: EngineCore,
  { id, target, configHash }: Pick<TaskSpec, 'id' | 'target' | 'configHash'>,
  commit: string,
  instead?: { contract: Contract; config: ProjectConfig },
): Promise<Contract | null> {
  const { workspaces } = engine.parts
  const head = await workspaces.head(target)
  const from = head === null ? null : await workspaces.mergeBase(head, commit)
  if (from === null) return null
  const config = instead?.config ?? (await engine.transactor.config(configHash))
  return confirmChange(engine.parts, id, config, from, commit, instead?.contract)
}
