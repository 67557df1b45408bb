/**
 * Gets reports from the project's own test command without changing what it runs: finds the runners in the command and
 * asks each in its own way. What a runner needs for that is outside of the checkout, in its own folder.
 */
import { shellQuote, simpleCommands, type SimpleCommand } from '../tools/words.ts'
import type { ReportFormat } from './formats/report.ts'
import { runnerOf } from './runners/find.ts'
import type { Ask, Helper } from './runners/runner.ts'

/** What one runner of the command was asked for. */
export interface ReportRequest {
  from: Ask['from']
  format: ReportFormat
  /** Absolute; the report is there, or in files whose names begin with it and a dot. Nothing may lie there before. */
  path: string
  helper: Helper | null
  /** Where in the checkout it leaves reports by itself. */
  places: readonly string[]
  /** Where there is no report, it did not get as far as its tests. */
  sure: boolean
}

interface Instrumented {
  command: string
  asked: ReportRequest[]
}

/** `folder`: absolute, outside of the checkout. Null if there is nobody to ask. */
export function instrument(command: string, folder: string): Instrumented | null {
  const asked: ReportRequest[] = []
  let text = ''
  let from = 0
  for (const simple of simpleCommands(command) ?? []) {
    const path = `${folder}/${asked.length + 1}/report`
    const made = askOne(command, simple, path)
    if (made === null) continue
    asked.push(made.asked)
    text += command.slice(from, simple.start) + made.text
    from = simple.end
  }
  return asked.length === 0 ? null : { command: text + command.slice(from), asked }
}

function askOne(command: string, simple: SimpleCommand, path: string): { asked: ReportRequest; text: string } | null {
  const { words, joint } = simple
  const found = runnerOf(words)
  if (found === null) return null
  const { runner, at } = found
  const ask = runner.ask(
    words.slice(at + 1).map((word) => word.text),
    path,
  )
  if (ask === null || !canSet(ask, command, simple, path)) return null
  const text = withAdded(command, simple, at, ask)
  if (text === null) return null
  // What goes into a pipe is not in the log: a copy of it is the report.
  const piped = ask.from === 'output' && joint === '|'
  const { format, helper = null, places = [], unsure = false } = ask
  const asked: ReportRequest = { from: piped ? 'file' : ask.from, format, path, helper, places, sure: !unsure }
  return { asked, text: piped ? `${text} | tee ${shellQuote(path)}` : text }
}

/** Not if the command sets the same variable, or if the path would be more than one word to those who read it. */
function canSet({ env = {} }: Ask, command: string, { words }: SimpleCommand, path: string): boolean {
  const names = Object.keys(env)
  if (names.length === 0) return true
  const isSet = words.some(({ start }) => names.some((name) => command.startsWith(`${name}=`, start)))
  return /^[\w@%+=:,./-]+$/.test(path) && !isSet
}

function withAdded(command: string, { words, start, end }: SimpleCommand, at: number, ask: Ask): string | null {
  const first = words[at]
  const last = words[at + (ask.behind ?? 0)]
  const rest = words.at(-1)
  if (first === undefined || last === undefined || rest === undefined) return null
  const added = (ask.arguments ?? []).map(shellQuote)
  const before = ask.instead === true ? command.slice(start, first.start).trimEnd() : command.slice(start, last.end)
  const run = [before, ...added].join(' ') + command.slice(last.end, rest.end)
  const variables = Object.entries(ask.env ?? {}).map(([name, value]) => `${name}="${value}" `)
  const whole = variables.join('') + run
  const redirections = command.slice(rest.end, end)
  return ask.around === undefined ? whole + redirections : ask.around(`${whole}${redirections}`, redirections)
}
