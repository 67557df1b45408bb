/**
 * Gets a report from the project's own test command without changing what it runs: the runner is found in the command,
 * and the arguments for a report are put right behind it. Anything but one plain command is left alone.
 */
import { firstWords, isAssignment, shellQuote, type Word } from '../domain/words.ts'
import type { ReportFormat } from './report/report.ts'
import { type Runner, RUNNERS } from './runners.ts'

export interface Instrumented {
  command: string
  report: { path: string; format: ReportFormat }
}

export interface Instrumentable {
  command: string
  /** What the package script says that `npm test` or `npm run …` names. */
  script?: string | undefined
  /** Absolute, outside of the checkout; nothing may lie there. */
  reportPath: string
}

/**
 * Null if no report can be had that way. A project's own configuration may still send the report elsewhere (vitest's
 * reporters with options): if a command writes none on the base, do not ask it for one.
 */
export function instrument({ command, script, reportPath }: Instrumentable): Instrumented | null {
  const words = plainCommand(command)
  if (words === null) return null
  const found = runnerOf(words)
  if (found !== null) {
    const added = found.runner.arguments(texts(words.slice(found.at + 1)), reportPath)
    const end = words[found.at]?.end
    if (added === null || end === undefined) return null
    return result(`${command.slice(0, end)} ${quoted(added)}${command.slice(end)}`, found.runner, reportPath)
  }
  return script === undefined ? null : throughNpm(command, words, script, reportPath)
}

/** npm puts the arguments behind `--` at the end of the script. */
function throughNpm(command: string, words: readonly Word[], script: string, path: string): Instrumented | null {
  const inner = plainCommand(script)
  const found = inner === null ? null : runnerOf(inner)
  if (inner === null || found === null || !isNpmScript(words)) return null
  const own = texts(inner.slice(found.at + 1))
  const dashes = words.findIndex(({ text }) => text === '--')
  const more = dashes < 0 ? [] : texts(words.slice(dashes + 1))
  // Behind a file, or a reporter whose destination is implied, node would take them for something else.
  const endsInTest = own.at(-1) === '--test' && !own.some((word) => word?.startsWith('--test-reporter'))
  const fits = !own.includes('--') && (found.runner !== RUNNERS.node || endsInTest)
  const added = fits ? found.runner.arguments([...own, ...more], path) : null
  if (added === null) return null
  const at = words[dashes]?.end ?? command.trimEnd().length
  const dashed = dashes < 0 ? ' --' : ''
  return result(`${command.slice(0, at)}${dashed} ${quoted(added)}${command.slice(at)}`, found.runner, path)
}

function result(command: string, { format }: Runner, path: string): Instrumented {
  return { command, report: { path, format } }
}

/** The words of a command that is one program and its arguments; null if the shell does anything else. */
function plainCommand(command: string): Word[] | null {
  const words = firstWords(command)
  const rest = command.slice(words.at(-1)?.end ?? 0)
  return words.length === 0 || rest.trim() !== '' ? null : words
}

function texts(words: readonly Word[]): (string | null)[] {
  return words.map(({ text }) => text)
}

function quoted(words: readonly string[]): string {
  return words.map(shellQuote).join(' ')
}

function isNpmScript(words: readonly Word[]): boolean {
  const all = texts(words)
  const end = all.indexOf('--')
  const start = all.findIndex((word) => word === null || !isAssignment(word))
  const named = all.slice(start, end < 0 ? undefined : end).filter((word) => word !== '-s' && word !== '--silent')
  const [program, verb] = named
  if (program !== 'npm') return false
  return verb === 'run' || verb === 'run-script'
    ? named.length === 3
    : named.length === 2 && (verb === 'test' || verb === 't')
}

/** Programs that run the command behind them, with the words that may come between. */
const WRAPPERS: Record<string, { subcommand?: string; options: RegExp }> = {
  env: { options: /^$/ },
  'cross-env': { options: /^$/ },
  npx: { options: /^(?:-y|--yes|--no|--no-install|--offline|--prefer-offline|--)$/ },
  npm: { subcommand: 'exec', options: /^(?:-y|--yes|--no|--)$/ },
  pnpm: { subcommand: 'exec', options: /^$/ },
  uv: { subcommand: 'run', options: /^(?:--frozen|--locked|--offline|--no-sync|--)$/ },
  poetry: { subcommand: 'run', options: /^$/ },
  pipenv: { subcommand: 'run', options: /^$/ },
  pdm: { subcommand: 'run', options: /^$/ },
  c8: { options: /^--[\w-]+=\S*$/ },
  nyc: { options: /^--[\w-]+=\S*$/ },
}

const JS_BIN =
  /^(?:\.\/)?node_modules\/(?:\.bin\/(\w+)|(jest|mocha)\/bin\/(?:jest|mocha)(?:\.[cm]?js)?|(vitest)\/vitest\.mjs)$/

/** The runner a command starts, and which word it is. */
function runnerOf(words: readonly Word[]): { runner: Runner; at: number } | null {
  let at = 0
  for (;;) {
    const text = words[at]?.text ?? null
    if (text === null) return null
    const wrapper = Object.hasOwn(WRAPPERS, text) ? WRAPPERS[text] : undefined
    if (isAssignment(text)) at += 1
    else if (wrapper !== undefined) {
      at += 1
      if (wrapper.subcommand !== undefined && words[at]?.text !== wrapper.subcommand) return null
      if (wrapper.subcommand !== undefined) at += 1
      while (wrapper.options.test(words[at]?.text ?? '?')) at += 1
    } else if (/^python[\d.]*$/.test(text) || (text === 'coverage' && words[at + 1]?.text === 'run')) {
      return moduleOf(words, text === 'coverage' ? at + 2 : at + 1)
    } else if (text === 'node') {
      const script = scriptOf(words, at)
      return script ?? { runner: RUNNERS.node, at }
    } else return named(text, at)
  }
}

/** `python -m pytest` */
function moduleOf(words: readonly Word[], from: number): { runner: Runner; at: number } | null {
  let at = from
  while (/^-[BEIsu]+$/.test(words[at]?.text ?? '')) at += 1
  const isPytest = words[at]?.text === '-m' && words[at + 1]?.text === 'pytest'
  return isPytest ? { runner: RUNNERS.pytest, at: at + 1 } : null
}

/** `node --experimental-vm-modules node_modules/jest/bin/jest.js` */
function scriptOf(words: readonly Word[], node: number): { runner: Runner; at: number } | null {
  let at = node + 1
  while (words[at]?.text?.startsWith('-') === true) at += 1
  const script = words[at]?.text ?? ''
  return JS_BIN.test(script) ? named(script, at) : null
}

function named(text: string, at: number): { runner: Runner; at: number } | null {
  const bin = JS_BIN.exec(text)
  const name = bin?.[1] ?? bin?.[2] ?? bin?.[3] ?? text.replace(/@[\w.^~-]+$/, '')
  if (name === 'vitest' || name === 'jest' || name === 'mocha') return { runner: RUNNERS[name], at }
  return /^(?:(?:\.\/)?\.?venv\/bin\/)?(?:pytest|py\.test)$/.test(name) ? { runner: RUNNERS.pytest, at } : null
}
