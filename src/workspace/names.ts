/**
 * Names of files are bytes, and not all of them are text. Read and written with `bytes` (git.ts), one character for each
 * byte, they come through unharmed; this is how such a name becomes text before a person sees it, and the way back.
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
