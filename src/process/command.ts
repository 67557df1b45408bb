/**
 * Looks at a configured shell command before it runs: which script of the project it names, and whether its program
 * exists. Only the first simple command is understood; everything else is the shell's business and stays as it is.
 */
import { accessSync, constants, statSync } from 'node:fs'
import { basename, isAbsolute, relative, resolve } from 'node:path'
import { firstWords, isAssignment, shellQuote, type Word } from '../domain/words.ts'
import { childEnvironment } from './environment.ts'
import { runToEnd } from './run.ts'

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
  noScript: /^(-[a-z]*[ep]$|--eval|--print|-$)/,
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

/**
 * The command with its script's path made absolute if the script is a file under `root`: a worker's folder is a clone,
 * and what it runs must not depend on what the clone holds.
 */
export function resolveScripts(run: string, root: string): string {
  const words = firstWords(run)
  const command = words.findIndex((word) => word.text === null || !isAssignment(word.text))
  const word = scriptWord(words.slice(Math.max(command, 0)))
  if (word?.text == null || isAbsolute(word.text)) return run
  const path = resolve(root, word.text)
  if (!isUnder(root, path) || kindOf(path) !== 'file') return run
  return run.slice(0, word.start) + shellQuote(path) + run.slice(word.end)
}

/** The word that names a script: the command itself if it is a path, else what a known interpreter is given. */
function scriptWord([command, ...args]: readonly Word[]): Word | undefined {
  if (command?.text == null) return undefined
  const interpreter = INTERPRETERS[basename(command.text).replace(/^python3\.\d+$/, 'python3')]
  if (interpreter === undefined || (!isAbsolute(command.text) && command.text.includes('/'))) {
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

/** Null, or a sentence that says why the command cannot run. What only the shell can know is no problem. */
export async function findCommandProblem(run: string, root: string): Promise<string | null> {
  if (run.trim() === '') return 'the command is empty'
  const word = firstWords(run)[0]?.text
  if (word == null || isAssignment(word)) return null
  if (!word.includes('/')) return (await isKnownToShell(word, root)) ? null : `the command "${word}" is not found`
  const path = resolve(root, word)
  // A path out of the project is taken from the worker's folder, which is not there yet.
  if (!isAbsolute(word) && !isUnder(root, path)) return null
  const kind = kindOf(path)
  if (kind === null) return `the command "${word}" is not found: there is no ${path}`
  if (kind === 'directory') return `the command "${word}" is a directory`
  return isExecutable(path) ? null : `the command "${word}" is not executable: chmod +x ${shellQuote(path)}`
}

/** A program on the PATH that children get, a builtin or a keyword. */
async function isKnownToShell(name: string, cwd: string): Promise<boolean> {
  const command = ['/bin/sh', '-c', 'command -v -- "$1"', 'sh', name]
  return (await runToEnd({ command, cwd, env: childEnvironment() })).code === 0
}

function isUnder(root: string, path: string): boolean {
  return !/^\.\.(\/|$)/.test(relative(root, path))
}

function kindOf(path: string): 'file' | 'directory' | null {
  try {
    return statSync(path).isDirectory() ? 'directory' : 'file'
  } catch {
    return null
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
