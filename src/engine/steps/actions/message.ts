/**
 * The message of the commit with which a task lands: what was done, what was verified, who answered for it. Titles and
 * reasons are others' words, so each stays on one line: none can become a trailer or act on a terminal.
 */
import { forDisplay } from '../../../domain/display.ts'
import { servedStory } from '../../../domain/task/purpose.ts'
import type { CriterionResult } from '../../../domain/verdict/evidence.ts'
import { excusedWords, tallyOf, tallyText } from '../../../domain/verdict/evidence.ts'
import type { TaskState } from '../../../domain/task/task.ts'
import type { RunRecord, TaskSummary } from '../../../ports/store.ts'

const subjectCharsMax = 72
const reasonCharsMax = 300
const activitiesMax = 12

interface LandingMessage {
  subject: string
  /** What was verified, then the trailers. */
  body: string
}

export function landingMessage(
  spec: Pick<TaskSummary, 'id' | 'title' | 'purpose'>,
  said: readonly string[],
): LandingMessage {
  const { id, title } = spec
  const story = servedStory(spec)
  const trailers = [...(story === null ? [] : [`Muster-Story: ${story}`]), `Muster-Task: ${id}`]
  const paragraphs = said.length === 0 ? [] : [said.map(wrap).join('\n')]
  return {
    subject: cut(plain(title), subjectCharsMax) || id,
    body: `${[...paragraphs, trailers.map(plain).join('\n')].join('\n\n')}\n`,
  }
}

/** What a person who reads the history wants to know of how the work was judged, a sentence each. */
export function verifiedWords(
  spec: Pick<TaskSummary, 'purpose'>,
  state: Pick<TaskState, 'commit' | 'attempt' | 'check' | 'approval' | 'waiver'>,
  criteria: readonly CriterionResult[],
  runs: readonly RunRecord[],
): string[] {
  const { commit, attempt, check, approval, waiver } = state
  const ships = servedStory(spec) !== null
  const tests = Math.max(0, ...criteria.map(({ evidence }) => evidence?.counts?.executed ?? 0))
  const excused = excusedWords({ criteria })
  const judged = check !== null && check.commit === commit ? judgement('checker', check.verdict) : null
  const taken = criteria.filter(({ status }) => status === 'waived').length
  return [
    ...(activities(criteria) === '' ? [] : [`Verified on this tree: ${activities(criteria)}.`]),
    ...(criteria.length === 0 ? [] : [`Criteria: ${tallyText(tallyOf(criteria))}.`]),
    ...(tests === 0 ? [] : [`Tests run: ${tests}.`]),
    ...(excused === null ? [] : [`${excused}.`]),
    ...(judged === null ? [] : [judged]),
    ...[...verdictsOf(runs, attempt)].flatMap(([role, verdict]) => judgement(plain(role), verdict) ?? []),
    ...(approval === null || approval.commit !== commit
      ? []
      : [`${ships ? 'Shipped' : 'Approved'} by ${plain(approval.by)}.`]),
    ...(waiver === null || waiver.commit !== commit || ships
      ? []
      : [
          `Waived by ${plain(waiver.by)}${taken === 0 ? '' : ` (criteria: ${taken})`}: ${cut(plain(waiver.reason), reasonCharsMax) || 'no reason given'}`,
        ]),
  ]
}

/** What judges of the task's own map said of this attempt, each its last. */
function verdictsOf(runs: readonly RunRecord[], attempt: number): Map<string, string | null> {
  const judged = runs.filter((run) => run.does === 'judge' && run.attempt === attempt)
  return new Map(judged.map(({ name, end }) => [name, end?.verdict ?? null]))
}

const VERDICTS: Partial<Record<string, string>> = {
  PASS: 'passed this',
  WARN: 'passed this with warnings',
  FAIL: 'did not pass this; a person decided',
  ERROR: 'could not judge this; a person decided',
}

function judgement(role: string, verdict: string | null): string | null {
  const words = verdict === null ? undefined : VERDICTS[verdict]
  return words === undefined ? null : `The ${role} ${words}.`
}

/** What was really looked at: neither what was skipped, nor what somebody took over or is still to answer. */
function activities(criteria: readonly CriterionResult[]): string {
  const answered = criteria.filter(({ status }) => status === 'pass' || status === 'excused')
  const all = [...new Set(answered.map(({ activity }) => plain(activity)))]
  const more = all.length - activitiesMax
  return `${all.slice(0, activitiesMax).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function plain(text: string): string {
  return forDisplay(text, { colours: false }).replaceAll(/\s+/g, ' ').trim()
}

/** At a word, if there is one to cut at. */
function cut(text: string, charsMax: number): string {
  const chars = Array.from(text)
  if (chars.length <= charsMax) return text
  const kept = chars.slice(0, charsMax - 1).join('')
  const space = chars[charsMax - 1] === ' ' ? kept.length : kept.lastIndexOf(' ')
  return `${(space > charsMax / 2 ? kept.slice(0, space) : kept).replace(/[\s,;:.–-]+$/, '')}…`
}

/** Lines of a width that git log shows whole. */
function wrap(text: string): string {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= subjectCharsMax)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(lines.length === 0 ? word : `  ${word}`)
  }
  return lines.join('\n')
}
