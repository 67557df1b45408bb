/**
 * Reads a patch as git writes it: files with their change, hunks, and lines with their numbers. The lines of a hunk are
 * counted by its header, so that nothing in a file is taken for git's own words. It never throws.
 */

export type Sign = ' ' | '+' | '-'

export interface Line {
  sign: Sign
  text: string
  old: number | null
  new: number | null
  /** It is the last of its file and ends without a line break. */
  open: boolean
}

export interface Hunk {
  oldStart: number
  newStart: number
  /** What git names beside it: the function or section it is in. */
  heading: string
  lines: Line[]
}

export interface PatchFile {
  path: string
  /** Where it came from, if it was renamed or copied. */
  from: string | null
  status: 'added' | 'deleted' | 'modified' | 'renamed' | 'copied'
  oldMode: string | null
  newMode: string | null
  binary: boolean
  added: number
  removed: number
  hunks: Hunk[]
  /** It is not told to its end. */
  cut: boolean
}

const FILE = /^diff --(git|cc|combined) /
const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?/
const COMBINED = /^(@{3,}) (?:-\d+(?:,\d+)? )+\+(\d+)(?:,(\d+))? @{3,} ?/

/** `cut`: the files, by their place, that whoever gave us the patch has not told to their end. */
export function parsePatch(patch: string, cut: readonly number[] = []): PatchFile[] {
  const lines = patch.split('\n')
  const files: PatchFile[] = []
  for (let at = 0; at < lines.length;) {
    if (!FILE.test(lines[at] ?? '')) {
      at += 1
      continue
    }
    const file = fileOf(lines[at] ?? '')
    if (cut.includes(files.length)) file.cut = true
    files.push(file)
    at = readFile(lines, at + 1, file)
  }
  return files
}

function fileOf(header: string): PatchFile {
  const combined = /^diff --(?:cc|combined) (.*)$/.exec(header)?.[1]
  const path = combined === undefined ? headerPath(header.slice('diff --git '.length)) : unquote(combined)
  return {
    path,
    from: null,
    status: 'modified',
    oldMode: null,
    newMode: null,
    binary: false,
    added: 0,
    removed: 0,
    hunks: [],
    cut: false,
  }
}

/** `a/x b/x`: where no other line says the name, both sides have the same. */
function headerPath(sides: string): string {
  if (sides.endsWith('"')) {
    const open = sides.lastIndexOf(' "')
    return strip(unquote(sides.slice(open + 1)))
  }
  const half = (sides.length - 1) / 2
  return strip(Number.isInteger(half) ? sides.slice(half + 1) : (sides.split(' b/')[1] ?? sides))
}

/** The lines behind a file's first, up to the next file; where that is. */
function readFile(lines: readonly string[], start: number, file: PatchFile): number {
  let at = start
  for (; at < lines.length; at += 1) {
    const line = lines[at] ?? ''
    if (FILE.test(line)) return at
    const plain = HUNK.exec(line)
    const combined = plain === null ? COMBINED.exec(line) : null
    if (plain !== null) at = readHunk(lines, at, file, plain) - 1
    else if (combined !== null) at = readCombined(lines, at, file, combined) - 1
    else readHeader(line, file)
  }
  return at
}

function readHeader(line: string, file: PatchFile): void {
  const [, word = '', rest = ''] =
    /^(old mode|new mode|new file mode|deleted file mode|rename from|rename to|copy from|copy to|---|\+\+\+|Binary files|GIT binary patch) ?(.*)$/.exec(
      line,
    ) ?? []
  if (word === 'old mode') file.oldMode = rest
  else if (word === 'new mode') file.newMode = rest
  else if (word === 'new file mode') [file.status, file.newMode] = ['added', rest]
  else if (word === 'deleted file mode') [file.status, file.oldMode] = ['deleted', rest]
  else if (word === 'rename from') [file.status, file.from] = ['renamed', unquote(rest)]
  else if (word === 'copy from') [file.status, file.from] = ['copied', unquote(rest)]
  else if (word === 'rename to' || word === 'copy to') file.path = unquote(rest)
  else if (word === 'Binary files' || word === 'GIT binary patch') file.binary = true
  else if (word === '---' || word === '+++') nameFrom(rest, word === '+++', file)
}

function nameFrom(rest: string, isNew: boolean, file: PatchFile): void {
  // Git marks the end of a name that has spaces with a tab.
  const name = unquote(rest.replace(/\t$/, ''))
  if (name === '/dev/null') return
  if (isNew || file.status === 'deleted') file.path = strip(name)
}

function readHunk(lines: readonly string[], start: number, file: PatchFile, header: RegExpExecArray): number {
  const [all, oldStart = '0', oldCount = '1', newStart = '0', newCount = '1'] = header
  const hunk: Hunk = {
    oldStart: Number(oldStart),
    newStart: Number(newStart),
    heading: (lines[start] ?? '').slice(all.length),
    lines: [],
  }
  file.hunks.push(hunk)
  let [oldLeft, newLeft] = [Number(oldCount), Number(newCount)]
  let [oldAt, newAt] = [hunk.oldStart, hunk.newStart]
  let at = start + 1
  for (; at < lines.length && (oldLeft > 0 || newLeft > 0 || lines[at]?.startsWith('\\') === true); at += 1) {
    const line = lines[at] ?? ''
    const sign = line.charAt(0)
    if (sign === '\\') {
      const last = hunk.lines.at(-1)
      if (last !== undefined) last.open = true
      continue
    }
    if (sign !== ' ' && sign !== '+' && sign !== '-') break
    const told: Line = { sign, text: line.slice(1), old: null, new: null, open: false }
    if (sign !== '+') [told.old, oldAt, oldLeft] = [oldAt, oldAt + 1, oldLeft - 1]
    if (sign !== '-') [told.new, newAt, newLeft] = [newAt, newAt + 1, newLeft - 1]
    if (sign === '+') file.added += 1
    if (sign === '-') file.removed += 1
    hunk.lines.push(told)
  }
  if (oldLeft > 0 || newLeft > 0) file.cut = true
  return at
}

/** Of a merge, against several parents at once: what is new in it, and what none has any more. */
function readCombined(lines: readonly string[], start: number, file: PatchFile, header: RegExpExecArray): number {
  const [all, signs = '@@@', newStart = '0', newCount = '1'] = header
  const parents = signs.length - 1
  const heading = (lines[start] ?? '').slice(all.length)
  const hunk: Hunk = { oldStart: 0, newStart: Number(newStart), heading, lines: [] }
  file.hunks.push(hunk)
  let [newAt, newLeft] = [hunk.newStart, Number(newCount)]
  let at = start + 1
  for (; at < lines.length; at += 1) {
    const line = lines[at] ?? ''
    const marks = line.slice(0, parents)
    if (line.startsWith('\\')) continue
    if (marks.length < parents || !/^[ +-]+$/.test(marks)) break
    const sign: Sign = marks.includes('-') ? '-' : marks.includes('+') ? '+' : ' '
    if (sign !== '-' && newLeft === 0) break
    const told: Line = { sign, text: line.slice(parents), old: null, new: sign === '-' ? null : newAt, open: false }
    if (sign !== '-') [newAt, newLeft] = [newAt + 1, newLeft - 1]
    if (sign === '+') file.added += 1
    if (sign === '-') file.removed += 1
    hunk.lines.push(told)
  }
  if (newLeft > 0) file.cut = true
  return at
}

const strip = (name: string): string => name.replace(/^[ab]\//, '')

const ESCAPES: Record<string, string> = { a: '\u0007', b: '\b', t: '\t', n: '\n', v: '\v', f: '\f', r: '\r' }

/** A name as git quotes it when it has characters that could be misread: bytes in octal, the usual escapes. */
function unquote(name: string): string {
  if (!name.startsWith('"') || !name.endsWith('"') || name.length < 2) return name
  const bytes: number[] = []
  const encoder = new TextEncoder()
  for (const [part] of name.slice(1, -1).matchAll(/\\[0-7]{3}|\\.|[^\\]+|\\$/gs)) {
    if (/^\\[0-7]{3}$/.test(part)) bytes.push(Number.parseInt(part.slice(1), 8) & 0xff)
    else bytes.push(...encoder.encode(part.startsWith('\\') ? (ESCAPES[part.charAt(1)] ?? part.slice(1)) : part))
  }
  return new TextDecoder().decode(new Uint8Array(bytes))
}
