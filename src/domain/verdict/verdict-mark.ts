/** The lines that make a text a verdict: `**Verdict: PASS**` and, beside it, `**Nonce: …**`. */
import { skeleton } from '../look-alike.ts'
import type { Line } from './verdict-lines.ts'
import { wordOf, type Word } from './verdict-statement.ts'

/** What a line says, if it says one thing and nothing else. */
interface Mark {
  word?: Word
  nonce?: string
  /** A verdict in letters that only look like it. */
  disguised?: boolean
}

const markCharsMax = 200

/** Bold or not, a heading or not. */
const VERDICT = /^(?:#{1,6} +)?verdict *: *(pass|warn|fail)$/i
const NONCE = /^nonce *: *`?([\w-]+)`?$/i

export function markOf(line: string): Mark | null {
  if (line.length > markCharsMax) return null
  const plain = line.replaceAll('**', '').replaceAll('\t', ' ').replace(/^ +/, '').replace(/ +$/, '')
  const word = wordOf(VERDICT.exec(plain)?.[1])
  if (word !== null) return { word }
  const [, nonce] = NONCE.exec(plain) ?? []
  if (nonce !== undefined) return { nonce }
  return /[^ -~]/.test(plain) && VERDICT.test(skeleton(plain).trim()) ? { disguised: true } : null
}

interface Marks {
  words: Word[]
  /** One of them is in bold, as nobody but a judge writes it. */
  bold: boolean
  /** The ones beside a verdict: the two are one thing, so that nothing can be put in the place of one of them. */
  nonces: string[]
  /** The same, in code and quotations. */
  quoted: string[]
  disguised: boolean
}

export function marksOf(lines: readonly Line[]): Marks {
  const marks: Marks = { words: [], bold: false, nonces: [], quoted: [], disguised: false }
  let before: { mark: Mark | null; own: boolean } = { mark: null, own: true }
  for (const { text, kind } of lines) {
    if (kind === 'blank') continue
    const now = { mark: markOf(kind === 'quoted' ? text.replace(/^[ \t>]+/, '') : text), own: kind === 'own' }
    if (now.own && now.mark?.word !== undefined) {
      marks.words.push(now.mark.word)
      marks.bold ||= text.includes('**')
    }
    if (now.own && now.mark?.disguised === true) marks.disguised = true
    const pair = now.own === before.own && now.mark !== null ? { ...before.mark, ...now.mark } : {}
    if (pair.word !== undefined && pair.nonce !== undefined) (now.own ? marks.nonces : marks.quoted).push(pair.nonce)
    before = now
  }
  return marks
}
