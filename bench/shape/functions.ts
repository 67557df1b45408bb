/** Functions that are long or have many branches, as oxlint counts them, each by a name that does not change with its line. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { childOf, type Node } from '../mutants/walk.ts'
import { visit } from './imports.ts'
import { ROOT, lineAt, type Source } from './sources.ts'

export interface Counted {
  path: string
  line: number
  name: string
  value: number
}

interface Diagnostic {
  message: string
  code: string
  filename: string
  labels: { span: { offset: number } }[]
}

const RULES = { long: 'eslint(max-lines-per-function)', complex: 'eslint(complexity)' }

/** `long`: over 70 lines. `complex`: cyclomatic complexity over 20. */
export function bigFunctions(house: readonly Source[]): Record<keyof typeof RULES, Counted[]> {
  const sources = new Map(house.map((source) => [source.path, source]))
  const found = lint().filter(({ filename }) => sources.has(filename))
  const of = (code: string) => {
    const counted = found.filter((each) => each.code === code).flatMap((each) => count(each, sources))
    return apart(counted.toSorted((a, b) => a.path.localeCompare(b.path) || a.line - b.line))
  }
  return { long: of(RULES.long), complex: of(RULES.complex) }
}

function lint(): Diagnostic[] {
  const program = join(ROOT, 'node_modules/oxlint/bin/oxlint')
  const config = join(import.meta.dirname, 'oxlint.json')
  const args = [program, '--config', config, '--disable-nested-config', '--format', 'json', 'src']
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' })
  // Anything else than what it found is on stderr.
  if (status !== 0 && status !== 1) throw new Error(`oxlint ended with ${status}: ${stderr}`)
  return (JSON.parse(stdout) as { diagnostics: Diagnostic[] }).diagnostics
}

function count({ message, filename, labels }: Diagnostic, sources: ReadonlyMap<string, Source>): Counted[] {
  const source = sources.get(filename)
  const offset = labels[0]?.span.offset
  if (source === undefined || offset === undefined) return []
  // It counts bytes.
  const start = Buffer.from(source.text).subarray(0, offset).toString().length
  const value = Number(/complexity of (\d+)|\((\d+)\)/.exec(message)?.slice(1).find(Boolean))
  return [{ path: filename, line: lineAt(source.text, start), name: nameAt(source.tree, start), value }]
}

/** Names of functions and methods around the place, outermost first; a function that has none is the `callback` there. */
export function nameAt(tree: Node, offset: number): string {
  let names: string[] = []
  visit(tree, (node, parents) => {
    if (!isFunction(node) || node.start > offset || node.end <= offset) return
    names = [...parents, node].flatMap((each, index, path) =>
      isFunction(each) || each.type === 'ClassDeclaration' ? [ownName(each, path[index - 1])] : [],
    )
  })
  return names.join(' › ')
}

const isFunction = ({ type }: Node): boolean =>
  type === 'FunctionDeclaration' || type === 'FunctionExpression' || type === 'ArrowFunctionExpression'

function ownName(node: Node, parent: Node | undefined): string {
  const own = childOf(node, 'id') ?? (parent && (childOf(parent, 'id') ?? childOf(parent, 'key')))
  return String(own?.['name'] ?? own?.['value'] ?? 'callback')
}

/** Two of one name in one file get numbers. */
function apart(counted: readonly Counted[]): Counted[] {
  const seen = new Map<string, number>()
  return counted.map((each) => {
    const key = `${each.path} ${each.name}`
    const times = (seen.get(key) ?? 0) + 1
    seen.set(key, times)
    return times === 1 ? each : { ...each, name: `${each.name} (${times})` }
  })
}
