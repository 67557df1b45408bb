/**
 * Acceptance criteria into criteria of a contract: what Muster can find out itself (a command, a statement about a
 * file) is judged by the machine, the rest by the checker, and what only people can say by a person.
 *
 * A statement about HTTP ("GET /health returns 200") goes to the checker unless it names a command: to answer it a
 * server has to run, and which one, how it starts and when it is ready is nothing Muster could know from the text. A
 * wrong guess would be an ERROR about Muster, not a verdict about the work.
 */
import type { Assertion, Criterion, Expectation } from '../domain/contract.ts'
import type { ProjectFacts, ToolName } from '../domain/facts.ts'
import { pathProblem } from './files.ts'
import { lintCriterion } from './lint.ts'
import { splitCriteria } from './split.ts'

export type DraftCriterion = Omit<Criterion, 'id'>

export const criteriaMax = 100
export const descriptionCharsMax = 1000

export interface ReadCriteria {
  criteria: DraftCriterion[]
  notices: string[]
}

/** `files`: the paths the project has, to find the README that "README contains …" means. */
export function readCriteria(text: string, facts: ProjectFacts, files: readonly string[]): ReadCriteria {
  const statements = splitCriteria(text)
  const notices = statements.slice(0, criteriaMax).flatMap((statement) => {
    const found = lintCriterion(statement)
    return found === null
      ? []
      : [`acceptance criterion "${shorten(statement, 60)}": ${found.problem}; ${found.rewording}`]
  })
  if (statements.length > criteriaMax) {
    notices.push(
      `there are ${statements.length} acceptance criteria; only the first ${criteriaMax} are judged one by one`,
    )
  }
  return { criteria: statements.slice(0, criteriaMax).map((one) => criterionOf(one, facts, files)), notices }
}

function criterionOf(statement: string, facts: ProjectFacts, files: readonly string[]): DraftCriterion {
  const base = { description: shorten(statement, descriptionCharsMax), kind: 'goal' } as const
  // What speaks to the judge is never put before a model that judges.
  if (lintCriterion(statement)?.for === 'person') return { activity: 'acceptance', ...base, judge: 'person' }
  if (statement.length > descriptionCharsMax) return { activity: 'acceptance', ...base, judge: 'checker' }
  const command = commandOf(statement)
  if (command !== null) return { activity: 'command', ...base, ...command, judge: 'machine' }
  const tool = toolOf(statement, facts)
  if (tool !== null) return { ...tool, ...base, judge: 'machine' }
  const assertion = assertionOf(statement, files)
  if (assertion !== null) return { activity: 'file', ...base, assertion, judge: 'machine' }
  const judge = PEOPLE.test(statement) ? 'person' : 'checker'
  return { activity: HTTP.test(statement) ? 'http' : 'acceptance', ...base, judge }
}

const HTTP = /\b(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)\s+`?\/\S*/
const PEOPLE = /\b(?:approved|confirmed|reviewed|signed off|tested) by\b|\b(?:by hand|manually|manual check)\b/i

const PROGRAMS = new Set(
  `bash bun bunx cargo composer curl deno docker dotnet git go gradle jest make mvn mypy node npm npx php phpunit pip
   playwright pnpm poetry psql pyright pytest python python3 rake ruby ruff sh test tox tsc uv vitest yarn`.split(
    /\s+/,
  ),
)
const PASSES =
  /\b(?:exits?(?: with)?(?: code| status)? 0|(?:is|are) green|pass(?:es)?|runs? clean(?:ly)?|succeeds?|without errors?)\b/i
const EXITS = /\bexits?(?: with)?(?: code| status)? (\d{1,3})\b/i
const PRINTS = /\b(?:outputs?|prints?)\s+(?:`([^`]+)`|"([^"]+)"|“([^”]+)”)/i
const BARE =
  /^((?:[\w./@:=-]+ ){0,8}?[\w./@:=-]+) (?:passes|succeeds|is green|exits(?: with)?(?: code| status)? \d+)\.?$/i

/** A command whose outcome the statement names. One that is only mentioned is for the checker to run. */
function commandOf(statement: string): { command: string; expect?: Expectation } | null {
  const exit = EXITS.exec(statement)?.[1]
  const output = PRINTS.exec(statement)
    ?.slice(1)
    .find((text) => text !== undefined)
  const spans = [...statement.matchAll(/`([^`]+)`/g)]
    .map(([, span = '']) => span.trim())
    .filter((span) => span !== output)
  const bare = BARE.exec(statement)?.[1]
  const commands = (spans.length > 0 ? spans : bare === undefined ? [] : [bare]).filter(
    (text) => isProgram(text) || (isInvocation(text) && (exit ?? output) !== undefined),
  )
  if (commands.length === 0 || /\b(?:fails?|not|unless|without the)\b|n't\b/i.test(statement)) return null
  const command = commands.join(' && ')
  if (output !== undefined) return commands.length === 1 ? { command, expect: { output } } : null
  if (exit !== undefined && exit !== '0')
    return commands.length === 1 ? { command, expect: { exit: Number(exit) } } : null
  return PASSES.test(statement) ? { command } : null
}

function isProgram(text: string): boolean {
  const [first = ''] = text.split(' ')
  return PROGRAMS.has(first) || /^\.{1,2}\/\S/.test(first)
}

/** Looks like a command line of a program nobody has heard of: a word, then words or options. */
function isInvocation(text: string): boolean {
  return /^[a-z][\w.-]*(?: [\w./@:=-]+)+$/.test(text)
}

const TOOL_STATEMENTS: readonly [ToolName, RegExp][] = [
  [
    'unit-test',
    /^(?:all |the |existing |unit |whole )*(?:test suite|tests?) (?:still )?(?:pass(?:es)?|succeeds?|(?:is|are) green)\.?$/i,
  ],
  [
    'typecheck',
    /^(?:(?:there are )?no (?:new )?type errors|(?:the )?(?:typecheck|type check) (?:passes|is clean|succeeds))\.?$/i,
  ],
  [
    'lint',
    /^(?:(?:there are )?no (?:new )?lint(?:er|ing)? (?:errors|warnings)|(?:the )?lint(?:er)? (?:passes|is clean))\.?$/i,
  ],
  ['build', /^(?:the )?(?:project |build )?(?:builds|passes|succeeds|is green)(?: without errors)?\.?$/i],
  ['e2e', /^(?:all |the )*(?:e2e|end-to-end) tests (?:pass|are green|succeed)\.?$/i],
]

/** "All tests pass" means the project's own. */
function toolOf(statement: string, facts: ProjectFacts): { activity: ToolName; command: string } | null {
  const name = TOOL_STATEMENTS.find(([, pattern]) => pattern.test(statement))?.[0]
  const tool = name === undefined ? undefined : facts.tools[name]
  return name === undefined || tool === undefined ? null : { activity: name, command: tool.command }
}

const PATH = String.raw`(?:the file |file )?[\x60"]?([\w@.-]+(?:/[\w@.-]+)*)[\x60"]?`
const QUOTED = String.raw`(?:the (?:text|line|word|string) )?(?:\x60([^\x60]+)\x60|"([^"]+)")`
const FILE_STATEMENTS: readonly [Assertion['kind'], RegExp][] = [
  ['exists', new RegExp(String.raw`^(?:there is (?:a )?)?${PATH} (?:exists|is there|is present)\.?$`, 'i')],
  ['absent', new RegExp(String.raw`^${PATH} (?:does not exist|no longer exists|is (?:deleted|gone|removed))\.?$`, 'i')],
  [
    'lacks',
    new RegExp(String.raw`^${PATH} (?:does not|no longer) (?:contains?|mentions?|includes?) ${QUOTED}\.?$`, 'i'),
  ],
  ['contains', new RegExp(String.raw`^${PATH} (?:contains|includes|mentions) ${QUOTED}\.?$`, 'i')],
]

function assertionOf(statement: string, files: readonly string[]): Assertion | null {
  for (const [kind, pattern] of FILE_STATEMENTS) {
    const [, named, inBackticks, inQuotes] = pattern.exec(statement) ?? []
    const path = named === undefined ? null : pathOf(named, files)
    if (path === null) continue
    const text = inBackticks ?? inQuotes
    return { kind, path, ...(text === undefined ? {} : { text }) }
  }
  return null
}

/** A path says where it is or what it is by its ending; a bare README is the one the project has. */
function pathOf(named: string, files: readonly string[]): string | null {
  if (pathProblem(named) !== null) return null
  const path = named.replace(/^\.\//, '')
  if (/\/|.\.\w{1,10}$/.test(path) || files.includes(path)) return path
  const like = files.filter((file) => file.toLowerCase().replace(/\.\w+$/, '') === path.toLowerCase())
  return like.length === 1 ? (like[0] ?? null) : null
}

export function shorten(text: string, charsMax: number): string {
  return text.length > charsMax ? `${text.slice(0, charsMax - 1)}…` : text
}
