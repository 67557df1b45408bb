/**
 * The lines of a text, and which of them are the writer's own words: not fenced code, not indented code, not a
 * quotation. Follows CommonMark where it is clear, and treats a line as quoted where it is not.
 */

export interface Line {
  text: string
  kind: 'own' | 'blank' | 'fenced' | 'indented' | 'quoted'
}

interface Fence {
  sign: string
  length: number
  indent: number
}

/** Also behind the sign of a list item. */
const FENCE = /^([ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)(`{3,}|~{3,})(.*)$/s

export function linesOf(text: string): Line[] {
  let fence: Fence | null = null
  // A paragraph that begins in a quotation goes on in it without a sign.
  let quoted = false
  return text.split('\n').map((raw): Line => {
    const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw
    if (fence !== null) {
      if (closes(line, fence)) fence = null
      return { text: line, kind: 'fenced' }
    }
    if (/^[ \t]*$/.test(line)) {
      quoted = false
      return { text: line, kind: 'blank' }
    }
    fence = opened(line)
    if (fence !== null) {
      quoted = false
      return { text: line, kind: 'fenced' }
    }
    const indent = indentOf(line)
    if (line.trimStart().startsWith('>')) quoted = true
    if (quoted) return { text: line, kind: 'quoted' }
    return { text: line, kind: indent >= 4 ? 'indented' : 'own' }
  })
}

/** Never closed, it lasts to the end: what comes after it is no verdict. */
function opened(line: string): Fence | null {
  const [, before = '', signs = '', info = ''] = FENCE.exec(line) ?? []
  if (signs === '' || (signs.startsWith('`') && info.includes('`'))) return null
  return { sign: signs.charAt(0), length: signs.length, indent: indentOf(before.replace(/[^ \t]/g, ' ') + '.') }
}

function closes(line: string, { sign, length, indent }: Fence): boolean {
  const [, signs = ''] = /^[ \t]*(`{3,}|~{3,})[ \t]*$/.exec(line) ?? []
  return signs.startsWith(sign) && signs.length >= length && indentOf(line) <= indent + 3
}

function indentOf(line: string): number {
  let columns = 0
  for (const character of line) {
    if (character === ' ') columns += 1
    else if (character === '\t') columns += 4 - (columns % 4)
    else break
  }
  return columns
}
