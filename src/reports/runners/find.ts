/**
 * Finds the test runner in a simple command, after assignments and programs such as `env` that start another command.
 */
import { isAssignment, type Word } from '../../tools/words.ts'
import { cargo, ctest, go, gotestsum, make, meson, ninja } from './compiled.ts'
import { ava, borp, bun, deno, jasmine, jest, mocha, node, playwright, tap, tape, vitest } from './javascript.ts'
import { bats, gradle, maven, phpunit, rails, rake, rspec, ruby } from './others.ts'
import { nox, pytest, tox, unittest } from './python.ts'
import type { Runner } from './runner.ts'

interface FoundRunner {
  runner: Runner
  /** Which word is its name. */
  at: number
}

const RUNNERS: Readonly<Record<string, Runner>> = {
  ava,
  bats,
  borp,
  bun,
  cargo,
  ctest,
  deno,
  gmake: make,
  go,
  gotestsum,
  gradle,
  gradlew: gradle,
  jasmine,
  jest,
  just: make,
  make,
  meson,
  mocha,
  mvn: maven,
  mvnw: maven,
  ninja,
  node,
  nox,
  phpunit,
  playwright,
  'py.test': pytest,
  pytest,
  rails,
  rake,
  rspec,
  ruby,
  tap,
  tape,
  task: make,
  tox,
  vitest,
  // These hand their words on.
  _mocha: mocha,
  'ts-mocha': mocha,
  tsx: node,
}

interface Wrapper {
  /** A word that has to come next, or may. */
  verb?: RegExp
  optional?: true
  options: RegExp
}

const NONE = /^$/
const MANAGER_OPTIONS = /^(?:-s|--silent|--)$/

/** Programs that run the command behind them, with the words that may come between. */
const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  env: { options: NONE },
  'cross-env': { options: NONE },
  timeout: { options: /^(?:-[sk]\S+|--(?:foreground|preserve-status|signal=\S+|kill-after=\S+)|[\d.]+[smhd]?)$/ },
  nice: { options: /^(?:-n|-?\d+|-n\d+)$/ },
  'xvfb-run': { options: /^(?:-a|--auto-servernum|--)$/ },
  dotenv: { options: /^(?:-e|-c|\.env\S*|--)$/ },
  npx: { options: /^(?:-y|--yes|--no|--no-install|--offline|--prefer-offline|--)$/ },
  bunx: { options: /^(?:--bun|--)$/ },
  npm: { verb: /^(?:exec|x)$/, options: /^(?:-y|--yes|--no|--)$/ },
  pnpm: { verb: /^exec$/, optional: true, options: MANAGER_OPTIONS },
  yarn: { verb: /^(?:exec|run)$/, optional: true, options: MANAGER_OPTIONS },
  bun: { verb: /^(?:x|run)$/, optional: true, options: /^(?:--bun|--silent|--)$/ },
  bundle: { verb: /^exec$/, options: NONE },
  uv: { verb: /^run$/, options: /^(?:--frozen|--locked|--offline|--no-sync|--)$/ },
  poetry: { verb: /^run$/, options: NONE },
  pipenv: { verb: /^run$/, options: NONE },
  pdm: { verb: /^run$/, options: NONE },
  hatch: { verb: /^run$/, options: NONE },
}

/** Measure what the command behind them runs. Their options may have values that are words of their own. */
const COVERAGE = /^(?:c8|nyc)$/

const JS_BIN =
  /^(?:\.\/)?node_modules\/(?:\.bin\/([\w-]+)|(jest|mocha|ava|tape|jasmine|borp)\/(?:bin|entrypoints)\/\w+(?:\.[cm]?js)?|(vitest)\/vitest\.mjs)$/
const OTHER_BIN = /^(?:\.\/)?(?:(?:\.?venv|vendor)\/)?(?:bin\/)?([\w.-]+)$/

/** Python itself, also in an environment beside the project: a setup's `.venv/bin/python`. */
const PYTHON = /^(?:[\w.@+-]*\/)*python[\d.]*$/

export function runnerOf(words: readonly Word[]): FoundRunner | null {
  const at = commandIn(words)
  const text = at === null ? '' : textAt(words, at)
  if (at === null || text === '') return null
  if (PYTHON.test(text)) return moduleOf(words, at + 1, true)
  if (text === 'coverage' && textAt(words, at + 1) === 'run') return moduleOf(words, at + 2, false)
  if (text === 'node') return scriptOf(words, at) ?? { runner: node, at }
  return named(text, at)
}

function textAt(words: readonly Word[], index: number): string {
  return words[index]?.text ?? ''
}

/** Which word is the command itself, behind all that only leads to it; null where that leads nowhere. */
function commandIn(words: readonly Word[]): number | null {
  let at: number | null = 0
  while (at !== null) {
    const text = textAt(words, at)
    if (isAssignment(text)) at += 1
    else if (COVERAGE.test(text)) at = behindCoverage(words, at + 1)
    else if (isWrapper(text, textAt(words, at + 1))) at = behindWrapper(words, at + 1, WRAPPERS[text] as Wrapper)
    else return at
  }
  return null
}

/** `bun test` is a runner itself. */
function isWrapper(program: string, first: string): boolean {
  return Object.hasOwn(WRAPPERS, program) && !(program === 'bun' && first === 'test')
}

/** `npx --yes vitest`, `pnpm --silent exec vitest`; null where the verb that has to be there is not. */
function behindWrapper(words: readonly Word[], from: number, { verb, optional, options }: Wrapper): number | null {
  if (verb === undefined) return behindOptions(words, from, options)
  const at = optional ? behindOptions(words, from, options) : from
  if (verb.test(textAt(words, at))) return behindOptions(words, at + 1, options)
  return optional ? at : null
}

function behindOptions(words: readonly Word[], from: number, options: RegExp): number {
  const count = words.slice(from).findIndex(({ text }) => !options.test(text || '?'))
  return count < 0 ? words.length : from + count
}

function behindCoverage(words: readonly Word[], from: number): number {
  let at = from
  while (textAt(words, at).startsWith('-')) {
    at += 1
    const next = textAt(words, at)
    const isCommand = Object.hasOwn(WRAPPERS, next) || named(next, at) !== null || next.startsWith('-')
    if (!isCommand && !textAt(words, at - 1).includes('=') && next !== '') at += 1
  }
  return at
}

/** `python -m pytest`; `python -m unittest` only where a file may take its place. */
function moduleOf(words: readonly Word[], from: number, replaceable: boolean): FoundRunner | null {
  let at = from
  while (/^-[BEIsu]+$/.test(words[at]?.text ?? '')) at += 1
  if (words[at]?.text !== '-m') return null
  const module = words[at + 1]?.text
  if (module === 'unittest') return replaceable ? { runner: unittest, at } : null
  const runner = module === 'pytest' ? pytest : module === 'tox' ? tox : module === 'nox' ? nox : null
  return runner === null ? null : { runner, at: at + 1 }
}

/** `node --experimental-vm-modules node_modules/jest/bin/jest.js` */
function scriptOf(words: readonly Word[], at: number): FoundRunner | null {
  let script = at + 1
  while (words[script]?.text?.startsWith('-') === true) script += 1
  const text = words[script]?.text ?? ''
  return JS_BIN.test(text) ? named(text, script) : null
}

function named(text: string, at: number): FoundRunner | null {
  const bin = JS_BIN.exec(text)
  const plain = OTHER_BIN.exec(text.replace(/(?<=.)@[\w.^~-]+$/, ''))
  const name = bin?.[1] ?? bin?.[2] ?? bin?.[3] ?? plain?.[1] ?? ''
  const runner = Object.hasOwn(RUNNERS, name) ? RUNNERS[name] : undefined
  return runner === undefined ? null : { runner, at }
}
