/**
 * Places where a decision hangs on words written for people: a sentence compared, searched for, or matched by a regular
 * expression. A heuristic: a text with a space between two words is a sentence, also by the name of its constant.
 */
import { childOf, childrenOf, type Node } from '../mutants/walk.ts'
import { visit } from './imports.ts'
import { lineAt, type Source } from './sources.ts'

export interface Compared {
  path: string
  line: number
  text: string
}

const ROOMS = /^src\/(?:engine|domain|tools|cli)\//
const SENTENCE = /[a-z]{2,},? (?:[a-z]{2,}|a\b)|^[a-z]{3,}[,:]? $/i
/** Spaces in a regular expression, as themselves. */
const WORDS = /[a-z]{2,}\\?[,:]? [a-z]{2,}/i
const SEARCHES = new Set(['includes', 'startsWith', 'endsWith', 'indexOf', 'match', 'matchAll'])
const MATCHES = new Set(['test', 'exec'])

export function comparedSentences(house: readonly Source[]): Compared[] {
  const constants = new Set(house.flatMap(namedWords))
  return house.filter(({ path }) => ROOMS.test(path)).flatMap((source) => comparedIn(source, constants))
}

/** Names of constants whose value is a sentence, or matches one. */
function namedWords({ tree }: Source): string[] {
  const names: string[] = []
  for (const node of childrenOf(tree, 'body')) {
    const declared = node.type === 'ExportNamedDeclaration' ? childOf(node, 'declaration') : node
    if (declared?.type !== 'VariableDeclaration') continue
    for (const each of childrenOf(declared, 'declarations'))
      if (isSentence(childOf(each, 'init')) || isWords(childOf(each, 'init')))
        names.push(String(childOf(each, 'id')?.['name']))
  }
  return names
}

function comparedIn({ path, text, tree }: Source, constants: ReadonlySet<string>): Compared[] {
  const found: Compared[] = []
  const says = (node: Node | null): boolean =>
    isSentence(node) || isWords(node) || (node?.type === 'Identifier' && constants.has(String(node['name'])))
  visit(tree, (node) => {
    if (!compares(node, says)) return
    const words = text.slice(node.start, node.end).replace(/\s+/g, ' ')
    found.push({ path, line: lineAt(text, node.start), text: words })
  })
  return found
}

function compares(node: Node, says: (node: Node | null) => boolean): boolean {
  if (node.type === 'SwitchCase') return says(childOf(node, 'test'))
  if (node.type === 'BinaryExpression')
    return /^[!=]==?$/.test(String(node['operator'])) && (says(childOf(node, 'left')) || says(childOf(node, 'right')))
  const callee = node.type === 'CallExpression' ? childOf(node, 'callee') : null
  if (callee?.type !== 'MemberExpression') return false
  const method = String(childOf(callee, 'property')?.['name'])
  const [given = null] = childrenOf(node, 'arguments')
  if (MATCHES.has(method)) return says(childOf(callee, 'object'))
  return SEARCHES.has(method) && says(given)
}

function isSentence(node: Node | null): boolean {
  if (node?.type === 'Literal') return typeof node['value'] === 'string' && SENTENCE.test(node['value'])
  if (node?.type !== 'TemplateLiteral') return false
  const parts = childrenOf(node, 'quasis').map((part) => (part['value'] as { cooked?: string }).cooked ?? '')
  return SENTENCE.test(parts.join('x'))
}

const isWords = (node: Node | null): boolean =>
  node?.type === 'Literal' && WORDS.test((node['regex'] as { pattern?: string } | undefined)?.pattern ?? '')
