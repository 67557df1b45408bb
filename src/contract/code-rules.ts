/**
 * Rules about added lines (S3.7): looks for each code pattern of the rules in the lines that a change adds, file by
 * file. A pattern that takes too long counts as found, so it can ask for too much but never for too little.
 */
import { Script } from 'node:vm'
import type { CodeRule, FileRule } from '../domain/contract/rules.ts'

/** For all patterns over the whole change: a regular expression could take for ever. */
const searchMs = 1000

/** The rules that fit, by the file they fit in. A name that git had to quote is none of `paths`: then it fits in all. */
export function codeRules(code: readonly CodeRule[], patch: string, paths: readonly string[]): Map<string, FileRule[]> {
  const added = addedLines(patch)
  const fits = added.length === 0 || code.length === 0 ? [] : search(code, added)
  const found = new Map<string, FileRule[]>()
  for (const [index, rule] of code.map((one) => one.rule).entries()) {
    const named = added.filter((_, at) => fits[index]?.[at] ?? true).map(({ path }) => path)
    const where = named.some((path) => !paths.includes(path)) ? paths : named
    for (const path of new Set(where)) found.set(path, [...(found.get(path) ?? []), rule])
  }
  return found
}

interface Added {
  path: string
  lines: string[]
}

/** In a context of its own: only that can be stopped. What it has found until then stays found. */
const SEARCH = new Script(`
  for (const { pattern, flags } of code) {
    const expression = new RegExp(pattern, flags)
    fits.push(files.map((lines) => lines.some((line) => expression.test(line))))
  }
`)

/** By pattern and file; a pattern that it did not come to is not there. */
function search(code: readonly CodeRule[], added: readonly Added[]): boolean[][] {
  const fits: boolean[][] = []
  try {
    SEARCH.runInNewContext({ code, files: added.map(({ lines }) => lines), fits }, { timeout: searchMs })
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
  }
  return fits
}

/** A line of a hunk is never taken for the head of a file: its hunk says how many it has. */
function addedLines(patch: string): Added[] {
  const files: Added[] = []
  let [removedLeft, addedLeft] = [0, 0]
  for (const line of patch.split('\n')) {
    if (removedLeft > 0 || addedLeft > 0) {
      const sign = line[0] ?? ' '
      if (sign === '+') files.at(-1)?.lines.push(line.slice(1))
      if (sign === '+' || sign === ' ') addedLeft -= 1
      if (sign === '-' || sign === ' ') removedLeft -= 1
      continue
    }
    const [, removed = '1', added = '1'] = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line) ?? []
    if (line.startsWith('@@ ')) [removedLeft, addedLeft] = [Number(removed), Number(added)]
    else if (line.startsWith('+++ '))
      files.push({ path: line.replace(/^\+\+\+ (?:b\/)?/, '').replace(/\t$/, ''), lines: [] })
  }
  return files
}
