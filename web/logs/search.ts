/**
 * Searches a log: for words, or for the first line that looks like an error. Its work is limited, whatever the log
 * holds.
 */

export interface Entry {
  /** What kind of moment it is in a timeline; `output`: just a line. */
  kind: string
  text: string
  bad?: boolean
}

/** Of one entry, this much is looked at. */
const searchedCharsMax = 20_000
export const matchesMax = 1000

/** The entries that hold it, by their places, whatever the case of its letters. */
export function matchesOf(entries: readonly Entry[], wanted: string): number[] {
  const word = wanted.toLowerCase()
  const found: number[] = []
  if (word === '') return found
  for (const [index, { text }] of entries.entries()) {
    if (!text.slice(0, searchedCharsMax).toLowerCase().includes(word)) continue
    if (found.push(index) === matchesMax) break
  }
  return found
}

export interface Part {
  text: string
  hit: boolean
}

/** A text in the pieces to be marked and those between them. */
export function markedParts(text: string, wanted: string): Part[] {
  const word = wanted.toLowerCase()
  const low = text.toLowerCase()
  // Letters that change their length with their case would shift the marks.
  if (word === '' || low.length !== text.length) return [{ text, hit: false }]
  const parts: Part[] = []
  let from = 0
  for (let at = low.indexOf(word); at >= 0; at = low.indexOf(word, from)) {
    if (at > from) parts.push({ text: text.slice(from, at), hit: false })
    parts.push({ text: text.slice(at, at + word.length), hit: true })
    from = at + word.length
  }
  if (from < text.length) parts.push({ text: text.slice(from), hit: false })
  return parts
}

const errorCharsMax = 500
const ERROR =
  /^\s*(?:not ok\b|✗|×|✖|●|E {2,})|\b(?:errors?|fatal|panic(?:ked)?|exceptions?|traceback|failed|failures?|failing|segfault|denied|timed out|command not found)\b/i
const NAMED = /\b[A-Z]\w*(?:Error|Exception)\b/
/** It says that there is none. */
const NONE =
  /\b(?:0|no|without(?: any)?|zero) (?:new )?(?:errors?|failures?|failed|failing|exceptions?)\b|\b(?:errors?|failures?|failed|fail)[:=] ?0\b|# fail 0/gi

export function isError({ kind, text, bad }: Entry): boolean {
  if (bad === true) return true
  // What an agent says it will do about errors is none; what its tools came to is told by the program.
  if (kind !== 'output') return false
  const said = text.slice(0, errorCharsMax).replace(NONE, '')
  return ERROR.test(said) || NAMED.test(said)
}

/** Where the first error is; -1: there is none. */
export function firstError(entries: readonly Entry[]): number {
  return entries.findIndex(isError)
}
