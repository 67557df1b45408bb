/** The words and simple commands of a shell command, as far as they are clear without running it. */

export interface Word {
  /** What the shell makes of it; null if only the shell can say (variables, substitutions, patterns, ~). */
  text: string | null
  start: number
  end: number
}

/** One simple command of a list such as `a b && c >d`. */
export interface SimpleCommand {
  words: readonly Word[]
  start: number
  /** Behind its redirections, if it has any. */
  end: number
  /** What joins it with the next: `&&`, `||`, `;`, `|`; empty for the last. */
  joint: string
}

// Neither here-documents, nor `&>`, nor a target that only the shell knows.
const REDIRECTION = /[ \t]*\d*(?:>>|>\||>|<)[ \t]*(?:&(?:\d+|-)|[^\s;|&<>()'"`$]+)/y
const JOINT = /[ \t]*(&&|\|\||;(?!;)|\|(?!&)|\n|$)\s*/y
const KEYWORDS = /^(?:if|then|elif|else|fi|for|while|until|do|done|case|esac|select|function|time|coproc|!|\[\[|\{|\})$/

/** The simple commands of a list; null if there is anything else to it, such as groups, loops or `&`. */
export function simpleCommands(run: string): SimpleCommand[] | null {
  const commands: SimpleCommand[] = []
  for (let at = 0; at < run.length;) {
    const read = commandFrom(run, at)
    if (read === null) return null
    commands.push(read.command)
    at = read.next
  }
  return commands.at(-1)?.joint === '' ? commands : null
}

/** The simple command that begins here, and where the next one does. */
function commandFrom(run: string, at: number): { command: SimpleCommand; next: number } | null {
  const words = firstWords(run, at)
  const [first] = words
  if (first === undefined || KEYWORDS.test(run.slice(first.start, first.end))) return null
  // In `2>&1` the number is none of its words.
  const last = words.at(-1)
  if (last !== undefined && /^\d+$/.test(last.text ?? '') && /[<>]/.test(run[last.end] ?? '')) words.pop()
  if (words.length === 0) return null
  const end = behindRedirections(run, words.at(-1)?.end ?? at)
  JOINT.lastIndex = end
  const [, sign] = JOINT.exec(run) ?? []
  if (sign === undefined) return null
  const next = JOINT.lastIndex
  const isLast = next >= run.length && /^[;\n]$/.test(sign)
  return { command: { words, start: first.start, end, joint: isLast ? '' : sign.replace('\n', ';') }, next }
}

function behindRedirections(run: string, from: number): number {
  let end = from
  REDIRECTION.lastIndex = from
  while (REDIRECTION.test(run)) end = REDIRECTION.lastIndex
  return end
}

/** Of the list's first simple command: up to the first operator, comment or line break. */
export function firstWords(run: string, from = 0): Word[] {
  const words: Word[] = []
  let at = from
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

/** Which of the words is the command: behind assignments. */
export function commandAt(words: readonly Word[]): number {
  return Math.max(
    0,
    words.findIndex(({ text }) => text === null || !isAssignment(text)),
  )
}

/** The program that a command starts, as far as that can be known without running it; else empty. */
export function programOf(run: string): string {
  return withoutAssignments(run, firstWords(run))[0]?.text ?? ''
}

/** The words from the command on; also behind assignments of what only the shell knows. */
export function withoutAssignments(run: string, words: readonly Word[]): Word[] {
  const at = words.findIndex(({ start, end }) => !isAssignment(run.slice(start, end)))
  return at < 0 ? [] : words.slice(at)
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

/** A command as a shell is given it, at the top of a checkout. */
export function shellText({ cwd, prefix, command }: { cwd: string; prefix: string; command: string }): string {
  return `${cwd === '' ? '' : `cd ${shellQuote(cwd)} || exit; `}${prefix}${command}`
}
