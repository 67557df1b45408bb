/** One contract for work that many tasks did together: every criterion of theirs, each once, under new ids. */
import type { Contract, Criterion } from '../domain/contract.ts'
import { sealContract } from './seal.ts'
import { uniqueCriteria } from './template.ts'

export function unionOf(contracts: readonly Contract[], generatedAt: string): Contract {
  const wanted = contracts
    .flatMap(({ criteria }) => criteria)
    .filter(({ judge, skipped }) => judge === 'machine' && skipped === undefined)
    // What waited for the whole is answered now.
    .map(({ id: _, timing: __, ...criterion }) => criterion)
  return sealContract({
    type: 'verifiable',
    criteria: uniqueCriteria(wanted).map((criterion, index): Criterion => ({ id: `c${index + 1}`, ...criterion })),
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
