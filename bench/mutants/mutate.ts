/**
 * Small wrong changes to a source file, each of which some test should notice. Pure: a text comes in, changes come out.
 * A change is known by its file, its line's words and its own, so that it stays the same when other lines move.
 */
import type { Node } from './walk.ts'
import { childOf, childrenOf, parse, walk } from './walk.ts'

export interface Mutant {
  /** The same for as long as the line says the same. */
  id: string
  file: string
  line: number
  start: number
  end: number
  /** What stands there instead. */
  text: string
  operator: string
}

interface Change {
  at: Node
  text: string
  operator: string
}

const OTHER = new Map(
  Object.entries({
    '<': '<=',
    '<=': '<',
    '>': '>=',
    '>=': '>',
    '===': '!==',
    '!==': '===',
    '+': '-',
    '-': '+',
    '*': '/',
    '/': '*',
    '%': '*',
    '+=': '-=',
    '-=': '+=',
  }),
)
const OTHER_CALL = new Map(
  Object.entries({
    some: 'every',
    every: 'some',
    min: 'max',
    max: 'min',
    startsWith: 'endsWith',
    endsWith: 'startsWith',
  }),
)
/** Three words in a row. What a message says to a person is no rule: a test of it would only say the words again. */
const SENTENCE = /[a-z],? [a-z]+,? [a-z]/i
const JUMPS = new Set(['ReturnStatement', 'ThrowStatement', 'ContinueStatement', 'BreakStatement'])

export function mutantsOf(file: string, source: string): Mutant[] {
  const found: Mutant[] = []
  const seen = new Map<string, number>()
  const text = (node: Node) => source.slice(node.start, node.end)
  walk(parse(file, source), (node, parent, key) => {
    // An assertion guards against mistakes of ours: nothing that can happen notices its absence.
    if (node.type === 'ExpressionStatement' && /^assert\b/.test(text(node))) return false
    for (const { at, text: instead, operator } of changesOf(node, parent, key, text)) {
      const lineStart = source.lastIndexOf('\n', at.start - 1) + 1
      const words = source.slice(lineStart, endOfLine(source, at.start)).trim()
      const name = `${file} | ${words} | ${short(text(at))} → ${short(instead)}`
      const times = (seen.get(name) ?? 0) + 1
      seen.set(name, times)
      found.push({
        id: times === 1 ? name : `${name} #${times}`,
        file,
        line: source.slice(0, at.start).split('\n').length,
        start: at.start,
        end: at.end,
        text: instead,
        operator,
      })
    }
    return true
  })
  return found
}

function endOfLine(source: string, from: number): number {
  const end = source.indexOf('\n', from)
  return end === -1 ? source.length : end
}

const short = (text: string): string => {
  const line = text.replace(/\s+/g, ' ')
  return line.length > 80 ? `${line.slice(0, 79)}…` : line
}

function changesOf(node: Node, parent: Node | null, key: string, text: (node: Node) => string): Change[] {
  const [left, right, test] = [childOf(node, 'left'), childOf(node, 'right'), childOf(node, 'test')]
  const operator = String(node['operator'])
  switch (node.type) {
    case 'IfStatement':
    case 'WhileStatement':
      return [
        // What is a comparison or a negation itself is turned round where it stands.
        ...(test === null || /^(?:Binary|Unary)/.test(test.type)
          ? []
          : [{ at: test, text: `!(${text(test)})`, operator: 'negate' }]),
        ...withoutJump(childOf(node, 'consequent'), node['alternate'] === null),
      ]
    case 'ConditionalExpression':
      return sides(node, ['consequent', 'alternate'], 'one side', text)
    case 'LogicalExpression': {
      const drop = sides(node, ['left', 'right'], 'one side', text)
      // A value in place of nothing is often there for the compiler alone: only what it stands in for is dropped.
      if (operator === '??' || left === null || right === null) return drop.slice(1)
      const other = operator === '&&' ? '||' : '&&'
      return [{ at: node, text: `(${text(left)}) ${other} (${text(right)})`, operator: '&& and ||' }, ...drop]
    }
    case 'BinaryExpression':
    case 'AssignmentExpression': {
      const other = OTHER.get(operator)
      if (other === undefined || left === null || right === null) return []
      // Words are joined, not added.
      if (operator.startsWith('+') && [left, right].some((side) => /['"`]/.test(text(side)))) return []
      return [{ at: node, text: `${text(left)} ${other} ${text(right)}`, operator: 'other operator' }]
    }
    case 'UnaryExpression': {
      const argument = childOf(node, 'argument')
      return operator === '!' && argument !== null ? [{ at: node, text: text(argument), operator: 'no negation' }] : []
    }
    case 'Literal':
      return literal(node, parent, key)
    case 'ArrayExpression':
      return childrenOf(node, 'elements').length > 0 ? [{ at: node, text: '[]', operator: 'empty' }] : []
    case 'ExpressionStatement': {
      const expression = childOf(node, 'expression')
      const call = expression?.type === 'AwaitExpression' ? childOf(expression, 'argument') : expression
      if (call?.type !== 'CallExpression' || childOf(call, 'callee')?.type === 'Super') return []
      return [{ at: node, text: ';', operator: 'no call' }]
    }
    case 'MemberExpression': {
      const property = childOf(node, 'property')
      const other = property === null || node['computed'] === true ? undefined : OTHER_CALL.get(text(property))
      if (property === null || other === undefined || parent?.type !== 'CallExpression' || key !== 'callee') return []
      return [{ at: property, text: other, operator: 'other call' }]
    }
    default:
      return []
  }
}

/** An early end that does not happen. */
function withoutJump(consequent: Node | null, isAlone: boolean): Change[] {
  const last = consequent?.type === 'BlockStatement' ? childrenOf(consequent, 'body').at(-1) : consequent
  if (!isAlone || !last || !JUMPS.has(last.type)) return []
  return [{ at: last, text: ';', operator: 'no early end' }]
}

function sides(node: Node, keys: string[], operator: string, text: (node: Node) => string): Change[] {
  return keys.flatMap((key) => {
    const side = childOf(node, key)
    return side === null ? [] : [{ at: node, text: `(${text(side)})`, operator }]
  })
}

function literal(node: Node, parent: Node | null, key: string): Change[] {
  const { value } = node
  if (typeof value === 'boolean') return [{ at: node, text: String(!value), operator: 'boolean' }]
  const isName = key === 'key' || key === 'source' || parent?.type === 'MemberExpression'
  if (typeof value !== 'string' || isName || SENTENCE.test(value)) return []
  return [{ at: node, text: value === '' ? "'mutated'" : "''", operator: 'string' }]
}
