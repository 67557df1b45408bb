/** The syntax tree of a TypeScript file, as far as mutants need it: nodes that run, with their places in the text. */
import { parseSync } from 'rolldown/utils'

export interface Node {
  type: string
  start: number
  end: number
  [key: string]: unknown
}

export function parse(name: string, text: string): Node {
  const { program, errors } = parseSync(name, text)
  if (errors.length > 0) throw new Error(`${name} cannot be parsed: ${errors[0]?.message}`)
  return program as unknown as Node
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'
}

export const childOf = (node: Node, key: string): Node | null => {
  const child = node[key]
  return isNode(child) ? child : null
}

export const childrenOf = (node: Node, key: string): Node[] => {
  const children = node[key]
  return Array.isArray(children) ? children.filter(isNode) : []
}

/** Types, imports and the like: nothing in them runs. Of `x as T` only `x` does. */
const STILL = /^(?:TS(?!AsExpression|NonNullExpression|SatisfiesExpression)|Import|ExportAll)/
const TYPES = /^(?:typeAnnotation|returnType|typeArguments|typeParameters|superTypeArguments|implements)$/

/** Calls back for each node that runs, parents first; `key` is its name in the parent. False leaves out what is inside. */
export function walk(node: Node, visit: (node: Node, parent: Node | null, key: string) => unknown): void {
  const step = (here: Node, parent: Node | null, key: string) => {
    if (STILL.test(here.type) && here.type !== 'ImportExpression') return
    if (visit(here, parent, key) === false) return
    for (const [name, value] of Object.entries(here)) {
      if (TYPES.test(name)) continue
      if (isNode(value)) step(value, here, name)
      else if (Array.isArray(value)) for (const one of value) if (isNode(one)) step(one, here, name)
    }
  }
  step(node, null, '')
}
