/**
 * Combines everything that a worker reported into one verdict. It reads every channel that was used, and the worst
 * counts. Anything missing, malformed, stale, foreign or contradictory is never a pass.
 */
import { findingCharsMax, findingsMax } from '../limits.ts'
import type { CriterionAnswer, FindingText, ParsedVerdict, Verdict, VerdictScope } from './verdict.ts'
import { hasBasis } from './verdict-finding.ts'
import { foreign, WORDS, type Reading, type Statement } from './verdict-statement.ts'

/** A way in which something was said. */
export interface Channel {
  /** For people: `the verdict file`, `its answer`. */
  name: string
  reading: Reading
  /** Code that a judge runs could have left it: it can make things worse and never better. */
  weak?: boolean
}

/** Null if no verdict was given, weak ones aside. */
export function combine(channels: readonly Channel[], scope: VerdictScope): ParsedVerdict | null {
  const read = channels.map((channel) => {
    const why = typeof channel.reading === 'string' ? null : foreign(channel.reading, scope)
    return why === null ? channel : { ...channel, reading: why }
  })
  const own = read.filter(({ weak }) => weak !== true)
  if (own.every(({ reading }) => typeof reading !== 'string' && reading.words.length === 0)) return null
  const strong = together(own, scope)
  // What fails by the judge's own words fails, whatever else lies about.
  if (strong.verdict === 'FAIL' || own.length === read.length) return strong
  const all = together(read, scope)
  return RANK[all.verdict] > RANK[strong.verdict] ? all : strong
}

const RANK: Readonly<Record<Verdict, number>> = { PASS: 0, WARN: 1, FAIL: 2, ERROR: 3 }

function together(channels: readonly Channel[], scope: VerdictScope): ParsedVerdict {
  const refused = channels.flatMap(({ name, reading }) =>
    typeof reading === 'string' ? [`${name} was refused: ${reading}`] : [],
  )
  const said = channels.flatMap(({ name, reading }) => (typeof reading === 'string' ? [] : [{ name, ...reading }]))
  const weighed = said.length === 0 ? null : weigh(said, scope)
  if (weighed !== null && (refused.length === 0 || weighed.verdict === 'FAIL')) return weighed
  // FAIL from an author and ERROR from a judge: neither passes, and a judge's mistake costs no round.
  const detail = [...refused, ...(weighed?.verdict === 'ERROR' ? [weighed.detail] : [])].join('\n')
  return { verdict: scope.judge ? 'ERROR' : 'FAIL', detail, findings: [] }
}

type Said = Statement & { name: string }

function weigh(said: readonly Said[], scope: VerdictScope): ParsedVerdict {
  const words = WORDS.filter((word) => said.some((one) => one.words.includes(word)))
  const criteria = answersOf(said)
  const stated = distinct(
    said.flatMap(({ findings }) => findings),
    ({ severity, message, file, line, criterion, command }) =>
      JSON.stringify([severity, message, file, line, criterion, command]),
  )
  const details = [...new Set(said.map(({ detail }) => detail).filter((text) => text !== ''))].join('\n')
  const give = (verdict: Verdict, detail: string, findings: readonly FindingText[]): ParsedVerdict => ({
    verdict,
    detail: detail.slice(0, findingCharsMax).toWellFormed(),
    findings: bounded(findings),
    ...(criteria.length === 0 ? {} : { criteria }),
  })
  const error = (why: string, said: readonly FindingText[] = []): ParsedVerdict =>
    give('ERROR', [why, details].filter(Boolean).join('\n'), said)

  const [word] = words
  const fails = stated.some(({ severity }) => severity === 'FAIL')
  if (word === undefined) return error('no verdict was given')
  const findings = scope.judge ? withAnswers(stated, criteria) : stated
  if (words.length > 1) {
    const each = said
      .filter((one) => one.words.length > 0)
      .map((one) => `${one.name} says ${[...new Set(one.words)].join(' and ')}`)
    return give('FAIL', `two different verdicts count as FAIL: ${each.join(', ')}`, findings)
  }
  if (word === 'PASS' && fails) {
    return give('FAIL', details || 'the verdict says PASS but has a FAIL finding, so it counts as FAIL', findings)
  }
  if (!scope.judge) return give(word, details, findings)
  const grounded = findings.map((finding): FindingText =>
    hasBasis(finding) ? finding : { ...finding, severity: 'WARN' },
  )
  const failing = grounded.filter(({ severity }) => severity === 'FAIL')
  if (word === 'FAIL') {
    // Words alone are the plainest form of a FAIL; a list in which nothing fails is none.
    if (failing.length > 0 || (stated.length === 0 && criteria.length === 0)) return give('FAIL', details, grounded)
    // It counts for nothing, and whoever has to decide reads it all the same.
    return error('its FAIL names no unmet criterion, no file and no command', grounded)
  }
  if (failing.length > 0) {
    const which = criteria.filter(({ met }) => !met).map(({ id }) => id)
    const why = which.length > 0 ? `says that ${which.join(', ')} is not met` : 'has a FAIL finding'
    return give('FAIL', details || `the verdict says ${word} but ${why}, so it counts as FAIL`, grounded)
  }
  const answered = new Set(criteria.map(({ id }) => id))
  const missing = (scope.criteria ?? []).filter((id) => !answered.has(id.toLowerCase()))
  const atOnce = scope.terse === true && criteria.length === 0
  if (missing.length > 0 && !atOnce) return error(`its ${word} says nothing about ${missing.join(', ')}`)
  return give(word, details, grounded)
}

/** One answer for each criterion: of two, the one that says it is not met. */
function answersOf(said: readonly Said[]): CriterionAnswer[] {
  const answers = new Map<string, CriterionAnswer>()
  for (const answer of said.flatMap(({ criteria }) => criteria)) {
    const other = answers.get(answer.id)
    if (other === undefined || (other.met && !answer.met)) answers.set(answer.id, answer)
  }
  return [...answers.values()]
}

/** A criterion that is not met is a finding, for the author to read, unless one says it already. */
function withAnswers(findings: readonly FindingText[], criteria: readonly CriterionAnswer[]): FindingText[] {
  const told = new Set(
    findings.flatMap(({ severity, criterion }) => (severity === 'FAIL' ? [criterion?.toLowerCase()] : [])),
  )
  const more = criteria
    .filter(({ id, met }) => !met && !told.has(id))
    .map(({ id, note }): FindingText => ({ severity: 'FAIL', message: note || `${id} is not met`, criterion: id }))
  return [...findings, ...more]
}

/** What fails is not the part that is left out. */
function bounded(findings: readonly FindingText[]): FindingText[] {
  if (findings.length <= findingsMax) return [...findings]
  const first = findings.filter(({ severity }) => severity === 'FAIL')
  return [...first, ...findings.filter(({ severity }) => severity !== 'FAIL')].slice(0, findingsMax)
}

function distinct<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()]
}
