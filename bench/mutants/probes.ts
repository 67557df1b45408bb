/**
 * Where a file is looked at to learn which tests run through it: before each statement, at each side of a `? :`, and when
 * it has been loaded. A mutant belongs to the innermost probe around it.
 */
import type { Node } from './walk.ts'
import { childOf, childrenOf, parse, walk } from './walk.ts'

interface Probe {
  start: number
  end: number
  how: 'before' | 'after' | 'block' | 'expression'
}

/** Two probes of different files never have the same number. */
const perFile = 100_000

export const isOfSameFile = (a: number, b: number): boolean => Math.floor(a / perFile) === Math.floor(b / perFile)

export interface Probed {
  text: string
  /** The number of the probe that is passed whenever this part of the text runs. */
  probeAt(start: number, end: number): number
}

export function withProbes(file: string, source: string, index: number): Probed {
  const whole: Probe = { start: 0, end: source.length, how: 'after' }
  const probes = [whole, ...probesOf(parse(file, source))]
  const numberOf = (at: number) => index * perFile + at
  const inserts = probes.flatMap(({ start, end, how }, at) => {
    const hit = `globalThis.__hit?.(${numberOf(at)})`
    if (how === 'before') return [{ at: start, text: `${hit};`, order: at }]
    if (how === 'after') return [{ at: end, text: `;${hit}`, order: at }]
    const [open, close] = how === 'block' ? [`{${hit};`, '}'] : [`(${hit}, `, ')']
    return [
      { at: start, text: open, order: at },
      { at: end, text: close, order: -at },
    ]
  })
  let text = source
  // From the end, so that places stay right; what opens first stands first, and closes last.
  for (const insert of inserts.sort((a, b) => b.at - a.at || b.order - a.order))
    text = text.slice(0, insert.at) + insert.text + text.slice(insert.at)
  return {
    text,
    probeAt(start, end) {
      const sizeOf = (probe: Probe) => probe.end - probe.start
      let best = 0
      for (const [at, probe] of probes.entries()) {
        const isAround = probe.start <= start && probe.end >= end
        if (isAround && sizeOf(probe) <= sizeOf(probes[best] ?? whole)) best = at
      }
      return numberOf(best)
    },
  }
}

function probesOf(program: Node): Probe[] {
  const probes: Probe[] = []
  const add = (node: Node | null, how: Probe['how']) => {
    if (node !== null) probes.push({ start: node.start, end: node.end, how })
  }
  walk(program, (node) => {
    switch (node.type) {
      case 'BlockStatement':
        return childrenOf(node, 'body').forEach((one) => add(one, 'before'))
      case 'SwitchCase':
        return childrenOf(node, 'consequent').forEach((one) => add(one, 'before'))
      case 'ArrowFunctionExpression':
        return childOf(node, 'body')?.type === 'BlockStatement' ? undefined : add(childOf(node, 'body'), 'expression')
      case 'ConditionalExpression':
        add(childOf(node, 'consequent'), 'expression')
        return add(childOf(node, 'alternate'), 'expression')
      case 'IfStatement':
        for (const key of ['consequent', 'alternate']) addBody(childOf(node, key))
        return
      case 'ForStatement':
      case 'ForOfStatement':
      case 'WhileStatement':
        return addBody(childOf(node, 'body'))
      default:
    }
  })
  return probes

  function addBody(body: Node | null): void {
    if (body?.type !== 'BlockStatement') add(body, 'block')
  }
}
