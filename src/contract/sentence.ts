/**
 * The shape of a task's text, as far as classification needs it: its tags, its leading verb, that verb's object, and
 * whether it asks. It uses no dictionary and no model. A sentence that it cannot read gives empty answers, never an
 * error.
 */
import {
  ADJECTIVES,
  ADVISORY_VERBS,
  ARTIFACTS,
  CHANGE_VERBS,
  CODE_VERBS,
  FILLERS,
  MAKE_VERBS,
  NOUN_OR_VERB,
  PROSE_VERBS,
  STOPS,
  SYMPTOMS,
} from './words.ts'

export interface Token {
  /** In lower case; of quoted text, its last word. */
  word: string
  /** `name`: an identifier, a path, a number, code: never looked up as a word. `break`: punctuation between clauses. */
  kind: 'word' | 'name' | 'quoted' | 'break'
}

interface Tag {
  word: string
  /** A heading of several words is about its last one; it is not said to be that. */
  alone: boolean
}

export interface Sentence {
  /** What stands in brackets or before a colon at the start: `[RFC]`, `docs(api):`, `Spike -`. */
  tags: Tag[]
  tokens: Token[]
  /** The first word that is not a filler. */
  lead: Token | undefined
  /** Where the lead stands among the tokens. */
  at: number
  /** The nouns from the lead (or, behind a verb, from after it) up to the next stop. */
  object: Token[]
  asks: boolean
}

/** Longer text says no more about what kind of task it is. */
const charsMax = 500

const TOKEN =
  /`[^`\n]*`|"[^"\n]*"|“[^”\n]*”|(?<![\p{L}\p{N}])'[^'\n]*'(?![\p{L}\p{N}])|&|[\p{L}\p{N}@_.~-]*[\p{L}\p{N}_][\p{L}\p{N}_.'’+#:-]*|[,;:()[\]{}|?!–—>]|\s-+\s/gu

export function readSentence(text: string): Sentence {
  const line = firstLine(text)
  const { tags, rest } = takeTags(line)
  const tokens = tokensOf(rest)
  const at = leadIndex(tokens)
  const lead = tokens[at]
  const object = nounsFrom(tokens, isVerb(lead) ? at + 1 : at)
  return { tags, tokens, lead, at, object, asks: /\?\s*$/.test(rest) }
}

function firstLine(text: string): string {
  const line = text.split('\n').find((candidate) => /[\p{L}\p{N}]/u.test(candidate)) ?? ''
  return line.slice(0, charsMax).replace(/^[\s#>*•-]+/, '')
}

export function tokensOf(text: string): Token[] {
  return [...text.replace(/[’]/g, "'").replaceAll('/', ' / ').matchAll(TOKEN)].flatMap(([found]): Token[] => {
    if (found === '&' || found === '+') return [{ word: 'and', kind: 'word' }]
    if (/^[`"“']/.test(found)) {
      const inside = found
        .slice(1, -1)
        .toLowerCase()
        .match(/[\p{L}\p{N}_.-]+/gu)
      return [{ word: inside?.at(-1) ?? '', kind: 'quoted' }]
    }
    const plain = found.replace(/[.:'+-]+$/, '')
    if (!/[\p{L}\p{N}]/u.test(plain)) return [{ word: found.trim(), kind: 'break' }]
    return [{ word: plain.toLowerCase().replaceAll("'", ''), kind: isName(plain) ? 'name' : 'word' }]
  })
}

/** Identifiers and paths keep their letters to themselves: `document.cookie` is no document. */
function isName(text: string): boolean {
  return /[_.:#@~\d]|^-|\p{Ll}\p{Lu}/u.test(text)
}

/** Tags stand at the start, in brackets or before a colon or dash, and are short. Ticket numbers say nothing. */
function takeTags(line: string): { tags: Tag[]; rest: string } {
  const tags: Tag[] = []
  let rest = line
  for (;;) {
    const number = /^\s*(?:#?\d[\d.]*|\p{Lu}[\p{Lu}\d]*-\d+)(?:\s*[:⁃–—-]\s+|\s+)(?=\p{L})/u.exec(rest)
    const found = number ?? BRACKETS.exec(rest) ?? HEADING.exec(rest)
    if (found === null || found[0].length === rest.length) break
    const words = (found[1] ?? '').toLowerCase().match(/\p{L}[\p{L}-]*/gu) ?? []
    const [first = '', ...others] = words
    const isSentence = others.length > 2 || (others.length > 0 && isPlainVerb(first))
    const isBracket = found[0].includes('[')
    if (isSentence && !isBracket) break
    if (!isSentence)
      tags.push(...(isBracket ? words : words.slice(-1)).map((word) => ({ word, alone: others.length === 0 })))
    rest = rest.slice(found[0].length)
  }
  const [first] = /^(?:feat|rfc|spike)(?=[\s/])/i.exec(rest) ?? []
  if (first === undefined) return { tags, rest }
  return { tags: [...tags, { word: first.toLowerCase(), alone: true }], rest: rest.slice(first.length + 1) }
}

const BRACKETS = /^\s*\[([^\]]{0,40})\]\s*[:–—-]*\s*/u
const HEADING = /^\s*(\p{L}[\p{L}\d .#-]{0,30}?)(?:\([^)]{0,40}\))?!?(?::\s+|\s+[–—-]+\s+)(?=\S)/u

function leadIndex(tokens: readonly Token[]): number {
  let at = 0
  while (at < tokens.length - 1) {
    const token = tokens[at]
    const isManner = token?.word.endsWith('ly') === true && isVerb(tokens[at + 1])
    if (token === undefined || !(token.kind === 'break' || FILLERS.has(token.word) || isManner)) break
    at += 1
  }
  return at
}

/** The nouns from `start` on: everything up to a word that ends a noun phrase. */
export function nounsFrom(tokens: readonly Token[], start: number): Token[] {
  const found: Token[] = []
  for (const [index, token] of tokens.entries()) {
    if (index < start) continue
    if (isStop(token)) break
    // "button missing" and "command missing help", but "some missing words".
    const isSaid =
      isStop(tokens[index + 1]) || !ADJECTIVES.has(token.word) || hasNoun(ARTIFACTS, found.at(-1)?.word ?? '')
    if (found.length > 0 && token.kind === 'word' && SYMPTOMS.has(token.word) && isSaid) break
    found.push(token)
  }
  return found
}

function isStop(token: Token | undefined): boolean {
  return token === undefined || token.kind === 'break' || (token.kind === 'word' && STOPS.has(token.word))
}

const VERBS = [ADVISORY_VERBS, PROSE_VERBS, CODE_VERBS, CHANGE_VERBS, MAKE_VERBS, NOUN_OR_VERB]

export function isVerb(token: Token | undefined): boolean {
  return token?.kind === 'word' && VERBS.some((verbs) => hasVerb(verbs, token.word))
}

export function isPlainVerb(word: string): boolean {
  return VERBS.some((verbs) => verbs.has(word))
}

/** Whether a list has the word, in its plain form or as "adds", "added", "adding". */
export function hasVerb(verbs: ReadonlySet<string>, word: string): boolean {
  return plainForms(word).some((form) => verbs.has(form))
}

/** The words this could be a form of; they need not exist. */
function plainForms(word: string): string[] {
  const forms = [word, word.replace(/ie[sd]$/, 'y')]
  for (const ending of ['s', 'es', 'd', 'ed', 'ing']) {
    if (!word.endsWith(ending) || word.length < ending.length + 2) continue
    const stem = word.slice(0, -ending.length)
    forms.push(stem, `${stem}e`, stem.replace(/([^aeiou])\1$/, '$1'))
  }
  return forms
}

/** Whether a list has the noun, as it is or without its plural s. */
export function hasNoun(nouns: ReadonlySet<string>, word: string): boolean {
  return nouns.has(word) || nouns.has(singular(word))
}

export function singular(word: string): string {
  if (/(?:ss|us|is|ics)$/.test(word)) return word
  return word.replace(/(?<=[a-z]{2})ies$/, 'y').replace(/(?<=[a-z]{2})s$/, '')
}
