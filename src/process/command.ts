/**
 * Looks at a configured shell command before it runs: which script of the project it names, and whether its program
 * exists. Only the first simple command is understood; everything else is the shell's business and stays as it is.
 */
import { accessSync, constants, statSync } from 'node:fs'
import { isAbsolute, relative, resolve } from 'node:path'
import { scriptWord } from '../tools/script-word.ts'
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

/**
 * Null, or a sentence that says why the command cannot run. What only the shell can know is no problem; nor is, where
 * commands run in an image, what only that can know.
 */
export async function findCommandProblem(run: string, root: string, image = false): Promise<string | null> {
  if (run.trim() === '') return 'the command is empty'
  const word = firstWords(run)[0]?.text
  if (word == null || isAssignment(word)) return null
  if (image && (!word.includes('/') || !isUnder(root, resolve(root, word)))) return null
  if (!word.includes('/'))
    return (await knownToShell([word], root)).has(word) ? null : `the command "${word}" is not found`
  const path = resolve(root, word)
  // A path out of the project is taken from the worker's folder, which is not there yet.
  if (!isAbsolute(word) && !isUnder(root, path)) return null
  const kind = kindOf(path)
  if (kind === null) return `the command "${word}" is not found: there is no ${path}`
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
