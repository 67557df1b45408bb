/**
 * The layout of a story's graph: layers from left to right, each task to the right of its dependencies. Pure; a page
 * draws the result. Long edges get a lane through the layers that they cross, shared by all edges from the same task,
 * so that they do not run through tasks. Edges that follow from others are left out.
 */

export interface GraphNode {
  id: string
  /** Whom it waits for; ids that are not among the nodes are left out. */
  after: readonly string[]
}

export interface Placed {
  id: string
  layer: number
  x: number
  y: number
}

export interface Edge {
  from: string
  to: string
  /** From the right side of one to the left side of the other, each point behind the one before. */
  points: readonly { x: number; y: number }[]
}

export interface Graph {
  width: number
  height: number
  nodes: Placed[]
  edges: Edge[]
}

export const nodeWidth = 196
export const nodeHeight = 46
const gapX = 52
const gapY = 14
const laneHeight = 10
/** How often the order within the layers is improved. */
const sweeps = 6
/** Beyond this many tasks nobody looks for edges that others say already. */
const reducedMax = 500

/** A task in its layer, or a lane of an edge that passes. */
interface Item {
  id: string | null
  height: number
  before: Item[]
  behind: Item[]
  place: number
  y: number
}

export function layout(given: readonly GraphNode[]): Graph {
  const known = new Map(given.map((node) => [node.id, node]))
  const waits = new Map(
    [...known.values()].map(({ id, after }) => [id, [...new Set(after)].filter((one) => one !== id && known.has(one))]),
  )
  const depth = depths(waits)
  reduce(waits, depth)
  const layers: Item[][] = []
  const put = (item: Item, at: number): Item => {
    ;(layers[at] ??= []).push(item)
    return item
  }
  const items = new Map<string, Item>()
  for (const id of known.keys()) items.set(id, put(itemOf(id, nodeHeight), depth.get(id) ?? 0))

  /** The lanes of each task's edges, layer by layer. */
  const trunks = new Map<string, Item[]>()
  const ways: { from: string; to: string; lanes: Item[] }[] = []
  for (const [to, froms] of waits) {
    for (const from of froms) {
      const [begin, end] = [depth.get(from) ?? 0, depth.get(to) ?? 0]
      // Only in a circle, which no plan may have: it cannot be drawn forward.
      if (begin >= end) continue
      const trunk = trunks.get(from) ?? []
      trunks.set(from, trunk)
      while (trunk.length < end - begin - 1) {
        const before = trunk.at(-1) ?? items.get(from)
        const lane = put(itemOf(null, laneHeight), begin + 1 + trunk.length)
        trunk.push(lane)
        join(before, lane)
      }
      const lanes = trunk.slice(0, end - begin - 1)
      ways.push({ from, to, lanes })
      join(lanes.at(-1) ?? items.get(from), items.get(to))
    }
  }
  order(layers)
  stack(layers)

  const x = (at: number) => at * (nodeWidth + gapX)
  const nodes = [...items].map(([id, { y }]) => ({ id, layer: depth.get(id) ?? 0, x: x(depth.get(id) ?? 0), y }))
  const edges = ways.map(({ from, to, lanes }): Edge => {
    const begin = depth.get(from) ?? 0
    const middle = (item: Item | undefined) => (item?.y ?? 0) + (item?.height ?? 0) / 2
    const passing = lanes.flatMap((lane, index) => {
      const left = x(begin + 1 + index)
      return [
        { x: left, y: middle(lane) },
        { x: left + nodeWidth, y: middle(lane) },
      ]
    })
    const first = { x: x(begin) + nodeWidth, y: middle(items.get(from)) }
    const last = { x: x(depth.get(to) ?? 0), y: middle(items.get(to)) }
    return { from, to, points: [first, ...passing, last] }
  })
  const bottoms = layers.flat().map(({ y, height }) => y + height)
  return {
    width: layers.length === 0 ? 0 : x(layers.length - 1) + nodeWidth,
    height: Math.max(0, ...bottoms),
    nodes,
    edges,
  }
}

/** As a line that bends only between layers. */
export function pathOf({ points }: Edge): string {
  const [first, ...rest] = points
  if (first === undefined) return ''
  let from = first
  let path = `M${first.x} ${first.y}`
  for (const to of rest) {
    const half = (to.x - from.x) / 2
    path += from.y === to.y ? `L${to.x} ${to.y}` : `C${from.x + half} ${from.y} ${to.x - half} ${to.y} ${to.x} ${to.y}`
    from = to
  }
  return path
}

/** The longest way from one that waits for nobody; without recursion, since chains may be long. */
function depths(waits: ReadonlyMap<string, readonly string[]>): Map<string, number> {
  const depth = new Map<string, number>()
  const open = new Map([...waits].map(([id, froms]) => [id, froms.length]))
  const behind = new Map<string, string[]>()
  for (const [id, froms] of waits) {
    for (const from of froms) behind.set(from, [...(behind.get(from) ?? []), id])
  }
  const ready = [...open].filter(([, count]) => count === 0).map(([id]) => id)
  for (let id = ready.shift(); id !== undefined; id = ready.shift()) {
    const at = depth.get(id) ?? 0
    depth.set(id, at)
    for (const next of behind.get(id) ?? []) {
      depth.set(next, Math.max(depth.get(next) ?? 0, at + 1))
      const left = (open.get(next) ?? 0) - 1
      open.set(next, left)
      if (left === 0) ready.push(next)
    }
  }
  return depth
}

/** Leaves out whom a task waits for anyway, through another that it waits for. */
function reduce(waits: Map<string, string[]>, depth: ReadonlyMap<string, number>): void {
  if (waits.size > reducedMax) return
  const above = new Map<string, Set<string>>()
  for (const [id, froms] of [...waits].toSorted(([a], [b]) => (depth.get(a) ?? 0) - (depth.get(b) ?? 0))) {
    const through = froms.map((from) => above.get(from) ?? new Set<string>())
    above.set(id, new Set([...froms, ...through.flatMap((all) => [...all])]))
    waits.set(
      id,
      froms.filter((from) => !through.some((all) => all.has(from))),
    )
  }
}

function itemOf(id: string | null, height: number): Item {
  return { id, height, before: [], behind: [], place: 0, y: 0 }
}

function join(item: Item | undefined, next: Item | undefined): void {
  if (item === undefined || next === undefined) return
  item.behind.push(next)
  next.before.push(item)
}

/** Each beside those it is joined with, as far as that goes: forth and back through the layers. */
function order(layers: readonly Item[][]): void {
  const number = (layer: readonly Item[]) => layer.forEach((item, index) => (item.place = index))
  layers.forEach(number)
  for (let sweep = 0; sweep < sweeps; sweep++) {
    const forth = sweep % 2 === 0
    for (const layer of forth ? layers : layers.toReversed()) {
      const mean = new Map(layer.map((item) => [item, meanPlace(forth ? item.before : item.behind, item.place)]))
      layer.sort((a, b) => (mean.get(a) ?? 0) - (mean.get(b) ?? 0) || a.place - b.place)
      number(layer)
    }
  }
}

function meanPlace(items: readonly Item[], otherwise: number): number {
  return items.length === 0 ? otherwise : items.reduce((sum, { place }) => sum + place, 0) / items.length
}

/** One below the other, each layer in the middle. */
function stack(layers: readonly Item[][]): void {
  const heights = layers.map((layer) => layer.reduce((sum, { height }) => sum + height + gapY, -gapY))
  const whole = Math.max(0, ...heights)
  for (const [index, layer] of layers.entries()) {
    let y = (whole - (heights[index] ?? 0)) / 2
    for (const item of layer) {
      item.y = y
      y += item.height + gapY
    }
  }
}
