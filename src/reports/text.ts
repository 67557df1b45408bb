/**
 * Makes text of unknown origin fit to compare and show: without escape sequences, and without the folder of the run,
 * which differs in every run.
 */
import { forDisplay } from '../domain/display.ts'

/** Takes out escapes and controls, and makes paths below `root`, an absolute folder, relative to it. */
export function cleaner(root: string): (text: string | Uint8Array) => string {
  const folder = root.replace(/\/+$/, '')
  if (folder === '') return (text) => forDisplay(text, { colours: false })
  const below = new RegExp(`(?<![\\w./-])(?:file://)?${RegExp.escape(folder)}(?:(/)|(?![\\w.-]))`, 'g')
  return (text) =>
    forDisplay(text, { colours: false }).replace(below, (_, slash?: string) => (slash === undefined ? '.' : ''))
}

/** In one line. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** At most that many characters: the beginning, and a third from the end, where the cause often is. */
export function cut(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text
  const tail = Math.floor(charsMax / 3)
  return `${text.slice(0, charsMax - tail - 3)} … ${text.slice(text.length - tail)}`.toWellFormed()
}
