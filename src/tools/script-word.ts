/** Which word of a simple command names the script that it runs. */
import { commandAt, type Word } from './words.ts'

/** What an interpreter's command line looks like before the script. */
interface Interpreter {
  /** A subcommand that comes first. */
  subcommand?: { name: string; required: boolean }
  /** Flags whose value is the next word. */
  valueFlags?: readonly string[]
  /** Flags after which there is no script: code, a module, or stdin instead. */
  noScript: RegExp
}

const SHELL: Interpreter = { valueFlags: ['-o', '+o', '-O', '+O', '--rcfile', '--init-file'], noScript: /^-[a-z]*[cs]/ }
const NODE: Interpreter = {
  valueFlags: ['-r', '--require', '--import', '--loader', '--experimental-loader', '-C', '--conditions', '--tsconfig'],
  noScript: /^(-[a-z]*[ep]$|--eval|--print|--test$|-$)/,
}
const PYTHON: Interpreter = { valueFlags: ['-W', '-X', '-Q'], noScript: /^(-[A-Za-z]*[cm]|-$)/ }

const INTERPRETERS: Readonly<Record<string, Interpreter>> = {
  sh: SHELL,
  bash: SHELL,
  dash: SHELL,
  zsh: SHELL,
  ksh: SHELL,
  node: NODE,
  tsx: NODE,
  'ts-node': NODE,
  python: PYTHON,
  python3: PYTHON,
  deno: {
    subcommand: { name: 'run', required: true },
    valueFlags: ['-c', '--config', '--import-map', '--lock'],
    noScript: /^-$/,
  },
  bun: {
    subcommand: { name: 'run', required: false },
    valueFlags: ['-r', '--preload'],
    noScript: /^(-[ep]$|--eval|-$)/,
  },
  ruby: { valueFlags: ['-I', '-r', '-C'], noScript: /^-e|^-$/ },
  perl: { valueFlags: ['-I'], noScript: /^-[A-Za-z]*[eE]|^-$/ },
}

/** What tools put into a checkout is not the project's. */
export const isInstalled = (path: string): boolean => /(?:^|\/)(?:node_modules|\.?venv|vendor)\//.test(path)

/** The command itself if it is a path, else what a known interpreter is given; assignments may come first. */
export function scriptWord(words: readonly Word[]): Word | undefined {
  const [command, ...args] = words.slice(commandAt(words))
  if (command?.text == null) return undefined
  const name = (command.text.split('/').at(-1) ?? '').replace(/^python3\.\d+$/, 'python3')
  const interpreter = Object.hasOwn(INTERPRETERS, name) ? INTERPRETERS[name] : undefined
  if (interpreter === undefined || (!command.text.startsWith('/') && command.text.includes('/'))) {
    return command.text.includes('/') ? command : undefined
  }
  let rest = args
  if (interpreter.subcommand !== undefined) {
    if (rest[0]?.text === interpreter.subcommand.name) rest = rest.slice(1)
    else if (interpreter.subcommand.required) return undefined
  }
  for (let index = 0; index < rest.length; index += 1) {
    const text = rest[index]?.text
    if (text == null || interpreter.noScript.test(text)) return undefined
    if (!/^[-+]./.test(text)) return rest[index]
    if (interpreter.valueFlags?.includes(text) === true) index += 1
  }
  return undefined
}
