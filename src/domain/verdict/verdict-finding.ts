/** Findings as judges write them: the file, the criterion and the command that a sentence names. */
import { findingCharsMax } from '../limits.ts'
import { skeleton } from '../look-alike.ts'
import type { FindingText } from './verdict.ts'
import { wordOf, type Word } from './verdict-statement.ts'

/** A finding may fail an attempt if somebody can go and look: at a criterion, at a file, at what a command says. */
export function hasBasis({ criterion, file, command }: FindingText): boolean {
  return criterion !== undefined || file !== undefined || command !== undefined
}

/** The tag in front, and what comes after it. */
export function tagOf(text: string): { word: Word | null; rest: string } {
  const plain = text.slice(0, 80).replaceAll('**', '') + text.slice(80)
  const [tag = '', name = ''] = /^\[([^\]\s]{1,20})\][ \t]*[:—–-]?[ \t]*/.exec(plain) ?? []
  // Whoever writes FAIL in other letters means it; PASS in other letters is no PASS.
  const word = wordOf(name) ?? (wordOf(skeleton(name)) === 'FAIL' ? 'FAIL' : null)
  return { word, rest: word === null ? plain : plain.slice(tag.length) }
}

/** `[FAIL] src/auth.ts:42 token is never checked`. Without a tag the word is null, and the severity the caller's. */
export function readFinding(text: string): { word: Word | null; finding: FindingText } {
  const { word, rest } = tagOf(text)
  return { word, finding: place(rest.slice(0, findingCharsMax).toWellFormed().trim()) }
}

const CRITERION = /^[`[(]?(c\d{1,5})[`\])]?[ \t]*[:—–-]+[ \t]*/i

/** What stands in front (a criterion, a path) is taken out of the sentence; what stands inside stays there. */
function place(text: string): FindingText {
  const [front = '', id] = CRITERION.exec(text) ?? []
  const rest = text.slice(front.length)
  const [first = ''] = /^\S+/.exec(rest) ?? []
  const at = pathOf(first.startsWith('`') ? first.slice(1).replace('`', '') : first, true)
  const message = at === null ? rest : rest.slice(first.length).replace(/^[ \t]*[—–-]?[ \t]+/, '')
  return basisIn({
    severity: 'FAIL',
    message: message.trim() || text,
    ...at,
    ...(id === undefined ? {} : { criterion: id.toLowerCase() }),
  })
}

/** Fills in what the message names, where nobody said it apart. */
export function basisIn(finding: FindingText): FindingText {
  const { message } = finding
  const at = finding.file === undefined ? pathIn(message) : null
  const command = finding.command ?? commandIn(message)
  const [, id] = finding.criterion === undefined ? (/\bcriterion `?(c\d{1,5})\b/i.exec(message) ?? []) : []
  return {
    ...finding,
    ...at,
    ...(id === undefined ? {} : { criterion: id.toLowerCase() }),
    ...(command === undefined ? {} : { command }),
  }
}

/** A path, maybe with a line. In front of a sentence a name will do; `and/or`, `v1.2` and addresses are never one. */
function pathOf(word: string, leads: boolean): Pick<FindingText, 'file' | 'line'> | null {
  let end = Math.min(word.length, 600)
  while (end > 0 && '.:,;!?—–-'.includes(word.charAt(end - 1))) end -= 1
  const [, path = '', line] =
    /^([\w.@~+/[\](){}$-]{1,500})(?::(\d{1,9})(?:[:-]\d{1,9})*)?$/.exec(word.slice(0, end)) ?? []
  const named = /[\w\])}]\.[a-z]\w{0,9}$/i.test(path) || /(?:^|\/)(?:Makefile|Dockerfile|\.[a-z][\w.-]+)$/.test(path)
  if (!named || !(leads || line !== undefined || path.includes('/'))) return null
  return { file: path, ...(line === undefined || Number(line) === 0 ? {} : { line: Number(line) }) }
}

function pathIn(message: string): Pick<FindingText, 'file' | 'line'> | null {
  for (const word of message.split(/[\s`'",;()<>]/)) {
    const found = word === '' ? null : pathOf(word, false)
    if (found !== null) return found
  }
  return null
}

const PROGRAM =
  /^(?:\.{0,2}\/[\w./-]+|(?:npm|npx|node|pnpm|yarn|bunx?|deno|python3?|pytest|uv|pip3?|go|cargo|make|git|grep|rg|find|cat|ls|test|sh|bash|curl|tsc|eslint|jest|vitest|mvn|gradle|dotnet|ruby|bundle|rake|php|composer)(?=\s|$))/
const RAN = /\b(?:ran|run|runs|running|executed|executing|command|commands)\b[ \t]*:?[ \t]*$/i

/** The first back-quoted one: one that was run, by the words before it, or that begins like a command. */
function commandIn(message: string): string | undefined {
  for (let open = message.indexOf('`'); open >= 0;) {
    const close = message.indexOf('`', open + 1)
    if (close < 0) return undefined
    const quoted = message.slice(open + 1, close).trim()
    const before = message.slice(Math.max(0, open - 40), open)
    const isOne = quoted !== '' && !quoted.includes('\n')
    if (isOne && (RAN.test(before) || PROGRAM.test(quoted))) return quoted.slice(0, 1000)
    open = message.indexOf('`', close + 1)
  }
  return undefined
}
