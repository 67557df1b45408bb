/**
 * Text that YAML read as a comment. ` #` ends an unquoted text, so `treats a lone # as text` loses its end silently.
 * One space before the `#` probably belongs to a sentence; a comment that is set apart by more spaces is a comment.
 */
import type { Document } from 'yaml'
import { Scalar, isScalar, isSeq, visit } from 'yaml'

interface CutOff {
  /** Where the text starts in the file. */
  offset: number
  kept: string
  lost: string
}

/** Of unquoted texts, and entries of lists, under these keys. */
export function cutOffIn(document: Document, text: string, keys: ReadonlySet<string>): CutOff[] {
  const found: CutOff[] = []
  visit(document, {
    Pair(_, { key, value }) {
      if (!isScalar(key) || !keys.has(String(key.value))) return
      for (const item of isSeq(value) ? value.items : [value]) {
        if (!isScalar(item) || item.type !== Scalar.PLAIN || item.range == null) continue
        const [start, end] = item.range
        const [, lost] = /^[ \t](#.*)/.exec(text.slice(end, end + lineCharsMax)) ?? []
        if (lost !== undefined) found.push({ offset: start, kept: String(item.value), lost: lost.trimEnd() })
      }
    },
  })
  return found
}

/** Of what was lost, as much as a message could show. */
const lineCharsMax = 1000
