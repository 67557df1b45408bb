/** One contract for the work of many tasks together: each of their criteria once, under new ids. */
import type { Contract, Criterion } from '../domain/contract/contract.ts'
import { nextNumber } from './confirm.ts'
import { sealContract } from './seal.ts'
import { criterionKey } from './template.ts'

/** `waived`: what a person took over of them already. */
export function unionOf(contracts: readonly Contract[], waived: readonly Criterion[], generatedAt: string): Contract {
  const wanted = contracts
    .flatMap(({ criteria }) => criteria)
    .filter(({ judge, skipped }) => judge === 'machine' && skipped === undefined)
  const unique = new Map<string, Criterion>()
  for (const criterion of wanted) {
    const key = sameness(criterion)
    if (!unique.has(key) || criterion.kind === 'goal') unique.set(key, criterion)
  }
  for (const criterion of waived) unique.delete(sameness(criterion))
  return sealContract({
    type: 'verifiable',
    criteria: [...unique.values()].map(({ timing: _, ...asked }, index) => ({ ...asked, id: `c${index + 1}` })),
    generatedFrom: 'auto',
    generatedAt,
    ambiguous: false,
    couldBe: null,
    why: `what ${contracts.length} tasks are judged by, on all of their work together`,
    notices: [],
    files: [],
    taskHash: '',
  })
}

/** The contract with more criteria, sealed again. */
export function extended(contract: Contract, criteria: readonly Criterion[], generatedAt: string): Contract {
  const known = new Set(contract.criteria.map(sameness))
  const added = criteria.filter((criterion) => !known.has(sameness(criterion)))
  if (added.length === 0) return contract
  const first = nextNumber(contract.criteria)
  const numbered = added.map((criterion, index) => ({ ...criterion, id: `c${first + index}` }))
  const { hash: _, ...sealed } = contract
  return sealContract({ ...sealed, generatedAt, criteria: [...contract.criteria, ...numbered] })
}

/** Tasks may ask for the same thing by other commands: each is heard. What waited for the whole is answered now. */
function sameness({ timing: _, ...criterion }: Criterion): string {
  return JSON.stringify([criterionKey(criterion), criterion.command, criterion.origin])
}
