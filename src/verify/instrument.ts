/**
 * Gets a report from the project's own test command without changing what it runs: the runner is found in the command,
 * and the arguments for a report are put right behind it. A list of commands may have one runner; with two, nobody knows
 * whose report it is.
 */
import { isAssignment, shellQuote, simpleCommands, type Word } from '../domain/words.ts'
import type { ReportFormat } from './report/report.ts'
import { type Runner, RUNNERS } from './runners.ts'

export interface Instrumented {
  command: string
  format: ReportFormat
}

/**
 * `path`: absolute, outside of the checkout; nothing may lie there. Null if no report can be had that way. A project's own
 * configuration may still send the report elsewhere (vitest's reporters with options).
 */
export function instrument(command: string, path: string): Instrumented | null {
  const found = (simpleCommands(command) ?? []).flatMap(({ words }) => {
    const runner = runnerOf(words)
    return runner === null ? [] : [{ ...runner, words }]
  })
  const [only, another] = found
  if (only === undefined || another !== undefined) return null
  const { runner, at, words } = only
  const added = runner.arguments(
    words.slice(at + 1).map(({ text }) => text),
    path,
  )
  const end = words[at]?.end
  if (added === null || end === undefined) return null
  const text = `${command.slice(0, end)} ${added.map(shellQuote).join(' ')}${command.slice(end)}`
  return { command: text, format: runner.format }
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
