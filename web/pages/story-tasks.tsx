/** The tasks of a story: the graph of dependencies, and a table. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { cardQuery, storyLinesQuery } from '../api/queries.ts'
import type { Line, Story } from '../api/types.ts'
import { Marks, StageBadge } from '../parts/badge.tsx'
import { CriteriaCount } from '../parts/criteria-count.tsx'
import { Command, Empty, Loading, ProblemNote } from '../parts/problem.tsx'
import { Text } from '../parts/text.tsx'
import { money } from '../parts/time.tsx'
import { graphTasksMax, StoryGraph } from './story-graph.tsx'

/** Each row asks for more than its line: so many at once. */
const rowsAtOnce = 100

export function StoryTasks({ story }: { story: Story }) {
  const { data, error, refetch } = useQuery(storyLinesQuery(story.id))
  const [shown, setShown] = useState(rowsAtOnce)
  if (error !== null) return <ProblemNote error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Loading what="its tasks" />
  const lines = [...data.values()]
  if (lines.length === 0)
    return (
      <Empty title="No tasks">
        <p>
          Add one: <Command>{`muster add "…" --story ${story.id}`}</Command>
        </p>
      </Empty>
    )
  return (
    <section className="panel" id="tasks" aria-label="Tasks">
      <h2>
        Tasks <span className="muted">· {lines.length}</span>
      </h2>
      {lines.length <= graphTasksMax ? <StoryGraph lines={lines} /> : null}
      <table className="story-tasks">
        <thead>
          <tr>
            <th scope="col">Task</th>
            <th scope="col">State</th>
            <th scope="col">Criteria</th>
            <th scope="col">Checker</th>
            <th scope="col" className="num">
              Rounds
            </th>
            <th scope="col" className="num">
              Cost
            </th>
          </tr>
        </thead>
        <tbody>
          {lines.slice(0, shown).map((line) => (
            <TaskRow key={line.id} line={line} titles={data} />
          ))}
        </tbody>
      </table>
      {lines.length > shown ? (
        <p>
          <button type="button" onClick={() => setShown(shown + rowsAtOnce)}>
            Show more
          </button>{' '}
          <span className="muted">{lines.length - shown} are not shown</span>
        </p>
      ) : null}
    </section>
  )
}

function TaskRow({ line, titles }: { line: Line; titles: ReadonlyMap<string, Line> }) {
  const card = useQuery(cardQuery(line.id)).data
  const waits = line.stage === 'blocked' ? line.dependsOn.filter((id) => titles.get(id)?.stage !== 'completed') : []
  return (
    <tr data-row tabIndex={-1}>
      <th scope="row">
        <Link to="/tasks/$id" params={{ id: line.id }}>
          <Text>{line.title}</Text>
        </Link>
        {line.parent === null ? null : <span className="muted small"> · subtask</span>}
        {waits.length === 0 ? null : (
          <div className="muted small">
            after <Text>{waits.map((id) => titles.get(id)?.title ?? id).join(', ')}</Text>
          </div>
        )}
      </th>
      <td data-label="State">
        <StageBadge stage={line.stage} />
      </td>
      <td data-label="Criteria">
        {card == null ? null : <CriteriaCount criteria={card.criteria} over={card.stage === 'completed'} />}
      </td>
      <td data-label="Checker">
        {card == null ? null : (
          <span className="chips">
            <Marks
              checker={card.checker}
              warnings={card.warnings}
              overruled={card.overruled}
              live={line.stage === 'checking'}
            />
          </span>
        )}
      </td>
      <td data-label="Rounds" className="num">
        {line.round}
      </td>
      <td data-label="Cost" className="num">
        {card == null ? '' : (money(card.cost.usd) ?? '–')}
      </td>
    </tr>
  )
}
