/**
 * Examines a configured shell command before it runs: which script of the project it names, and whether its program
 * exists. It understands only the first simple command; the shell handles the rest unchanged.
 */
import { accessSync, constants, statSync } from 'node:fs'
import { dirname, isAbsolute, relative, resolve } from 'node:path'
import { isInstalled, scriptWord } from '../tools/script-word.ts'
import { firstWords, isAssignment, shellQuote } from '../tools/words.ts'
import { childEnvironment } from './environment.ts'
import { runToEnd } from './run.ts'

/**
 * The command with its script's path made absolute if the script is a file under `root`: a worker's folder is a clone,
 * and what it runs must not depend on what the clone holds.
 */
export function resolveScripts(run: string, root: string): string {
  const word = scriptWord(firstWords(run))
  if (word?.text == null || isAbsolute(word.text)) return run
  const path = resolve(root, word.text)
  if (!isUnder(root, path) || kindOf(path) !== 'file') return run
  return run.slice(0, word.start) + shellQuote(path) + run.slice(word.end)
}

interface CommandPlace {
  /** The folder below the root that it runs in. */
  cwd?: string
  /** Commands run in an image: what only that can know is no problem. */
  image?: boolean
  /** A setup runs before it, and may bring what the checkout has not. */
  setup?: boolean
}

/** Null, or a sentence that says why the command cannot run. What only the shell can know is no problem. */
export async function findCommandProblem(
  run: string,
  root: string,
  { cwd = '', image = false, setup = false }: CommandPlace = {},
): Promise<string | null> {
  if (run.trim() === '') return 'the command is empty'
  const word = firstWords(run)[0]?.text
  if (word == null || isAssignment(word)) return null
  const path = resolve(root, cwd, word)
  if (image && (!word.includes('/') || !isUnder(root, path))) return null
  if (!word.includes('/'))
    return (await knownToShell([word], root)).has(word) ? null : `the command "${word}" is not found`
  // A path out of the project is taken from the worker's folder, which is not there yet.
  if (!isAbsolute(word) && !isUnder(root, path)) return null
  const isMade = setup && isUnder(root, path) && (isInstalled(word) || kindOf(dirname(path)) === null)
  return fileProblem(word, path, isMade)
}

/** `isMade`: where it is not there yet, the setup makes it. */
function fileProblem(word: string, path: string, isMade: boolean): string | null {
  const kind = kindOf(path)
  if (kind === null) return isMade ? null : `the command "${word}" is not found: there is no ${path}`
  if (kind === 'directory') return `the command "${word}" is a directory`
  return isExecutable(path) ? null : `the command "${word}" is not executable: chmod +x ${shellQuote(path)}`
}

/** Of these names, those of a program on the PATH that children get, a builtin or a keyword. */
export async function knownToShell(names: readonly string[], cwd: string): Promise<Set<string>> {
  const look = 'for name; do command -v -- "$name" >/dev/null && printf "%s\\n" "$name"; done'
  const ran = await runToEnd({ command: ['/bin/sh', '-c', look, 'sh', ...names], cwd, env: childEnvironment() })
  return new Set(ran.stdout.toString().split('\n').filter(Boolean))
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
