/**
 * Markdown as a terminal shows it: headings and leading words bold, code in colour, paragraphs and lists wrapped, tables
 * aligned where they fit and row by row where they do not. Made for the pages in docs/, not for everything Markdown has.
 */
import type { Paint } from './io.ts'

/** Around bold words until the lines are laid out, and in place of code: letters that no page uses. */
const [BOLD, PLAIN, CODE] = ['\uE000', '\uE001', '\uE002']
const INDENT = '    '

export function renderMarkdown(text: string, paint: Paint, columns: number): string {
  const blocks = blocksOf(text.replace(/<!--[\s\S]*?-->\n?/g, ''))
  const shown = blocks.map((block, at) => {
    // Items stand together; everything else has an empty line before it.
    const gap = at === 0 || (block.kind === 'item' && blocks[at - 1]?.kind === 'item') ? '' : '\n'
    return gap + blockText(block, Math.max(40, columns))
  })
  return shown
    .join('')
    .replace(/\uE000([^\uE001]*)\uE001/g, (_, words: string) => paint.bold(words))
    .replace(/(?<!`)`[^`\n]+`(?!`)/g, (code) => paint.cyan(code))
}

interface Block {
  kind: 'heading' | 'code' | 'table' | 'item' | 'text'
  lines: string[]
}

function blocksOf(text: string): Block[] {
  const blocks: Block[] = []
  let open: Block | null = null
  const begin = (kind: Block['kind'], line: string): Block => {
    const block = { kind, lines: [line] }
    blocks.push(block)
    return block
  }
  for (const line of text.split('\n')) {
    if (open?.kind === 'code') {
      if (line.startsWith('```')) open = null
      else open.lines.push(line)
    } else if (line.startsWith('```')) {
      open = begin('code', '')
      open.lines = []
    } else if (line.trim() === '') open = null
    else if (/^#{1,6} /.test(line)) {
      begin('heading', line)
      open = null
    } else if (line.startsWith('|')) {
      if (open?.kind === 'table') open.lines.push(line)
      else open = begin('table', line)
    } else if (/^\s*(?:[-*]|\d+\.) /.test(line)) open = begin('item', line)
    else if (open === null || open.kind === 'table') open = begin('text', line)
    else open.lines.push(line)
  }
  return blocks
}

function blockText({ kind, lines }: Block, columns: number): string {
  const [first = ''] = lines
  if (kind === 'heading') {
    const words = inline(first.replace(/^#+ /, '')).replaceAll(/[\uE000\uE001]/g, '')
    return `${BOLD}${first.startsWith('# ') ? words.toUpperCase() : words}${PLAIN}\n`
  }
  if (kind === 'code') return `${lines.map((line) => INDENT + line).join('\n')}\n`
  if (kind === 'table') return tableText(lines, columns)
  if (kind === 'text') return `${wrapped(inline(lines.join(' ')), columns, '', '')}\n`
  const [mark = ''] = /^\s*(?:[-*]|\d+\.) /.exec(first) ?? []
  const words = [first.slice(mark.length), ...lines.slice(1).map((line) => line.trim())].join(' ')
  return `${wrapped(inline(words), columns, mark.replace(/[-*] $/, '• '), ' '.repeat(mark.length))}\n`
}

/** Bold words marked, and links as what to type next. What stands in code stays as it is. */
function inline(text: string): string {
  const code = text.match(/`[^`]*`/g) ?? []
  return prose(text.replace(/`[^`]*`/g, CODE)).replaceAll(CODE, () => code.shift() ?? '')
}

function prose(text: string): string {
  return text
    .replace(/!\[([^\]]*)\]\([^)]*\)/g, '[picture: $1]')
    .replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, (_, words: string, to: string) => {
      const [, page] = /^([a-z-]+)\.md(?:#.*)?$/.exec(to) ?? []
      if (page !== undefined) return words === `${page}.md` ? `muster help ${page}` : `${words} (muster help ${page})`
      return /^https?:/.test(to) && words !== to ? `${words} (${to})` : words
    })
    .replace(/\*\*([^*]+)\*\*/g, `${BOLD}$1${PLAIN}`)
}

const width = (text: string): number => text.replace(/[\uE000\uE001]/g, '').length

export function wrapped(text: string, columns: number, first: string, rest: string): string {
  const lines: string[] = []
  let line = first
  let isEmpty = true
  for (const word of text.split(/\s+/).filter(Boolean)) {
    if (!isEmpty && width(line) + 1 + width(word) > columns) {
      lines.push(line)
      line = rest
      isEmpty = true
    }
    line += isEmpty ? word : ` ${word}`
    isEmpty = false
  }
  return [...lines, line].join('\n')
}

function tableText(lines: readonly string[], columns: number): string {
  const [head = [], , ...rows] = lines.map(cellsOf)
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map((row) => width(row[at] ?? ''))))
  const total = widths.reduce((sum, one) => sum + one + 2, 0)
  const named = head.some((cell) => cell !== '')
  if (total > columns) return rows.map((row) => `${stacked(head, row, columns)}\n`).join('')
  const aligned = (row: readonly string[]) =>
    row.map((cell, at) => cell + ' '.repeat(Math.max(0, (widths[at] ?? 0) - width(cell)))).join('  ')
  const top = named
    ? [
        `${BOLD}${aligned(head)
          .trimEnd()
          .replace(/[\uE000\uE001]/g, '')}${PLAIN}`,
      ]
    : []
  return `${[...top, ...rows.map((row) => aligned(row).trimEnd())].join('\n')}\n`
}

/** A row that is wider than the terminal: its first cell, and the others below it. */
function stacked(head: readonly string[], [first = '', ...others]: readonly string[], columns: number): string {
  const lines = others.flatMap((cell, at) => {
    const name = others.length > 1 && head[at + 1] ? `${head[at + 1]}: ` : ''
    return cell === '' ? [] : [wrapped(name + cell, columns, INDENT, INDENT)]
  })
  return [wrapped(first, columns, '', ''), ...lines].join('\n')
}

function cellsOf(line: string): string[] {
  return line
    .replace(/^\||\|\s*$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => inline(cell.trim().replaceAll('\\|', '|')))
}
