/**
 * YAML from people, read with suspicion: size and depth are capped before parsing, duplicate keys and alias bombs are
 * refused, and every problem found later can be told with its file and line.
 */
import { readFile, stat } from 'node:fs/promises'
import type { Document } from 'yaml'
import { LineCounter, parseDocument, visit } from 'yaml'
import type { ZodType } from 'zod'
import { MusterError } from '../domain/errors.ts'
import { configBytesMax, configDepthMax } from '../domain/limits.ts'
import type { Problem } from '../domain/problem.ts'

export interface YamlFile {
  /** As the user would name it. */
  name: string
  value: unknown
  /** Line of the value, or of its key, at this path; of the nearest parent where there is none. */
  lineOf(path: readonly PropertyKey[]): number
}

export async function readYaml(path: string, name: string, noun: string): Promise<YamlFile> {
  const info = await stat(path).catch(() => null)
  if (info === null)
    throw new MusterError('usage', `there is no ${noun} ${name}`, { hint: `check the path of the ${noun}` })
  if (!info.isFile()) throw new MusterError('usage', `${name} is not a file`, { hint: `name the ${noun} file itself` })
  if (info.size > configBytesMax) {
    const size = `${(info.size / 1024 / 1024).toFixed(1)} MB`
    throw new MusterError('config', `${name} is ${size}; a ${noun} may have ${configBytesMax / 1024 / 1024} MB`, {
      hint: `split the ${noun} into several files`,
    })
  }
  return parseYaml(await readFile(path, 'utf8'), name)
}

export function parseYaml(text: string, name: string): YamlFile {
  refuseDepth(text, name)
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true, maxAliasCount: 20 } as never)
  const [error] = document.errors
  if (error !== undefined) {
    const line = lines.linePos(error.pos[0]).line
    throw new MusterError('config', `${name}:${line}: ${error.message.split('\n')[0]}`, {
      hint: 'it must be valid YAML',
    })
  }
  let value: unknown
  try {
    value = document.toJS({ maxAliasCount: 20 })
  } catch (cause) {
    throw new MusterError('config', `${name}: ${(cause as Error).message}`, { hint: 'write the values out', cause })
  }
  return { name, value, lineOf: (path) => lineOf(document, lines, path) }
}

/** Deep nesting is refused before the parser recurses into it: brackets by counting, blocks by their indentation. */
function refuseDepth(text: string, name: string): void {
  let flow = 0
  for (const char of text) {
    if (char === '[' || char === '{') flow += 1
    else if (char === ']' || char === '}') flow = Math.max(0, flow - 1)
    if (flow > configDepthMax) throw tooDeep(name)
  }
  if (/^ {200}\s*\S/m.test(text) || /^(?:\s*- ){33}/m.test(text)) throw tooDeep(name)
}

function tooDeep(name: string): MusterError {
  return new MusterError('config', `${name} is nested deeper than ${configDepthMax} levels`, { hint: 'flatten it' })
}

function lineOf(document: Document, lines: LineCounter, path: readonly PropertyKey[]): number {
  for (let length = path.length; length > 0; length--) {
    const keys = path.slice(0, length)
    const offset = keyOffset(document, keys) ?? rangeStart(document.getIn(keys, true))
    if (offset !== undefined) return lines.linePos(offset).line
  }
  return 1
}

/** Where the key itself stands: a wrong key is better shown than its value. */
function keyOffset(document: Document, path: readonly PropertyKey[]): number | undefined {
  let found: number | undefined
  const parent: unknown = path.length > 1 ? document.getIn(path.slice(0, -1), true) : document.contents
  if (parent === null || typeof parent !== 'object') return undefined
  visit(parent as never, {
    Pair(_, pair) {
      const key = pair.key as { value?: unknown; range?: [number, number, number] } | null
      if (key?.value === path.at(-1)) found = key?.range?.[0]
      return found === undefined ? visit.SKIP : visit.BREAK
    },
  })
  return found
}

function rangeStart(node: unknown): number | undefined {
  return (node as { range?: [number, number, number] } | null | undefined)?.range?.[0]
}

/** All problems in one error, each with its line: people fix files, not single mistakes. */
export function refuse(file: YamlFile, problems: readonly Problem[], hint: string): never {
  const lines = problems.map(({ path, message }) => `${file.name}:${file.lineOf(path)}: ${message}`)
  const shown = [...new Set(lines)].slice(0, 20)
  const more = lines.length > shown.length ? `\n… and ${lines.length - shown.length} more` : ''
  throw new MusterError('config', shown.join('\n') + more, { hint })
}

/** The value as the schema wants it, or every problem with its line. */
export function check<T>(file: YamlFile, schema: ZodType<T>, hint: string): T {
  const result = schema.safeParse(file.value)
  if (result.success) return result.data
  refuse(file, problemsOf(result.error.issues, []), hint)
}

interface Issue {
  code?: string | undefined
  path: readonly PropertyKey[]
  message: string
  keys?: readonly string[]
  errors?: readonly (readonly Issue[])[]
}

function problemsOf(issues: readonly Issue[], under: readonly PropertyKey[]): Problem[] {
  return issues.flatMap((issue): Problem[] => {
    const path = [...under, ...issue.path].filter((key) => typeof key !== 'symbol')
    if (issue.code === 'unrecognized_keys' && issue.keys !== undefined) {
      const where = path.length > 0 ? ` in ${path.join('.')}` : ''
      return issue.keys.map((key) => ({ path: [...path, key], message: `unknown key "${key}"${where}` }))
    }
    if (issue.code === 'invalid_union' && issue.errors !== undefined) {
      // Of several shapes that did not fit, the one that came closest says what the person meant.
      const nested = issue.errors.map((branch) => problemsOf(branch, path))
      const deepest = nested.toSorted((a, b) => depth(b) - depth(a))[0]
      if (deepest !== undefined && depth(deepest) > path.length) return deepest
    }
    const where = path.length > 0 ? `${path.join('.')}: ` : ''
    return [{ path, message: `${where}${issue.message}` }]
  })
}

function depth(problems: readonly Problem[]): number {
  return Math.max(0, ...problems.map((problem) => problem.path.length))
}
