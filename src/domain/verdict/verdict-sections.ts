/** The lists of a verdict in plain words, `**Criteria:**` and `**Findings:**`, and the prose around them. */
import { findingCharsMax } from '../limits.ts'
import type { CriterionAnswer, FindingText, Severity } from './verdict.ts'
import { readFinding, tagOf } from './verdict-finding.ts'
import type { Line } from './verdict-lines.ts'
import { markOf } from './verdict-mark.ts'
import { wordOf } from './verdict-statement.ts'

interface Sections {
  /** Whether it has one of the two headings. */
  listed: boolean
  criteria: CriterionAnswer[]
  findings: FindingText[]
  prose: string
}

const SECTION = /^(?:#{1,6} +)?(criteria|findings) *:?$/i
const HEADING = /^(?:#{1,6}[ \t]|\*\*[^*]+\*\*:?$)/
const BULLET = /^[ \t]*(?:[-*+•]|\d{1,4}[.)])[ \t]+(.*)$/s

/** `untagged`: how severe a finding is that does not say so itself. */
export function sectionsOf(lines: readonly Line[], untagged: Severity): Sections {
  const criteria: CriterionAnswer[] = []
  const items: Item[] = []
  const prose: string[] = []
  let section: string | null = null
  let listed = false
  /** What the next lines go on with, if they are indented or code. */
  let open: Item | null = null

  for (const { text, kind } of lines) {
    const own = kind === 'own'
    const [, bullet] = own || kind === 'indented' ? (BULLET.exec(text) ?? []) : []
    const [, name] = own ? (SECTION.exec(text.replaceAll('**', '').trim()) ?? []) : []
    const answers = own && bullet !== undefined && section === 'criteria' ? answerIn(bullet) : []
    // A finding with its tag is one wherever it stands: none is lost for want of a heading, or as part of another.
    const tagged = bullet !== undefined && tagOf(bullet).word !== null
    const within = open !== null && (!own || /^[ \t]/.test(text))
    if (name !== undefined) {
      section = name.toLowerCase()
      listed = true
      open = null
    } else if (answers.length > 0) criteria.push(...answers)
    else if (bullet !== undefined && (tagged || (section === 'findings' && own && !within))) {
      open = { text: bullet, more: [] }
      items.push(open)
    } else if (within) {
      if (kind !== 'blank') open?.more.push(text)
    } else if (own && markOf(text) !== null) section = open = null
    else {
      if (own && HEADING.test(text)) section = null
      if (own) open = null
      prose.push(text)
    }
  }
  const findings = items.flatMap((item) => findingOf(item, untagged))
  return { listed, criteria, findings, prose: prose.join('\n').trim().slice(0, findingCharsMax).toWellFormed() }
}

/** A finding while its lines are still coming. */
interface Item {
  text: string
  more: string[]
}

const NOTHING = /^(?:none|nothing|n\/a|no (?:findings?|issues?|problems?)(?: found)?)[.!]?$/i

function findingOf({ text, more }: Item, untagged: Severity): FindingText[] {
  const { word, finding } = readFinding(text)
  if (word === 'PASS' || (word === null && NOTHING.test(text.trim()))) return []
  const message = [finding.message, ...more].join('\n').slice(0, findingCharsMax).toWellFormed()
  return [{ ...finding, severity: word ?? untagged, message }]
}

/** `c1 PASS how it knows`; `PASS | FAIL` is the template's. */
const ANSWER =
  /^[`[]?(c\d{1,5})[`\]]?[ \t]{0,5}[:—–-]{0,5}[ \t]{0,5}\[?(pass|fail)\]?(?![\w-]|[ \t]{0,5}(?:[|/]|or\b))[ \t]*[:.,;—–-]*(.*)$/is
/** `[PASS] c1 how it knows`. */
const TAGGED_ANSWER = /^`?(c\d{1,5})`?(?!\w)[ \t]*[:.,;—–-]*(.*)$/is

function answerIn(text: string): CriterionAnswer[] {
  const { word: tag, rest } = tagOf(text.slice(0, findingCharsMax))
  const [, id = '', ...more] = (tag === null ? ANSWER : TAGGED_ANSWER).exec(rest) ?? []
  const word = tag ?? wordOf(more[0])
  if (id === '' || word === null || word === 'WARN') return []
  return [{ id: id.toLowerCase(), met: word === 'PASS', note: (more.at(-1) ?? '').trim().toWellFormed() }]
}
