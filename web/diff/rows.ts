/** A diff as the rows of one long list, of which a page draws a few: files, notes about them, hunks, lines, comments. */
import type { DraftComment, Side } from './drafts.ts'
import type { Hunk, Line, PatchFile } from './patch.ts'

export type View = 'unified' | 'split'

export interface LineRow {
  type: 'line'
  file: PatchFile
  hunk: Hunk
  /** Of a unified view there is one; of a split one both sides, where there are. */
  left: Line | null
  right: Line | null
}

export type Row =
  | { type: 'file'; file: PatchFile; open: boolean }
  | { type: 'note'; file: PatchFile; text: string }
  | { type: 'hunk'; file: PatchFile; hunk: Hunk }
  | LineRow
  | { type: 'talk'; file: PatchFile; place: Place }

/** A line that somebody can say something about. */
export interface Place {
  file: string
  side: Side
  line: number
}

export const placeKey = ({ file, side, line }: Place): string => `${side}:${line}:${file}`

/** Files of this many changed lines, and files that nobody wrote, are shown when asked for. */
const openLinesMax = 1500
const GENERATED =
  /(?:^|\/)(?:package-lock\.json|[^/]*\.lock|pnpm-lock\.yaml|go\.sum|[^/]*\.(?:min\.(?:js|css)|map|snap))$/

export function isOpenAtFirst({ path, added, removed }: PatchFile): boolean {
  return added + removed <= openLinesMax && !GENERATED.test(path)
}

/** The place a line's comments belong to: the new side, if it is there. */
export function placeOf(file: PatchFile, line: Line | null): Place | null {
  if (line === null) return null
  if (line.new !== null) return { file: file.path, side: 'new', line: line.new }
  return line.old === null ? null : { file: file.from ?? file.path, side: 'old', line: line.old }
}

/** Every line that can be spoken about, open or closed. */
export function placesIn(files: readonly PatchFile[]): ReadonlySet<string> {
  const keys = new Set<string>()
  for (const file of files) {
    for (const { lines } of file.hunks) {
      for (const line of lines) {
        const place = placeOf(file, line)
        if (place !== null) keys.add(placeKey(place))
      }
    }
  }
  return keys
}

export function rowsOf(
  files: readonly PatchFile[],
  view: View,
  isOpen: (file: PatchFile) => boolean,
  comments: readonly DraftComment[],
  /** Where something is being written. */
  writing: Place | null,
): Row[] {
  const talked = new Set(comments.map(placeKey))
  if (writing !== null) talked.add(placeKey(writing))
  const rows: Row[] = []
  for (const file of files) {
    const open = isOpen(file)
    rows.push({ type: 'file', file, open })
    if (!open) continue
    for (const text of notesOf(file)) rows.push({ type: 'note', file, text })
    for (const hunk of file.hunks) {
      rows.push({ type: 'hunk', file, hunk })
      for (const { left, right } of view === 'split' ? pairs(hunk.lines) : singles(hunk.lines)) {
        rows.push({ type: 'line', file, hunk, left, right })
        if (talked.size === 0) continue
        const places = [left === right ? null : placeOf(file, left), placeOf(file, right ?? left)]
        for (const [index, place] of places.entries()) {
          if (place === null || !talked.has(placeKey(place))) continue
          const before = places[index - 1]
          if (before != null && placeKey(before) === placeKey(place)) continue
          rows.push({ type: 'talk', file, place })
        }
      }
    }
    if (file.cut) rows.push({ type: 'note', file, text: 'It is too long to show completely.' })
  }
  return rows
}

function notesOf({ status, from, oldMode, newMode, binary, hunks, cut }: PatchFile): string[] {
  const mode = oldMode !== null && newMode !== null ? [`Its mode was ${oldMode} and is ${newMode}.`] : []
  const moved = from === null ? [] : [`It was ${from}${hunks.length === 0 ? ', otherwise unchanged' : ''}.`]
  const bytes = binary ? ['It is binary, so there are no lines to show.'] : []
  const plain = [...mode, ...moved, ...bytes]
  if (plain.length > 0 || hunks.length > 0 || cut) return plain
  return [status === 'added' ? 'It is new and empty.' : status === 'deleted' ? 'It was empty.' : 'No line changed.']
}

interface Pair {
  left: Line | null
  right: Line | null
}

function singles(lines: readonly Line[]): Pair[] {
  return lines.map((line) => (line.sign === '-' ? { left: line, right: null } : { left: null, right: line }))
}

/** What was taken out stands beside what came in its place. */
function pairs(lines: readonly Line[]): Pair[] {
  const found: Pair[] = []
  let out: Line[] = []
  let into: Line[] = []
  const flush = (): void => {
    for (let n = 0; n < Math.max(out.length, into.length); n += 1) {
      found.push({ left: out[n] ?? null, right: into[n] ?? null })
    }
    out = []
    into = []
  }
  for (const line of lines) {
    if (line.sign === ' ') {
      flush()
      found.push({ left: line, right: line })
    } else if (line.sign === '-') {
      if (into.length > 0) flush()
      out.push(line)
    } else into.push(line)
  }
  flush()
  return found
}
