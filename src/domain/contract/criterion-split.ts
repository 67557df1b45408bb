/** Acceptance criteria as people write them: lists, numbered or with boxes, lines, or one line with semicolons. */
import { forDisplay } from '../display.ts'

const ITEM = /^(\s*)(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]?\]\s*)?(.*)$/
const NO_STATEMENT = [/^\s*$/, /^\s{0,3}#{1,6}\s/, /^\s*(?:```|~~~)/, /^\W*(?:acceptance )?criteria\W*$/i]

interface Line {
  /** Its indentation; a line that is no entry stands a little above the entries below it. */
  depth: number
  text: string
  /** Whether it is an entry of a list, and not the next line of one. */
  item: boolean
}

/** Each statement on one line, without list marks and anything that acts on a terminal. */
export function splitCriteria(text: string): string[] {
  const lines = forDisplay(text, { colours: false })
    .split('\n')
    .filter((line) => !NO_STATEMENT.some((pattern) => pattern.test(line)))
    .map(readLine)
  const isList = lines.some(({ item }) => item)
  if (isList) return introduced(joinLines(lines)).filter((statement) => statement !== '')
  return lines.flatMap((line) => atSemicolons(line.text)).filter((statement) => statement !== '')
}

function readLine(line: string): Line {
  const [, indent, item] = ITEM.exec(line) ?? []
  if (indent !== undefined && item !== undefined) return { depth: indent.length, text: item.trim(), item: true }
  return { depth: line.length - line.trimStart().length - 0.5, text: line.trim(), item: false }
}

/** An indented line behind an entry belongs to it. */
function joinLines(lines: readonly Line[]): Line[] {
  const joined: Line[] = []
  for (const line of lines) {
    const last = joined.at(-1)
    if (last === undefined || line.item || line.depth < 0) joined.push(line)
    else joined[joined.length - 1] = { ...last, text: `${last.text} ${line.text}` }
  }
  return joined
}

/** "It shows:" with deeper entries below it is said of each of them. */
function introduced(lines: readonly Line[]): string[] {
  const above: Line[] = []
  return lines.flatMap((line, index) => {
    while ((above.at(-1)?.depth ?? -1) >= line.depth) above.pop()
    const isIntroduction = line.text.endsWith(':') && (lines[index + 1]?.depth ?? 0) > line.depth
    if (isIntroduction) above.push(line)
    return isIntroduction ? [] : [[...above.slice(-1), line].map(({ text }) => text).join(' ')]
  })
}

/** Not inside backticks, quotes or brackets, unless these are left open. */
function atSemicolons(line: string): string[] {
  const parts = line.match(/(?:`[^`]{0,200}`|"[^"]{0,200}"|\([^)]{0,200}\)|[^;])+/g) ?? []
  return parts.map((part) => part.trim())
}
