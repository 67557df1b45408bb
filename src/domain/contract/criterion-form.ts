/**
 * The forms of a statement that tell how to answer it: a command with its outcome, one of the project's tools, a file,
 * or a person's judgement. Whether the project has that tool or file is checked elsewhere.
 */
import type { Assertion, Expectation } from './contract.ts'
import type { ToolName } from '../tool.ts'

const PEOPLE = /\b(?:approved|confirmed|reviewed|signed off|tested) by\b|\b(?:by hand|manually|manual check)\b/i

/** It names a person's own look as what answers it. */
export const isForPerson = (statement: string): boolean => PEOPLE.test(statement)

/** Muster may be able to answer it itself. */
export function isForMachine(statement: string): boolean {
  return commandOf(statement) !== null || toolNameOf(statement) !== undefined || fileStatementOf(statement) !== null
}

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
export function commandOf(statement: string): { command: string; expect?: Expectation } | null {
  const exit = EXITS.exec(statement)?.[1]
  const output = PRINTS.exec(statement)
    ?.slice(1)
    .find((text) => text !== undefined)
  const spans = [...statement.matchAll(/`[^`]+`/g)]
    .map(([span]) => span.slice(1, -1).trim())
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
  [
    'build',
    /^(?:the )?(?:(?:project |build )(?:passes|succeeds|is green)|(?:project )?builds)(?: without errors)?\.?$/i,
  ],
  ['e2e', /^(?:all |the )*(?:e2e|end-to-end) tests (?:pass|are green|succeed)\.?$/i],
]

export const toolNameOf = (statement: string): ToolName | undefined =>
  TOOL_STATEMENTS.find(([, pattern]) => pattern.test(statement))?.[0]

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

/** What it says of a file; the path is as it is written. */
export function fileStatementOf(statement: string): Assertion | null {
  for (const [kind, pattern] of FILE_STATEMENTS) {
    const [, path, inBackticks, inQuotes] = pattern.exec(statement) ?? []
    const text = inBackticks ?? inQuotes
    if (path !== undefined) return { kind, path, ...(text === undefined ? {} : { text }) }
  }
  return null
}
