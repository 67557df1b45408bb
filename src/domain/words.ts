/** The words of a shell command's first simple command, as far as they can be known without running it. */

export interface Word {
  /** What the shell makes of it; null if only the shell can say (variables, substitutions, patterns, ~). */
  text: string | null
  start: number
  end: number
}

/** Up to the first operator, comment or line break. */
export function firstWords(run: string): Word[] {
  const words: Word[] = []
  let at = 0
  for (;;) {
    while (run[at] === ' ' || run[at] === '\t' || (words.length === 0 && run[at] === '\n')) at += 1
    const word = wordAt(run, at)
    if (word === null) return words
    words.push(word)
    at = word.end
  }
}

export function isAssignment(word: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*\+?=/.test(word)
}

/** The text as one word of a shell command. */
export function shellQuote(text: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

// One part of a word: bare characters, an escaped one, '…', "…" without anything that is replaced in it.
const PLAIN = /([^\s;|&<>()'"\\$`*?[\]{}]+)|\\([^\n])|'([^']*)'|"((?:[^"\\$`]|\\["\\$`])*)"/y
const REST_OF_WORD = /(?:[^\s;|&<>()'"]|'[^']*'?|"[^"]*"?)+/y

function wordAt(run: string, start: number): Word | null {
  if (isBoundary(run[start]) || run[start] === '#') return null
  let text = ''
  let at = start
  while (!isBoundary(run[at])) {
    PLAIN.lastIndex = at
    const part = run[start] === '~' ? null : PLAIN.exec(run)
    if (part === null) {
      REST_OF_WORD.lastIndex = at
      return { text: null, start, end: at + (REST_OF_WORD.exec(run)?.[0].length ?? 1) }
    }
    const [whole, bare, escaped, single, double] = part
    text += bare ?? escaped ?? single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? ''
    at += whole.length
  }
  return { text, start, end: at }
}

function isBoundary(character: string | undefined): boolean {
  return character === undefined || /[\s;|&<>()]/.test(character)
}
