/**
 * The purpose of a command in a few words, the same for different spellings: `npm run test -- --coverage` and `npm
 * test` are both `script test`. It is only compared with others; no command is built from it.
 */
import { isManager } from './packages.ts'
import { simpleCommands, withoutAssignments } from './words.ts'

/** Of every command of a list; of a text that is more than a list, none. */
export function signsOf(run: string): string[] {
  return (simpleCommands(run) ?? []).flatMap(({ words }) => {
    const sign = signOf(withoutAssignments(run, words).map(({ text }) => text ?? ''))
    return sign === null ? [] : [sign]
  })
}

/** Programs that run another one. */
const AROUND: Readonly<Record<string, readonly string[]>> = {
  npx: [],
  bunx: [],
  uvx: [],
  uv: ['run'],
  poetry: ['run'],
  pipenv: ['run'],
  hatch: ['run'],
  pdm: ['run'],
  bundle: ['exec'],
  python: ['-m'],
  python3: ['-m'],
}

/** Programs of which the first word says what they do. */
const WITH_TARGET = new Set(['make', 'just', 'task', 'go', 'cargo', 'mvn', 'gradle', 'deno', 'bun', 'rake', 'ruff'])

function signOf([first = '', ...args]: readonly string[]): string | null {
  const program = first.replace(/^.*\//, '')
  const plain = args.filter((arg) => !arg.startsWith('-'))
  if (isManager(program)) {
    const script = scriptOf(program, plain)
    return script === null ? null : `script ${script}`
  }
  const between = AROUND[program]
  if (between !== undefined) {
    const behind = args.slice(between.length)
    const at = behind.findIndex((arg) => !arg.startsWith('-'))
    return at >= 0 && between.every((word, index) => args[index] === word) ? signOf(behind.slice(at)) : null
  }
  return WITH_TARGET.has(program) ? `${program} ${plain[0] ?? ''}`.trim() : program || null
}

function scriptOf(manager: string, [verb, name]: readonly string[]): string | null {
  if (verb === 'run' || verb === 'run-script') return name ?? null
  if (verb === 'test' || verb === 't') return 'test'
  return manager === 'npm' || manager === 'bun' ? null : (verb ?? null)
}
