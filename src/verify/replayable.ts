/**
 * Which commands of a judge Muster may repeat. A judge's words are untrusted: only the project's own commands, and
 * single commands that read or test, are run; never commands that install, deploy, delete or leave the checkout. Pure.
 */
import { firstWords, simpleCommands } from '../tools/words.ts'

/** Scripts and targets by whose names people know that they only test. */
const TESTING = /^(?:test|tests|lint|typecheck|type-check|check|build|unit|e2e)(?:[:_-][\w:.-]*)?$/
const DOING = /deploy|publish|release|upload|push|prod|install/i

const LOOKS = new Set(['cat', 'diff', 'grep', 'head', 'ls', 'rg', 'tail', 'test', 'wc'])
const RUNNERS = new Set(['eslint', 'jest', 'mocha', 'mypy', 'oxlint', 'pytest', 'ruff', 'tsc', 'vitest'])

/** Options with which they would run or load what the option says, write somewhere, or never end; git takes their beginnings as well. */
const REFUSED: Readonly<Record<string, RegExp>> = {
  cargo: /^--config|^-Z/,
  git: /^-(?:-ou|-op|-ext|O|o$)/,
  go: /^--?(?:exec|toolexec|vettool|o\b)/,
  rg: /^--(?:pre|hostname-bin)\b/,
  tail: /^-(?:-f|-retry|[^-]*[fF])/,
}

type Takes = (args: readonly string[]) => boolean

const everything: Takes = () => true
const oneOf =
  (...subcommands: string[]): Takes =>
  ([first = '']) =>
    subcommands.includes(first)
const aModule: Takes = ([first, second = '']) => first === '-m' && RUNNERS.has(second)

/** A script that tests, or a program that does. */
const ofManager: Takes = (args) => {
  // Options of theirs choose a shell, a folder, a command; those behind `--` are the script's.
  const own = args.includes('--') ? args.slice(0, args.indexOf('--')) : args
  if (own.some((arg) => arg.startsWith('-'))) return false
  const [first = '', second = ''] = args
  return isTesting(first === 'run' ? second : first) || (first === 'exec' && RUNNERS.has(second))
}

/** The programs that are run again, each with what it may be told to do. */
const PROGRAMS: ReadonlyMap<string, Takes> = new Map(
  Object.entries({
    ...Object.fromEntries([...LOOKS, ...RUNNERS].map((program) => [program, everything])),
    cargo: oneOf('build', 'check', 'clippy', 'test'),
    git: oneOf('diff', 'grep', 'log', 'ls-files', 'show', 'status'),
    go: oneOf('build', 'test', 'vet'),
    ...Object.fromEntries(['npm', 'pnpm', 'yarn', 'bun'].map((manager) => [manager, ofManager])),
    npx: ([first = '']) => RUNNERS.has(first),
    node: ([first, ...rest]) =>
      first === '--test' && rest.every((arg) => /^(?:[^-]|--test-(?:name-pattern|only)\b)/.test(arg)),
    python: aModule,
    python3: aModule,
    make: (targets) => targets.length > 0 && targets.every(isTesting),
  } satisfies Record<string, Takes>),
)

/** `known`: what the project runs itself. */
export function isReplayable(command: string, known: ReadonlySet<string>): boolean {
  if (known.has(command.trim())) return true
  const commands = simpleCommands(command)
  const [only] = commands ?? []
  if (only === undefined || commands?.length !== 1 || only.end !== command.trimEnd().length) return false
  const words = only.words.map(({ text }) => text)
  // A redirection ends behind the last word.
  if (words.includes(null) || only.words.at(-1)?.end !== only.end) return false
  const [program = '', ...args] = words as string[]
  return args.every(staysInside) && looksOrTests(program, args)
}

/** Whether what it shows is all it says: its exit code is not about the work. */
export function onlyLooks(command: string): boolean {
  const program = firstWords(command)[0]?.text ?? ''
  return program === 'git' || (LOOKS.has(program) && program !== 'test' && program !== 'diff')
}

function looksOrTests(program: string, args: readonly string[]): boolean {
  const refused = Object.hasOwn(REFUSED, program) ? REFUSED[program] : undefined
  if (refused !== undefined && args.some((arg) => refused.test(arg))) return false
  return PROGRAMS.get(program)?.(args) === true
}

const isTesting = (name: string): boolean => TESTING.test(name) && !DOING.test(name)

function staysInside(arg: string): boolean {
  const path = arg.replace(/^-[^=]*=/, '')
  // `-f/etc/passwd` is an option with its value.
  return !/^(?:\/|-\w+\/|data:|file:)/i.test(path) && !path.split('/').includes('..')
}
