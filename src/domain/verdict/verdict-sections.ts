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

  for (const line of lines) {
    const { text, kind } = line
    const part = partOf(line, section, open !== null)
    switch (part.is) {
      case 'heading':
        section = part.name
        listed = true
        open = null
        break
      case 'answers':
        criteria.push(...part.answers)
        break
      case 'finding':
        open = { text: part.text, more: [] }
        items.push(open)
        break
      case 'more':
        if (kind !== 'blank') open?.more.push(text)
        break
      case 'mark':
        section = open = null
        break
      case 'prose':
        if (kind === 'own' && HEADING.test(text)) section = null
        if (kind === 'own') open = null
        prose.push(text)
    }
  }
  const findings = items.flatMap((item) => findingOf(item, untagged))
  return { listed, criteria, findings, prose: prose.join('\n').trim().slice(0, findingCharsMax).toWellFormed() }
}

/** What a line is in the text; `more` goes on with the finding above it, a `mark` says the verdict. */
type Part =
  | { is: 'heading'; name: string }
  | { is: 'answers'; answers: CriterionAnswer[] }
  | { is: 'finding'; text: string }
  | { is: 'more' | 'mark' | 'prose' }

/** `open`: a finding stands above that may go on. */
function partOf({ text, kind }: Line, section: string | null, open: boolean): Part {
  const own = kind === 'own'
  const [, name] = own ? (SECTION.exec(text.replaceAll('**', '').trim()) ?? []) : []
  if (name !== undefined) return { is: 'heading', name: name.toLowerCase() }
  const within = open && (!own || /^[ \t]/.test(text))
  const [, bullet] = own || kind === 'indented' ? (BULLET.exec(text) ?? []) : []
  if (bullet !== undefined) {
    const answers = own && section === 'criteria' ? answerIn(bullet) : []
    if (answers.length > 0) return { is: 'answers', answers }
    // A finding with its tag is one wherever it stands: none is lost for want of a heading, or as part of another.
    const tagged = tagOf(bullet).word !== null
    if (tagged || (section === 'findings' && own && !within)) return { is: 'finding', text: bullet }
  }
  if (within) return { is: 'more' }
  return { is: own && markOf(text) !== null ? 'mark' : 'prose' }
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
