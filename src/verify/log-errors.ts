/**
 * Errors in a log that name a line of the project: from compilers, linters, test runners and stack traces, recognised
 * only by their form. It may miss some but never invents a place; the whole log is stored anyway.
 */
import { excerptNamesMax, logLineCharsMax, logLinesMax } from '../domain/limits.ts'
import { type Place, placesOf, projectFile } from '../reports/places.ts'

interface LogError extends Place {
  message: string
}

/** The first ones, each place once; `log` has passed a `cleaner`. */
export function errorsIn(log: string): LogError[] {
  const reader = new LogReader()
  const lines = log.split('\n')
  const middle = Math.max(logLinesMax, lines.length - logLinesMax)
  for (const line of [...lines.slice(0, logLinesMax), ...lines.slice(middle)]) {
    reader.line(line.slice(0, logLineCharsMax))
    if (reader.found.size >= excerptNamesMax) break
  }
  return [...reader.found.values()]
}

/** `error TS2322:`, `TypeError:`, `error[E0308]:`, jest's ●, oxlint's ×. */
const SOUNDS_BAD = /^(?:×|✖|x |●|fatal\b|error\b|uncaught\b|panic\b|\S*(?:Error|Exception)\b)/i
const SOUNDS_MILD = /^(?:⚠|! |warning\b|note\b|info\b|help\b|hint\b|remark\b|\(node:\d+\))/i
/** Lines of source that are shown with an error. */
const SOURCE = /^(?:>?\s*\d*\s*[|│:·]|[\^~`╰─-]|\+)/
/** In front of a place that belongs to the words before it: rustc, oxlint, vitest, stack traces. */
const POINTER = /^(?:-->|╭─\[|,-\[|❯|at )/

class LogReader {
  readonly found = new Map<string, LogError>()
  /** What the next place that comes without words is about. */
  #words = ''
  /** pytest's words, which come before the place they belong to. */
  #explained = ''
  /** A place whose words follow. */
  #place: Place | null = null
  /** A place whose words are the very next line: Rust's panics. */
  #panic: Place | null = null
  /** eslint names a file once and then its lines. */
  #file: string | null = null

  line(line: string): void {
    const text = line.trim()
    if (text === '') this.#file = null
    else if (this.#panic !== null) this.#add(this.#panic, text)
    else if (text.startsWith('File "') || /:\d+: in\b/.test(text)) this.#place = placesOf(text)[0] ?? this.#place
    else if (/^E(?: {2,}|$)/.test(text)) this.#explain(text.slice(1).trim())
    else if (this.#place !== null && /^\S*(?:Error|Exception|Exit|Interrupt)\b/.test(line)) {
      this.#add(this.#place, text)
    } else if (!this.#row(text)) this.#other(text)
  }

  /** `3:5  error  Unexpected var  no-var` under the name of a file. */
  #row(text: string): boolean {
    const row = /^(\d{1,7}):\d+\s+(\w+)\s+(\S.*)$/.exec(text)
    if (row === null || this.#file === null) return false
    if (row[2] === 'error') this.#add({ file: this.#file, line: Number(row[1]) }, row[3] ?? '')
    return true
  }

  /** pytest names a module that cannot be imported before it says why, and everything else behind it. */
  #explain(words: string): void {
    if (this.#place !== null) this.#add(this.#place, words)
    else this.#explained ||= words
  }

  #other(text: string): void {
    const [place] = placesOf(text)
    if (place === undefined) {
      this.#file = /\s/.test(text) ? this.#file : projectFile(text)
      const better = SOUNDS_BAD.test(text) || SOUNDS_MILD.test(text) || !SOUNDS_BAD.test(this.#words)
      if (better && !SOURCE.test(text)) this.#words = text
      return
    }
    const said = saidAt(text)
    if (POINTER.test(text)) {
      if (this.#words !== '' && !SOUNDS_MILD.test(this.#words)) this.#add(place, this.#words)
    } else if (/\bpanicked at\b/.test(text)) this.#panic = place
    else if (said === '') this.#place = place
    else if (said === null) this.#words = SOUNDS_BAD.test(text) ? text : this.#words
    else if (!SOUNDS_MILD.test(said)) this.#add(place, this.#explained || said)
  }

  #add(place: Place, message: string): void {
    const key = `${place.file}:${place.line}`
    if (!this.found.has(key)) this.found.set(key, { ...place, message })
    this.#words = ''
    this.#explained = ''
    this.#place = null
    this.#panic = null
  }
}

/** What stands behind a place that begins the line; null if none does. */
function saidAt(text: string): string | null {
  const match = /^(?:vet: )?[^\s:()]+(?::\d+(?::\d+)?|\(\d+,\d+\))(?=$|[:\s])(?::| -)?(.*)$/.exec(text)
  return match === null ? null : (match[1] ?? '').trim()
}
