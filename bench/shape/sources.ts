/** The files of the house as they are on disk, parsed: what every measure of its shape starts from. */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'rolldown/utils'
import type { Node } from '../mutants/walk.ts'

export const ROOT = join(import.meta.dirname, '../..')

export interface Source {
  /** As in `src/cli/run.ts`. */
  path: string
  text: string
  /** The text with comments blanked, line by line the same. */
  code: string
  tree: Node
  /** Tests and what only tests use: fixtures, samples, the suites that every adapter must pass. */
  test: boolean
}

const FOLDERS = ['src', 'test', 'bench', 'zoo', 'web']
const TEST = /^(?:test|bench|zoo)\/|\.test\.tsx?$|\/fixtures\/|\/(?:conformance(?:-\w+)?|samples)\.ts$/

/** All sources that may import something of src/; those of src/ alone are `house`. */
export function readSources(): Source[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !name.includes('node_modules'))
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
      .toSorted(),
  ).map((path) => sourceOf(path, readFileSync(join(ROOT, path), 'utf8')))
}

/** Parses when somebody looks at the tree: most tests of the house are only asked for a word. */
export function sourceOf(path: string, text: string): Source {
  let parsed: Pick<Source, 'code' | 'tree'> | undefined
  const look = () => (parsed ??= parse(path, text))
  return {
    path,
    text,
    test: TEST.test(path),
    get code() {
      return look().code
    },
    get tree() {
      return look().tree
    },
  }
}

function parse(path: string, text: string): Pick<Source, 'code' | 'tree'> {
  const { program, comments, errors } = parseSync(path, text)
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]?.message}`)
  return { code: blank(text, comments), tree: program as unknown as Node }
}

/** What a user runs: src/ without its tests. */
export const houseOf = (sources: readonly Source[]): Source[] =>
  sources.filter(({ path, test }) => path.startsWith('src/') && !test)

export const roomOf = (path: string): string => path.split('/')[1] ?? path

export const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length

function blank(text: string, comments: readonly { start: number; end: number }[]): string {
  let code = ''
  let at = 0
  for (const { start, end } of comments) {
    code += text.slice(at, start) + text.slice(start, end).replace(/[^\n]/g, ' ')
    at = end
  }
  return code + text.slice(at)
}
