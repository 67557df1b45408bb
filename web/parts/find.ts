/** Search by a few letters: whole words first, then letters in their order. */

/** Lower is better; null: it does not fit. Every word of the query must be found. */
export function scoreOf(query: string, text: string): number | null {
  let score = 0
  for (const word of query.toLowerCase().split(/\s+/)) {
    if (word === '') continue
    const one = wordScore(word, text)
    if (one === null) return null
    score += one
  }
  // Of two that fit alike, the shorter one is meant more often.
  return score + Math.min(text.length, 200) / 1000
}

function wordScore(word: string, text: string): number | null {
  const at = text.indexOf(word)
  if (at === 0) return 0
  if (at > 0) return /[\p{L}\p{N}]/u.test(text[at - 1] ?? '') ? 2 : 1
  // Letters in their order, each gap a little worse; scattered over everything they mean nothing.
  let from = -1
  let gaps = 0
  for (const letter of word) {
    const next = text.indexOf(letter, from + 1)
    if (next === -1) return null
    if (from !== -1) gaps += next - from - 1
    from = next
  }
  return gaps > 2 * word.length + 4 ? null : 3 + gaps
}

export interface Entry {
  /** What is searched, in lower case. */
  text: string
}

/** The best `max` of them, the best first, in their own order where they fit alike. */
export function findIn<T extends Entry>(query: string, entries: readonly T[], max: number): T[] {
  if (query.trim() === '') return entries.slice(0, max)
  const found: { entry: T; score: number }[] = []
  for (const entry of entries) {
    const score = scoreOf(query, entry.text)
    if (score !== null) found.push({ entry, score })
  }
  return found
    .sort((a, b) => a.score - b.score)
    .slice(0, max)
    .map(({ entry }) => entry)
}
