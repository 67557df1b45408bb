/** The layout of a story's tasks: pure, so that it holds for any plan. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { GraphNode } from '../../web/parts/graph.ts'
import { layout, nodeHeight, nodeWidth, pathOf } from '../../web/parts/graph.ts'

/** Tasks that wait for earlier ones, as a plan has them. */
const plans = fc.array(fc.array(fc.nat(), { maxLength: 4 }), { maxLength: 60 }).map((all): GraphNode[] =>
  all.map((picks, index) => ({
    id: `t${index}`,
    after: index === 0 ? [] : picks.map((pick) => `t${pick % index}`),
  })),
)

test('a chain is a row, what comes together stands behind both', () => {
  const { nodes, edges } = layout([
    { id: 'a', after: [] },
    { id: 'b', after: ['a'] },
    { id: 'c', after: [] },
    { id: 'd', after: ['a', 'b', 'c', 'gone'] },
  ])
  expect(Object.fromEntries(nodes.map(({ id, layer }) => [id, layer]))).toEqual({ a: 0, b: 1, c: 0, d: 2 })
  expect(edges.map(({ from, to }) => `${from}>${to}`).toSorted()).toEqual(['a>b', 'b>d', 'c>d'])
  expect(layout([{ id: 'one', after: [] }])).toMatchObject({ width: nodeWidth, height: nodeHeight, edges: [] })
  expect(layout([])).toEqual({ width: 0, height: 0, nodes: [], edges: [] })
})

test('no two tasks overlap, all are inside, and each stands behind everything it waits for', () => {
  fc.assert(
    fc.property(plans, (plan) => {
      const { nodes, width, height } = layout(plan)
      expect(nodes.map(({ id }) => id).toSorted()).toEqual(plan.map(({ id }) => id).toSorted())
      const byId = new Map(nodes.map((node) => [node.id, node]))
      for (const [index, a] of nodes.entries()) {
        expect(a.x >= 0 && a.y >= 0 && a.x + nodeWidth <= width && a.y + nodeHeight <= height + 0.01).toBe(true)
        for (const b of nodes.slice(index + 1)) {
          const apart = Math.abs(a.x - b.x) >= nodeWidth || Math.abs(a.y - b.y) >= nodeHeight
          expect(apart, `${a.id} and ${b.id}`).toBe(true)
        }
      }
      for (const { id, after } of plan) {
        for (const one of after) expect((byId.get(one)?.x ?? 0) + nodeWidth).toBeLessThan(byId.get(id)?.x ?? 0)
      }
    }),
  )
})

test('edges go forward only, from one task to the other, and through no third', () => {
  fc.assert(
    fc.property(plans, (plan) => {
      const { nodes, edges } = layout(plan)
      const byId = new Map(nodes.map((node) => [node.id, node]))
      // Some are left out, and still everybody is behind everybody they wait for, along the edges.
      const asked = new Set(plan.flatMap(({ id, after }) => after.map((one) => `${one}>${id}`)))
      expect(edges.filter(({ from, to }) => !asked.has(`${from}>${to}`))).toEqual([])
      const above = new Map<string, Set<string>>()
      for (const { id } of plan) {
        const froms = edges.filter(({ to }) => to === id).map(({ from }) => from)
        above.set(id, new Set([...froms, ...froms.flatMap((from) => [...(above.get(from) ?? [])])]))
        // None is said twice.
        for (const from of froms) {
          expect(froms.some((other) => above.get(other)?.has(from) === true)).toBe(false)
        }
      }
      expect(plan.filter(({ id, after }) => after.some((one) => above.get(id)?.has(one) !== true))).toEqual([])
      for (const { from, to, points } of edges) {
        const [a, b] = [byId.get(from), byId.get(to)]
        expect(points[0]).toEqual({ x: (a?.x ?? 0) + nodeWidth, y: (a?.y ?? 0) + nodeHeight / 2 })
        expect(points.at(-1)).toEqual({ x: b?.x, y: (b?.y ?? 0) + nodeHeight / 2 })
        for (const [index, point] of points.entries()) {
          const next = points[index + 1]
          expect(next === undefined || next.x > point.x).toBe(true)
          const hit = nodes.some(({ x, y }) => {
            return point.x > x && point.x < x + nodeWidth && point.y > y && point.y < y + nodeHeight
          })
          expect(hit).toBe(false)
          // Where it passes a layer it is straight, in a lane of its own.
          if (next === undefined || point.y !== next.y || next.x - point.x !== nodeWidth) continue
          for (const { id, x, y } of nodes) {
            const beside = x !== point.x || point.y <= y || point.y >= y + nodeHeight
            expect(beside, `${from}>${to} through ${id}`).toBe(true)
          }
        }
        expect(pathOf({ from, to, points })).toMatch(/^M[\d. -]+(?:[LC][\d. -]+)+$/)
      }
    }),
  )
})

test('a circle is drawn without its arrows, two hundred tasks and a chain of ten thousand are drawn at all', () => {
  const circle = layout([
    { id: 'a', after: ['b'] },
    { id: 'b', after: ['a'] },
    { id: 'c', after: ['c'] },
  ])
  expect(circle.nodes.length).toBe(3)
  expect(circle.edges).toEqual([])
  const many = Array.from({ length: 200 }, (_, index) => ({
    id: `t${index}`,
    after: index < 20 ? [] : [`t${index % 20}`, `t${index - 7}`],
  }))
  expect(layout(many)).toMatchObject({ nodes: { length: 200 } })
  const chain = Array.from({ length: 10_000 }, (_, index) => ({
    id: `t${index}`,
    after: index === 0 ? [] : [`t${index - 1}`],
  }))
  expect(layout(chain).height).toBe(nodeHeight)
})
