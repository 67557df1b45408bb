/** A contract in words: for agents in their prompt, and for people in a terminal. */
import type { Contract, Criterion, GeneratedFrom } from './contract.ts'
import { forDisplay } from '../display.ts'

/** Ends the list in a prompt; other tools look for it. */
const CONTRACT_CLOSING = 'Write your implementation knowing these criteria will be checked.'

const TITLES: Readonly<Record<string, string>> = {
  acceptance: 'Acceptance',
  command: 'Command',
  critic: 'Review',
  e2e: 'E2E test',
  file: 'File',
  http: 'HTTP',
  lint: 'Lint',
  typecheck: 'Typecheck',
  'unit-test': 'Unit tests',
}

/** The section of the prompt that says how the work will be judged (S3.23). */
export function contractSection(contract: Contract): string {
  const heading = '## Verification Contract'
  const { type, criteria } = contract
  const counted = criteria.filter(({ skipped }) => skipped === undefined)
  if (type === 'advisory') {
    const wanted = criteria.length === 0 ? '' : ` A person will look for this:\n\n${numbered(criteria)}`
    return `${heading}\n\nThis task asks for advice. Change no files: Muster keeps your answer, and a person reads it.${wanted}`
  }
  const scope = type === 'skip' ? 'This task is about prose. Any other file you change is verified like code. ' : ''
  if (counted.length === 0)
    return `${heading}\n\n${scope}The project has no tools to verify your work with; a reviewer reads it.`
  return `${heading}\n\n${scope}Your work will be verified by:\n\n${numbered(counted)}\n\n${CONTRACT_CLOSING}`
}

/**
 * A criterion as judges may read it. The names of changed files are in the descriptions of guards, and an author chooses
 * those: they belong to what it wrote, not among what judges go by (F-6).
 */
export function forJudges(criterion: Criterion): Criterion {
  const { pattern: _, ...rest } = criterion
  const named = rest.kind === 'guard' && rest.judge === 'machine'
  return named ? { ...rest, description: `${rest.activity} is no worse than before` } : criterion
}

function numbered(criteria: readonly Criterion[]): string {
  return criteria.map((criterion, index) => `${index + 1}. ${item(criterion)}`).join('\n')
}

function item(criterion: Criterion): string {
  const title = TITLES[criterion.activity] ?? 'Check'
  const details = detailsOf(criterion)
  return `**${title}** (${criterion.id}): ${oneLine(criterion.description)}${details.length === 0 ? '' : ` (${details.join('; ')})`}`
}

function detailsOf({ description, command, expect, pattern, activity, timing, judge, origin }: Criterion): string[] {
  return [
    ...(origin === undefined ? [] : [`from subtask ${origin.task}`]),
    ...(command === undefined || description.includes(command) ? [] : [`\`${oneLine(command)}\`${outcome(expect)}`]),
    ...(pattern === undefined || activity === 'critic' ? [] : [`tests that match "${oneLine(pattern)}"`]),
    ...(timing === undefined
      ? []
      : [timing === 'immediate' ? 'runs immediately' : 'deferred: runs before the story ships']),
    ...(judge === 'checker' ? ['judged by an independent checker'] : judge === 'person' ? ['judged by a person'] : []),
  ]
}

function outcome(expect: Criterion['expect']): string {
  if (expect?.output !== undefined) return ` prints "${oneLine(expect.output)}"`
  return expect?.exit === undefined ? '' : ` exits with ${expect.exit}`
}

const SOURCES: Record<GeneratedFrom, string> = {
  auto: "from the task's text and the project",
  prd: "from the story's criteria and the project",
  user: 'by a person',
}

/** For `muster contract`: the type and why, then one line per criterion. */
export function contractText(contract: Contract): string {
  const { type, ambiguous, why, generatedFrom, hash, files, notices, criteria } = contract
  const width = Math.max(0, ...criteria.map(({ activity }) => activity.length))
  const lines = [
    `${type}${ambiguous ? ' (ambiguous)' : ''}: ${why}`,
    ...files.map(({ path, from, why }) => `  file   ${path} (${why === undefined ? from : `${from}: ${why}`})`),
    ...criteria.map((criterion) => {
      const { id, activity, description, kind, judge, skipped } = criterion
      const state = skipped === undefined ? `${kind}, ${judge}` : `does not count: ${skipped}`
      const from = criterion.origin === undefined ? '' : ` [from ${criterion.origin.task} ${criterion.origin.id}]`
      const command = criterion.command === undefined ? '' : `  $ ${criterion.command}${outcome(criterion.expect)}`
      const timing = criterion.timing === undefined ? '' : ` [${criterion.timing}]`
      return `  ${id.padEnd(4)} ${activity.padEnd(width)}  ${description}${timing}${from} (${state})${command}`
    }),
    ...notices.map((notice) => `  note   ${notice}`),
    `  made ${SOURCES[generatedFrom]}; hash ${hash.slice(0, 12)}`,
  ]
  return lines.map(oneLine).join('\n')
}

/** Nothing a task says can start a line of its own or act on a terminal. */
export function oneLine(text: string): string {
  return forDisplay(text, { colours: false }).replace(/(?<=\S)\s*\n\s*/g, ' ')
}
