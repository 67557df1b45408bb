/**
 * The tasks of a story as a graph, in layers by their dependencies. Every task is a link; the table says the same as
 * the arrows.
 */
import { Link } from '@tanstack/react-router'
import type { Line } from '../api/types.ts'
import { StageBadge } from '../parts/badge.tsx'
import { layout, nodeHeight, nodeWidth, pathOf } from '../parts/graph.ts'
import { Text, visible } from '../parts/text.tsx'

/** More than this nobody reads as a picture. */
export const graphTasksMax = 200

export function StoryGraph({ lines }: { lines: readonly Line[] }) {
  const waited = new Set(lines.flatMap(({ dependsOn }) => dependsOn))
  // Who neither waits nor is waited for says nothing in a picture; the table has them all.
  const joined = lines.filter(({ id, dependsOn }) => dependsOn.length > 0 || waited.has(id))
  const { nodes, edges, width, height } = layout(joined.map(({ id, dependsOn }) => ({ id, after: dependsOn })))
  const byId = new Map(lines.map((line) => [line.id, line]))
  if (edges.length === 0) return null
  const done = (id: string) => byId.get(id)?.stage === 'completed'
  // Read from left to right, and within a layer from the top.
  const read = nodes.toSorted((a, b) => a.layer - b.layer || a.y - b.y)
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, and who has no mouse needs to reach it
    <div className="graph" role="region" aria-label="Tasks by what they wait for" tabIndex={0}>
      <div className="graph-all" style={{ width, height }}>
        <svg width={width} height={height} aria-hidden="true">
          {edges.map((edge) => (
            <path key={`${edge.from} ${edge.to}`} d={pathOf(edge)} className={done(edge.from) ? 'done' : ''} />
          ))}
        </svg>
        <ul>
          {read.map(({ id, x, y }) => {
            const line = byId.get(id)
            return line === undefined ? null : (
              <li key={id} style={{ left: x, top: y, width: nodeWidth, height: nodeHeight }}>
                <Link to="/tasks/$id" params={{ id }} className={`node ${line.stage}`} title={visible(line.title)}>
                  <span className="cut">
                    <Text>{line.title}</Text>
                  </span>
                  <StageBadge stage={line.stage} />
                </Link>
              </li>
            )
          })}
        </ul>
      </div>
    </div>
  )
}
