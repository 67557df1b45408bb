/** All output of the command line: data goes to stdout, messages go to stderr, colours only to a terminal. */
import { isatty } from 'node:tty'
import { forDisplay } from '../domain/display.ts'

export interface Io {
  cwd: string
  env: Readonly<Record<string, string | undefined>>
  /** Data: what another program may read. */
  out(text: string): void
  /** Talk: progress and explanations. */
  say(text: string): void
  /** Whether stderr is a terminal that understands cursor movement. */
  live: boolean
  columns: number
  /** Whether a person sits at the terminal and may be asked. */
  asks: boolean
  /** Whether the data goes to a terminal that shows colours. */
  color: boolean
  paint: Paint
  abort: AbortSignal
}

export type Paint = Record<'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan', (text: string) => string>

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 }

export function paintWith(color: boolean): Paint {
  const style = (code: number) => (text: string) => (color ? `\u001B[${code}m${text}\u001B[0m` : text)
  return Object.fromEntries(Object.entries(CODES).map(([name, code]) => [name, style(code)])) as Paint
}

export function systemIo(): Io {
  const { env, stdout, stderr } = process
  const wantsColor = (fd: number) =>
    (env['FORCE_COLOR'] ?? '') !== '' || (isatty(fd) && !env['NO_COLOR'] && env['TERM'] !== 'dumb')
  return {
    cwd: process.cwd(),
    env,
    out: (text) => void stdout.write(text),
    say: (text) => void stderr.write(text),
    live: isatty(2) && env['TERM'] !== 'dumb' && !env['CI'],
    columns: stderr.columns || 100,
    asks: isatty(0) && isatty(2) && !env['CI'] && !process.argv.includes('--no-input'),
    color: wantsColor(1),
    paint: paintWith(wantsColor(2)),
    abort: new AbortController().signal,
  }
}

/** Untrusted text on one line: no escapes, no newlines, no longer than there is room. */
export function oneLine(text: string, width = 200): string {
  const flat = forDisplay(text, { colours: false }).replace(/\s+/g, ' ').trim()
  return flat.length > width ? `${flat.slice(0, Math.max(0, width - 1))}…` : flat
}

export function printJson(io: Io, value: unknown): void {
  io.out(`${JSON.stringify(value, null, 2)}\n`)
}
