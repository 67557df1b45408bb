/**
 * Compares a contract's type with what the work really changed (E-13, E-14). A "prose" task that changed more than
 * prose, and an advisory task that changed anything, become verifiable; unexpected files bring their criteria. It only
 * adds.
 */
import type { Contract, ContractAdditions, ContractType, Criterion } from '../domain/contract/contract.ts'
import { codeRules } from './code-rules.ts'
import { isProse } from './files.ts'
import type { ContractProject } from './generate.ts'
import { sealContract } from './seal.ts'
import { criterionKey, fileCriteria, guards, uniqueCriteria } from './template.ts'

/**
 * `changed`: every path that differs between the attempt's base and its result, removed ones too. `patch`: the change
 * itself; what its new lines ask for is asked for too.
 */
export function confirmContract(
  contract: Contract,
  changed: readonly string[],
  { facts, rules }: Pick<ContractProject, 'facts' | 'rules'>,
  patch = '',
): ContractAdditions {
  const why = surprise(contract.type, changed)
  const type: ContractType = why === null ? contract.type : 'verifiable'
  if (type !== 'verifiable' || changed.length === 0) return { type, criteria: [], why: [] }
  const code = codeRules(rules.code, patch, changed)
  const wanted = [...fileCriteria(changed, '', facts, rules, code), ...guards(facts)]
  const known = new Set(contract.criteria.map(criterionKey))
  const isImmediate = contract.criteria.some(({ activity, timing }) => activity === 'e2e' && timing === 'immediate')
  const added = uniqueCriteria(wanted).filter((criterion) => {
    return !known.has(criterionKey(criterion)) && !(isImmediate && criterion.timing === 'deferred')
  })
  const first = nextNumber(contract.criteria)
  return {
    type,
    criteria: added.map((criterion, index): Criterion => ({ id: `c${first + index}`, ...criterion })),
    why: why === null ? [] : [why],
  }
}

/** The contract an attempt is judged by: the sealed one and what its diff added, sealed again. */
export function withAdditions(contract: Contract, { type, criteria, why }: ContractAdditions): Contract {
  const { hash: _, ...sealed } = contract
  return sealContract({
    ...sealed,
    type,
    criteria: [...contract.criteria, ...criteria],
    why: why[0] ?? contract.why,
    notices: why.length === 0 ? contract.notices : [...contract.notices, `sealed as ${contract.type}: ${contract.why}`],
  })
}

function surprise(type: ContractType, changed: readonly string[]): string | null {
  const [first] = type === 'skip' ? changed.filter((path) => !isProse(path)) : type === 'advisory' ? changed : []
  if (first === undefined) return null
  return type === 'skip'
    ? `it was to change prose only, and changed ${first}`
    : `it was to change nothing, and changed ${first}`
}

/** The number of the next criterion that is added. */
export function nextNumber(criteria: readonly Criterion[]): number {
  return Math.max(0, ...criteria.map(({ id }) => Number(/^c(\d+)$/.exec(id)?.[1] ?? 0))) + 1
}
