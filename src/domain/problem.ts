/**
 * A problem in something that a person wrote: where it is (a path of keys), what is wrong, and what would be right.
 */

export interface Problem {
  path: readonly (string | number)[]
  message: string
}

/** The nearest of the known words, for "did you mean". */
export function nearest(word: string, known: readonly string[]): string | undefined {
  let best: string | undefined
  let bestDistance = Math.min(Math.max(2, Math.floor(word.length / 3)) + 1, Math.max(1, word.length))
  for (const candidate of known) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase())
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance]
  }
  return best
}

/** So many words are named. */
const knownMax = 30

/** "unknown role "implementor" (known: a, b; did you mean a?)" */
export function unknownWord(what: string, word: string, known: readonly string[]): string {
  const guess = nearest(word, known)
  const list =
    known.length > 0
      ? `known: ${known.slice(0, knownMax).join(', ')}${known.length > knownMax ? ', …' : ''}`
      : 'none is defined'
  return `unknown ${what} "${word}" (${list}${guess ? `; did you mean "${guess}"?` : ''})`
}

function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 8 || a.length > 64 || b.length > 64) return 99
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 99
}
