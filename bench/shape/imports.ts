/** Who imports what of whom, read from syntax trees: imports in every form, exports, cycles, and exports nobody imports. */
import { posix } from 'node:path'
import { childOf, childrenOf, isNode, type Node } from '../mutants/walk.ts'
import { houseOf, roomOf, type Source } from './sources.ts'

export interface Import {
  from: string
  to: string
  /** Nothing of it is there when the program runs. */
  typesOnly: boolean
  /** What is taken; null: all of it, as far as anybody can tell. */
  names: readonly string[] | null
}

export interface Export {
  path: string
  name: string
}

const known = new WeakMap<Source, Import[]>()

/** Imports of other files; packages are left out. */
export function importsOf(source: Source): Import[] {
  const found = known.get(source) ?? findImports(source)
  known.set(source, found)
  return found
}

function findImports({ path, text, tree }: Source): Import[] {
  const found: Import[] = []
  const add = (node: Node, names: readonly string[] | null, typesOnly: boolean) => {
    const source = childOf(node, node.type === 'TSModuleDeclaration' ? 'id' : 'source')?.['value']
    if (typeof source !== 'string' || !source.startsWith('.')) return
    found.push({ from: path, to: posix.join(posix.dirname(path), source), typesOnly, names })
  }
  for (const node of childrenOf(tree, 'body')) {
    const specifiers = childrenOf(node, 'specifiers')
    if (node.type === 'ImportDeclaration') add(node, namesOf(specifiers, tree), isTypes(node, 'importKind', specifiers))
    else if (node.type === 'ExportNamedDeclaration') {
      const names = specifiers.map((each) => nameOf(childOf(each, 'local')))
      add(node, names, isTypes(node, 'exportKind', specifiers))
    } else if (node.type === 'ExportAllDeclaration') add(node, null, node['exportKind'] === 'type')
    else if (node.type === 'TSModuleDeclaration') add(node, addedTo(node), true)
  }
  // These stand anywhere, and seldom.
  if (!/\bimport\s*\(/.test(text)) return found
  visit(tree, (node, parents) => {
    if (node.type === 'ImportExpression') add(node, takenFrom(parents), false)
    else if (node.type === 'TSImportType') add(node, null, true)
  })
  return found
}

/** Of `declare module './a.ts' { interface B {} }`: what it adds to. */
function addedTo(node: Node): string[] {
  return childrenOf(childOf(node, 'body') ?? node, 'body').map((each) => nameOf(childOf(each, 'id')))
}

function isTypes(node: Node, key: string, specifiers: readonly Node[]): boolean {
  if (node[key] === 'type') return true
  return specifiers.length > 0 && specifiers.every((each) => each[key] === 'type')
}

function namesOf(specifiers: readonly Node[], tree: Node): string[] | null {
  const names = specifiers.map((each): readonly string[] | null => {
    if (each.type === 'ImportDefaultSpecifier') return ['default']
    if (each.type === 'ImportSpecifier') return [nameOf(childOf(each, 'imported'))]
    return membersOf(nameOf(childOf(each, 'local')), tree)
  })
  return names.some((each) => each === null) ? null : names.flatMap((each) => each ?? [])
}

/** Of `import * as local`: what is taken from it; null if it is handed on as a whole. */
function membersOf(local: string, tree: Node): string[] | null {
  const names: (string | null)[] = []
  visit(tree, (node, parents) => {
    if (node.type !== 'Identifier' || nameOf(node) !== local) return
    const user = parents.at(-1)
    if (user?.type === 'ImportNamespaceSpecifier') return
    if (user?.type === 'MemberExpression' && user['computed'] !== true) {
      if (user['object'] === node) names.push(nameOf(childOf(user, 'property')))
    } else if (user?.type === 'TSQualifiedName') names.push(nameOf(childOf(user, 'right')))
    else names.push(null)
  })
  return names.includes(null) ? null : names.filter((name) => name !== null)
}

/** `(await import('x')).name` and `const { name } = await import('x')`. */
function takenFrom(parents: readonly Node[]): string[] | null {
  const around = parents.filter(({ type }) => type !== 'ParenthesizedExpression')
  const [awaited, user] = [around.at(-1), around.at(-2)]
  if (awaited?.type !== 'AwaitExpression' || user === undefined) return null
  if (user.type === 'MemberExpression' && user['computed'] !== true) return [nameOf(childOf(user, 'property'))]
  const pattern = user.type === 'VariableDeclarator' ? childOf(user, 'id') : null
  if (pattern?.type !== 'ObjectPattern') return null
  return childrenOf(pattern, 'properties').map((property) => nameOf(childOf(property, 'key')))
}

/** What others can import by name; `export *` is an import of everything there. */
export function exportsOf({ path, tree }: Source): Export[] {
  const names: string[] = []
  for (const node of childrenOf(tree, 'body')) {
    if (node.type === 'ExportDefaultDeclaration') names.push('default')
    if (node.type !== 'ExportNamedDeclaration') continue
    names.push(...childrenOf(node, 'specifiers').map((each) => nameOf(childOf(each, 'exported'))))
    const declared = childOf(node, 'declaration')
    if (declared === null) continue
    const list = declared.type === 'VariableDeclaration' ? childrenOf(declared, 'declarations') : [declared]
    names.push(...list.flatMap((each) => boundBy(childOf(each, 'id'))))
  }
  return [...new Set(names)].map((name) => ({ path, name }))
}

function boundBy(id: Node | null): string[] {
  if (id === null) return []
  if (id.type === 'Identifier') return [nameOf(id)]
  const inside = id.type === 'ArrayPattern' ? childrenOf(id, 'elements') : childrenOf(id, 'properties')
  return inside.flatMap((each) => boundBy(childOf(each, 'value') ?? each))
}

export interface Unused {
  /** Exports of src/ that nobody imports. */
  nobody: Export[]
  /** Exports of src/ that only tests and tools import. */
  testsOnly: Export[]
}

export function unusedExports(sources: readonly Source[]): Unused {
  const house = houseOf(sources)
  const left = notUsedBy(
    sources.filter(({ test }) => !test),
    house.flatMap(exportsOf),
  )
  const tests = sources.filter(({ test }) => test)
  const nobody = notUsedBy(tests.filter(mayUse(left)), left)
  return { nobody, testsOnly: left.filter((each) => !nobody.includes(each)) }
}

function notUsedBy(users: readonly Source[], exported: readonly Export[]): Export[] {
  const uses = new Uses()
  for (const found of users.flatMap(importsOf)) uses.add(found)
  return exported.filter((each) => !uses.has(each))
}

/** Whoever takes one of these says its name, or takes everything there is. */
function mayUse(exported: readonly Export[]): (source: Source) => boolean {
  const names = new Set(exported.map(({ name }) => name))
  // A default export is imported by any name.
  if (names.has('default')) return () => true
  const word = new RegExp(String.raw`\b(?:${[...names].join('|')})\b|\*\s*(?:as|from)\b|\bimport\(`)
  return ({ text }) => word.test(text)
}

class Uses {
  readonly #names = new Set<string>()

  add({ to, names }: Import): void {
    for (const name of names ?? ['*']) this.#names.add(`${to} ${name}`)
  }

  has({ path, name }: Export): boolean {
    return this.#names.has(`${path} ${name}`) || this.#names.has(`${path} *`)
  }
}

/** Imports between files that reach each other again. `types`: those of types alone count too. */
export function cycles(house: readonly Source[], types: boolean): string[][] {
  const edges = new Map(house.map(({ path }) => [path, [] as string[]]))
  for (const { from, to, typesOnly } of house.flatMap(importsOf))
    if (edges.has(to) && (types || !typesOnly)) edges.get(from)?.push(to)
  return components(edges).filter((files) => files.length > 1)
}

/** Folders of one room that reach each other again through their files; types count. */
export function folderCycles(house: readonly Source[]): string[][] {
  const edges = new Map(house.map(({ path }) => [posix.dirname(path), [] as string[]]))
  for (const { from, to } of house.flatMap(importsOf))
    if (roomOf(from) === roomOf(to)) edges.get(posix.dirname(from))?.push(posix.dirname(to))
  return components(edges).filter((folders) => folders.length > 1)
}

/** Strongly connected components, each in order, as Tarjan finds them. */
export function components(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const found: string[][] = []
  const order = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: string[] = []
  const look = (here: string): number => {
    order.set(here, order.size)
    let lowest = order.size - 1
    stack.push(here)
    for (const next of edges.get(here) ?? []) {
      if (!order.has(next)) lowest = Math.min(lowest, look(next))
      else if (stack.includes(next)) lowest = Math.min(lowest, order.get(next) ?? lowest)
    }
    low.set(here, lowest)
    if (lowest === order.get(here)) found.push(stack.splice(stack.indexOf(here)).toSorted())
    return lowest
  }
  for (const file of edges.keys()) if (!order.has(file)) look(file)
  return found.toSorted((a, b) => b.length - a.length || String(a[0]).localeCompare(String(b[0])))
}

/** Calls back for each node, parents first. `parents` is the same list every time: it is true as long as the call lasts. */
export function visit(tree: Node, see: (node: Node, parents: readonly Node[]) => void): void {
  const parents: Node[] = []
  const step = (node: Node): void => {
    see(node, parents)
    parents.push(node)
    for (const key in node) {
      const value = node[key]
      for (const each of Array.isArray(value) ? value : [value]) if (isNode(each)) step(each)
    }
    parents.pop()
  }
  step(tree)
}

const nameOf = (node: Node | null): string => String(node?.['name'] ?? node?.['value'] ?? '')
