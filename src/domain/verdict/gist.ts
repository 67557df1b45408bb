/** One line that summarises a failure, for titles, holds and notices. No decision depends on it. */
import type { FindingText } from './verdict.ts'

const charsMax = 200

interface Said {
  detail: string
  findings: readonly Pick<FindingText, 'severity' | 'message' | 'file'>[]
}

/** What a step came to: the first line of its detail, or else of what was found; behind an exit code both. */
export function gist({ detail, findings }: Said): string {
  const found = findings.find(({ severity }) => severity === 'FAIL') ?? findings[0]
  const line = tellingLine(detail) ?? (found === undefined ? null : tellingLine(foundText(found)))
  const [first = ''] = linesOf(detail)
  if (line === null) return cut(first || 'no detail')
  return cut(EXIT_CODE.test(first) ? `${first}: ${line}` : line)
}

/** A failure as a title: without the exit code, wherever anything else is known. */
export const failureTitle = (text: string): string => cut(tellingLine(text) ?? gist({ detail: text, findings: [] }))

export function foundText({ file, message }: Pick<FindingText, 'message' | 'file'>): string {
  return file === undefined ? message : `${file}: ${message}`
}

/** A command's exit code is followed by what it printed: the error there, or its last line, says more. */
function tellingLine(text: string): string | null {
  const [first, ...printed] = linesOf(text)
  if (first === undefined) return null
  if (!EXIT_CODE.test(first)) return first
  return printed.find((line) => ERROR.test(line)) ?? printed.at(-1) ?? null
}

const EXIT_CODE = /^exit(?:ed with)? \d+$/
const ERROR = /\b(?:cannot|denied|error|exception|expected|fail(?:ed|s|ure)?|fatal|not found|refused|timed out)\b/i

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

const cut = (line: string): string => (line.length > charsMax ? `${line.slice(0, charsMax - 1)}…` : line)
