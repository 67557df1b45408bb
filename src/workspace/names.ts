/**
 * File names are bytes, and not all of them are text. Read and written with `bytes` (git.ts), one character per byte,
 * they stay intact. This file converts such a name to text for people, and back.
 */

const shownCharsMax = 500

/** As text; what is none of it becomes U+FFFD. */
export function asText(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString()
}

export function asBytes(text: string): string {
  return Buffer.from(text).toString('latin1')
}

/** As text for people, who need not see all of an endless one. */
export function shown(bytes: string): string {
  const text = asText(bytes)
  return text.length > shownCharsMax ? `${text.slice(0, shownCharsMax)}…` : text
}
