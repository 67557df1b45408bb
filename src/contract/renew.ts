/**
 * Makes a new contract for a task under another configuration: the criteria that this configuration asks for, with
 * their old ids where they are the same, a person's own criteria, and what subtasks left to their parent.
 */
import type { Contract, Criterion } from '../domain/contract/contract.ts'
import { sameCriterion } from '../domain/task/terms.ts'
import { nextNumber } from './confirm.ts'
import { sealContract } from './seal.ts'

/** `made`: what the configuration asks for now. `own`: the criteria that stay whatever it asks for. */
export function renewed(inForce: Contract, made: Contract, own: readonly Criterion[]): Contract {
  const ids = new Map(inForce.criteria.map((one) => [sameCriterion(one), one.id]))
  const asked = new Set(made.criteria.map(sameCriterion))
  let next = nextNumber(inForce.criteria)
  const criteria = [...made.criteria, ...own.filter((one) => !asked.has(sameCriterion(one)))].map((one) => {
    const { id: _, ...rest } = one
    const key = sameCriterion(one)
    const id = ids.get(key) ?? `c${next++}`
    // Two tasks of a story may have asked for the same thing by other commands.
    ids.delete(key)
    return { id, ...rest }
  })
  const { hash: _hash, ...draft } = made
  return sealContract({ ...draft, criteria, generatedFrom: inForce.generatedFrom })
}
