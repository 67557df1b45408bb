/**
 * Reads YAML from people with suspicion: size and depth are limited while parsing, duplicate keys and alias bombs are
 * refused, and every problem found later can name its file and line.
 */
import { readFile, stat } from 'node:fs/promises'
import type { Document, Node } from 'yaml'
import { Composer, Lexer, LineCounter, Parser, isAlias, isCollection, isMap, isPair, isScalar, visit } from 'yaml'
import { MusterError } from '../domain/errors.ts'
import { configBytesMax, configDepthMax, problemsMax } from '../domain/limits.ts'
import type { Problem } from '../domain/problem.ts'
import { cutOffIn } from './cut-off.ts'

export interface YamlFile {
  /** As the user would name it. */
  name: string
  value: unknown
  /** Line of the key or list item at this path; of the nearest parent where there is none. */
  lineOf(path: readonly PropertyKey[]): number
  /** Texts under these keys that end at a `#`, with their line. Absent for what was not read from YAML. */
  cutOff?(keys: ReadonlySet<string>): { line: number; kept: string; lost: string }[]
}

/** Ids are names, also where YAML sees numbers: 1.10 is not 1.1, and 007 is not 7. */
const TEXT_KEYS = new Set(['id', 'parent', 'depends_on', 'dependencies'])

const aliasesMax = 100

export async function readYaml(path: string, name: string, noun: string): Promise<YamlFile> {
  const info = await stat(path).catch(() => null)
  if (info === null)
    throw new MusterError('usage', `there is no ${noun} ${name}`, { hint: `check the path of the ${noun}` })
  if (!info.isFile()) throw new MusterError('usage', `${name} is not a file`, { hint: `name the ${noun} file itself` })
  if (info.size > configBytesMax) {
    const size = `${(info.size / 1024 / 1024).toFixed(1)} MB`
    throw new MusterError('config', `${name} has ${size}; a ${noun} may have ${configBytesMax / 1024 / 1024} MB`, {
      hint: `split the ${noun} into several files`,
    })
  }
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new MusterError('usage', `the ${noun} ${name} cannot be read: ${(cause as Error).message}`, {
      hint: 'check who may read the file',
      cause,
    })
  })
  return parseYaml(text, name)
}

export function parseYaml(text: string, name: string): YamlFile {
  const lines = new LineCounter()
  const refuseAt = (offset: number, message: string, hint: string): never => {
    throw new MusterError('config', `${name}:${lines.linePos(offset).line}: ${message}`, { hint })
  }
  const tooDeep = (offset: number) =>
    refuseAt(offset, `it is nested deeper than ${configDepthMax} levels`, 'flatten it')
  // Duplicate keys are looked for below: the parser's own search takes hours for a file full of keys.
  const composer = new Composer({ uniqueKeys: false, prettyErrors: false })
  const documents = [...composer.compose([...tokens(text, lines, tooDeep)], true, text.length)]
  const error = documents.flatMap((document) => document.errors)[0]
  if (error !== undefined) refuseAt(error.pos[0], lowerFirst(error.message), 'it must be valid YAML')
  const [document, second] = documents
  if (document === undefined) throw new Error('the composer was told to make a document')
  if (second !== undefined) refuseAt(second.range[0], 'a second document starts here', 'use one document per file')
  inspect(document, refuseAt)
  let value: unknown
  try {
    value = document.toJS({ maxAliasCount: aliasesMax })
  } catch {
    refuseAt(firstAlias(document), 'its aliases (*name) expand into too much', 'write the values out')
  }
  const lineAt = (offset: number) => lines.linePos(offset).line
  return {
    name,
    value,
    lineOf: (path) => lineAt(offsetOf(document, path)),
    cutOff: (keys) =>
      cutOffIn(document, text, keys).map(({ offset, kept, lost }) => ({ line: lineAt(offset), kept, lost })),
  }
}

/** Deep nesting is refused as soon as it is seen: the composer would recurse into it. */
function* tokens(text: string, lines: LineCounter, tooDeep: (offset: number) => void) {
  const parser = new Parser(lines.addNewLine)
  lines.addNewLine(0)
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme)
    // The document and the scalar being read are on the stack too.
    if (parser.stack.length > configDepthMax + 2) tooDeep(parser.offset)
  }
  yield* parser.end()
}

function inspect(document: Document, refuseAt: (offset: number, message: string, hint: string) => never): void {
  let aliases = 0
  visit(document, {
    Alias(_, alias) {
      const at = startOf(alias) ?? 0
      aliases += 1
      if (aliases > aliasesMax) refuseAt(at, `it has more than ${aliasesMax} aliases (*name)`, 'write the values out')
      if (alias.resolve(document) === undefined) {
        refuseAt(at, `the alias *${alias.source} has no anchor`, `write &${alias.source} where the value is`)
      }
    },
    Map(_, map) {
      const seen = new Set<string>()
      for (const { key } of map.items) {
        const at = startOf(key) ?? startOf(map) ?? 0
        if (!isScalar(key) || key.value === null) return refuseAt(at, 'a key must be text', 'quote it')
        const name = String(key.value)
        if (seen.has(name)) refuseAt(at, `the key "${name}" appears twice`, 'keep one of them')
        seen.add(name)
      }
    },
    Pair(_, { key, value }) {
      if (isScalar(key) && TEXT_KEYS.has(String(key.value))) takeAsWritten(value)
    },
  })
}

function takeAsWritten(value: unknown): void {
  const items: unknown[] = isCollection(value) ? value.items : [value]
  for (const item of items) {
    if (isScalar(item) && item.value !== null && typeof item.value !== 'string') item.value = item.source ?? item.value
  }
}

function firstAlias(document: Document): number {
  let found = 0
  visit(document, {
    Alias(_, alias) {
      found = startOf(alias) ?? 0
      return visit.BREAK
    },
  })
  return found
}

/** Where the path's last key stands; for a list, where its item does; as far as the path leads. */
function offsetOf(document: Document, path: readonly PropertyKey[]): number {
  let node: unknown = document.contents
  let offset = startOf(node) ?? 0
  for (const step of path) {
    if (isAlias(node)) node = node.resolve(document)
    if (!isCollection(node)) break
    const child = isMap(node)
      ? node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step))
      : node.items[Number(step)]
    if (child === undefined) break
    node = isPair(child) ? child.value : child
    offset = startOf(isPair(child) ? child.key : child) ?? offset
  }
  return offset
}

function startOf(node: unknown): number | undefined {
  return (node as Node | null | undefined)?.range?.[0]
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}

/** All problems in one error, each with its line: people fix files, not single mistakes. */
export function refuse(file: YamlFile, problems: readonly Problem[], hint: string): never {
  const lines = problems
    .slice(0, problemsMax)
    .map(({ path, message }) => `${file.name}:${file.lineOf(path)}: ${message}`)
  const shown = [...new Set(lines)]
  const more = problems.length > problemsMax ? `\n… and ${problems.length - problemsMax} more` : ''
  throw new MusterError('config', shown.join('\n') + more, { hint, cause: problems })
}
