/**
 * Colours for code: a few languages, loaded when a diff is shown. The result is words with names of colours, never
 * markup. Long lines stay plain, and only a part of a file is highlighted at a time.
 */
import bash from 'highlight.js/lib/languages/bash'
import c from 'highlight.js/lib/languages/c'
import cpp from 'highlight.js/lib/languages/cpp'
import csharp from 'highlight.js/lib/languages/csharp'
import css from 'highlight.js/lib/languages/css'
import dockerfile from 'highlight.js/lib/languages/dockerfile'
import go from 'highlight.js/lib/languages/go'
import ini from 'highlight.js/lib/languages/ini'
import java from 'highlight.js/lib/languages/java'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import kotlin from 'highlight.js/lib/languages/kotlin'
import makefile from 'highlight.js/lib/languages/makefile'
import markdown from 'highlight.js/lib/languages/markdown'
import php from 'highlight.js/lib/languages/php'
import python from 'highlight.js/lib/languages/python'
import ruby from 'highlight.js/lib/languages/ruby'
import rust from 'highlight.js/lib/languages/rust'
import sql from 'highlight.js/lib/languages/sql'
import swift from 'highlight.js/lib/languages/swift'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'
import { createLowlight } from 'lowlight'
import type { Hunk, Line } from './patch.ts'

export interface Token {
  text: string
  /** The name of a colour; null: as the rest. */
  tone: string | null
}

const lowlight = createLowlight({
  bash,
  c,
  cpp,
  csharp,
  css,
  dockerfile,
  go,
  ini,
  java,
  javascript,
  json,
  kotlin,
  makefile,
  markdown,
  php,
  python,
  ruby,
  rust,
  sql,
  swift,
  typescript,
  xml,
  yaml,
})

const ENDINGS: Record<string, string> = {
  ...spread('typescript', 'ts tsx mts cts'),
  ...spread('javascript', 'js jsx mjs cjs'),
  ...spread('json', 'json jsonc json5 jsonl'),
  ...spread('python', 'py pyi'),
  ...spread('bash', 'sh bash zsh'),
  ...spread('cpp', 'cc cpp cxx hpp hh hxx'),
  ...spread('c', 'c h'),
  ...spread('csharp', 'cs'),
  ...spread('css', 'css scss less'),
  ...spread('xml', 'xml html htm svg vue svelte'),
  ...spread('ini', 'ini toml cfg conf properties'),
  ...spread('yaml', 'yaml yml'),
  ...spread('markdown', 'md markdown'),
  ...spread('kotlin', 'kt kts'),
  ...spread('ruby', 'rb rake gemspec'),
  ...spread('go', 'go'),
  ...spread('java', 'java'),
  ...spread('php', 'php'),
  ...spread('rust', 'rs'),
  ...spread('sql', 'sql'),
  ...spread('swift', 'swift'),
}
const NAMES: Record<string, string> = {
  dockerfile: 'dockerfile',
  makefile: 'makefile',
  gemfile: 'ruby',
  rakefile: 'ruby',
}

function spread(language: string, endings: string): Record<string, string> {
  return Object.fromEntries(endings.split(' ').map((ending) => [ending, language]))
}

export function languageOf(path: string): string | null {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  const ending = name.slice(name.lastIndexOf('.') + 1)
  return (Object.hasOwn(NAMES, name) ? NAMES[name] : Object.hasOwn(ENDINGS, ending) ? ENDINGS[ending] : null) ?? null
}

const TONES: Record<string, string> = {
  ...spread('word', 'keyword built_in selector-tag literal operator section'),
  ...spread('text', 'string regexp char template-tag template-variable link quote'),
  ...spread('aside', 'comment doctag'),
  ...spread('count', 'number symbol bullet'),
  ...spread('name', 'title type class function tag name selector-class selector-id'),
  ...spread('field', 'attr attribute property variable params meta'),
}

const pieceLines = 150
const lineCharsMax = 500

type Pieces = Map<number, readonly (readonly Token[])[] | null>
const known = new WeakMap<Hunk, Record<'old' | 'new', Pieces>>()
const lists = new WeakMap<Hunk, Record<'old' | 'new', { lines: readonly Line[]; at: Map<Line, number> }>>()

/** The words of a line of a hunk; null: it stays plain. */
export function tokensOf(language: string, hunk: Hunk, line: Line): readonly Token[] | null {
  const side = line.sign === '-' ? 'old' : 'new'
  const { lines, at } = sidesOf(hunk)[side]
  const index = at.get(line)
  if (index === undefined) return null
  const pieces = known.get(hunk) ?? { old: new Map(), new: new Map() }
  known.set(hunk, pieces)
  const piece = Math.floor(index / pieceLines)
  let told = pieces[side].get(piece)
  if (told === undefined) {
    told = highlight(
      language,
      lines.slice(piece * pieceLines, (piece + 1) * pieceLines).map(({ text }) => text),
    )
    pieces[side].set(piece, told)
  }
  return told?.[index % pieceLines] ?? null
}

/** Each side as it reads for itself: what is not of it would only confuse. */
function sidesOf(hunk: Hunk) {
  const found = lists.get(hunk)
  if (found !== undefined) return found
  const side = (not: '+' | '-') => {
    const lines = hunk.lines.filter(({ sign }) => sign !== not)
    return { lines, at: new Map(lines.map((line, index) => [line, index])) }
  }
  const sides = { old: side('+'), new: side('-') }
  lists.set(hunk, sides)
  return sides
}

export function highlight(language: string, texts: readonly string[]): readonly (readonly Token[])[] | null {
  if (texts.some((text) => text.length > lineCharsMax)) return null
  const lines: Token[][] = [[]]
  const add = (text: string, tone: string | null): void => {
    for (const [index, part] of text.split('\n').entries()) {
      if (index > 0) lines.push([])
      if (part !== '') lines.at(-1)?.push({ text: part, tone })
    }
  }
  const walk = (node: ReturnType<typeof lowlight.highlight>['children'][number], tone: string | null): void => {
    if (node.type === 'text') return add(node.value, tone)
    if (node.type !== 'element') return
    const classes = node.properties['className']
    const word = Array.isArray(classes) ? String(classes[0]).replace(/^hljs-/, '') : ''
    const own = Object.hasOwn(TONES, word) ? (TONES[word] ?? tone) : tone
    for (const child of node.children) walk(child, own)
  }
  for (const node of lowlight.highlight(language, texts.join('\n')).children) walk(node, null)
  return lines
}
