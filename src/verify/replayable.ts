/**
 * Which commands of a judge Muster runs again by itself. A judge's words are untrusted: only what the project itself runs,
 * and single commands that look or test, are run; never what installs, deploys, deletes or leaves the checkout. Pure.
 */
import { simpleCommands } from '../domain/words.ts'

/** Scripts and targets by whose names people know that they only test. */
const TESTING = /^(?:test|tests|lint|typecheck|type-check|check|build|unit|e2e)(?:[:_-][\w:.-]*)?$/

const LOOKS = new Set(['cat', 'diff', 'grep', 'head', 'ls', 'rg', 'tail', 'test', 'wc'])
const RUNNERS = new Set(['eslint', 'jest', 'mocha', 'mypy', 'oxlint', 'pytest', 'ruff', 'tsc', 'vitest'])
const SUBCOMMANDS: Readonly<Record<string, ReadonlySet<string>>> = {
  cargo: new Set(['build', 'check', 'clippy', 'test']),
  git: new Set(['diff', 'grep', 'log', 'ls-files', 'show', 'status']),
  go: new Set(['build', 'test', 'vet']),
}
const MANAGERS = new Set(['npm', 'pnpm', 'yarn', 'bun'])

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

function looksOrTests(program: string, args: readonly string[]): boolean {
  const [first = '', second = ''] = args
  if (LOOKS.has(program)) return !args.some((arg) => /^--(?:pre|hostname-bin)\b/.test(arg))
  if (RUNNERS.has(program)) return true
  if (Object.hasOwn(SUBCOMMANDS, program)) {
    return SUBCOMMANDS[program]?.has(first) === true && !args.some((arg) => /^-(?:-output|-ext-diff|exec|o$)/.test(arg))
  }
  if (MANAGERS.has(program))
    return TESTING.test(first === 'run' ? second : first) || (first === 'exec' && RUNNERS.has(second))
  if (program === 'npx') return RUNNERS.has(first)
  if (program === 'node') return first === '--test'
  if (program === 'python' || program === 'python3') return first === '-m' && RUNNERS.has(second)
  return program === 'make' && args.length > 0 && args.every((arg) => TESTING.test(arg))
}

function staysInside(arg: string): boolean {
  const path = arg.replace(/^-[^=]*=/, '')
  return !path.startsWith('/') && !path.split('/').includes('..')
}
