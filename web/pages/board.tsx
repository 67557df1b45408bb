/**
 * The board: every task in the column of its stage. Nothing can be dragged; columns hold ten thousand cards and draw a
 * few.
 */
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { linesQuery, storiesQuery } from '../api/queries.ts'
import type { Line, Stage, Story } from '../api/types.ts'
import { useTitle } from '../parts/layout.tsx'
import { Command, Empty, Loading, ProblemNote } from '../parts/problem.tsx'
import { visible } from '../parts/text.tsx'
import type { BoardFilter } from '../router.tsx'
import { boardRoute } from '../router.tsx'
import { Column } from './column.tsx'

const COLUMNS: readonly { name: string; stages: readonly Stage[]; newest?: boolean }[] = [
  { name: 'Pending', stages: ['pending', 'blocked'] },
  { name: 'Running', stages: ['running'] },
  { name: 'Checking', stages: ['checking'] },
  { name: 'Review', stages: ['review'] },
  { name: 'Landing', stages: ['landing'] },
  { name: 'Done', stages: ['completed'], newest: true },
  { name: 'Failed', stages: ['failed', 'cancelled'], newest: true },
]

const DEFAULT_ROLE = 'implementer'

function fits(line: Line, { story, stage, agent, text }: BoardFilter): boolean {
  if (story !== undefined && line.story !== story) return false
  if (
    stage !== undefined &&
    !COLUMNS.some(({ name, stages }) => name.toLowerCase() === stage && stages.includes(line.stage))
  )
    return false
  if (agent !== undefined && (line.agent ?? DEFAULT_ROLE) !== agent) return false
  return text === undefined || `${line.id} ${line.title}`.toLowerCase().includes(text.toLowerCase())
}

export function BoardPage() {
  useTitle('Board')
  const filter = boardRoute.useSearch()
  const { data: lines, error, refetch } = useQuery(linesQuery)
  const stories = useQuery(storiesQuery).data ?? []
  const columns = useMemo(() => {
    const shown = [...(lines?.values() ?? [])].filter((line) => fits(line, filter))
    return COLUMNS.map(({ name, stages, newest }) => {
      const own = shown.filter(({ stage }) => stages.includes(stage))
      if (newest === true) own.sort((a, b) => b.updatedAt.localeCompare(a.updatedAt))
      return { name, lines: own }
    }).filter(({ name }) => filter.stage === undefined || name.toLowerCase() === filter.stage)
  }, [lines, filter])
  const names = useMemo(() => new Map(stories.map(({ id, name }) => [id, name])), [stories])
  if (error !== null) return <ProblemNote page error={error} onRetry={() => void refetch()} />
  if (lines === undefined) return <Loading what="the board" />
  const count = columns.reduce((sum, column) => sum + column.lines.length, 0)
  return (
    <div className="board-page">
      <header className="page-head">
        <h1>Board</h1>
        <span className="muted num">{count === lines.size ? `${count} tasks` : `${count} of ${lines.size} tasks`}</span>
        <Filters filter={filter} stories={stories} lines={lines} />
      </header>
      {lines.size === 0 ? (
        <Empty title="No tasks yet">
          <p>A task comes from a plan, or from one sentence:</p>
          <p>
            <Command>muster run plan.yaml</Command>
          </p>
          <p>
            <Command>muster add "Fix the login form"</Command>
          </p>
        </Empty>
      ) : count === 0 ? (
        <Empty title="No tasks match">
          <p>Clear the filter to see all {lines.size} tasks.</p>
        </Empty>
      ) : (
        <div className="board">
          {columns.map((column) => (
            <Column key={column.name} name={column.name} lines={column.lines} stories={names} />
          ))}
        </div>
      )}
    </div>
  )
}

function Filters({
  filter,
  stories,
  lines,
}: {
  filter: BoardFilter
  stories: readonly Story[]
  lines: ReadonlyMap<string, Line>
}) {
  const navigate = useNavigate()
  const change = (part: BoardFilter) => void navigate({ to: '/board', search: { ...filter, ...part }, replace: true })
  const agents = useMemo(
    () => [...new Set([...lines.values()].map(({ agent }) => agent ?? DEFAULT_ROLE))].sort(),
    [lines],
  )
  const pick = (label: string, key: keyof BoardFilter, options: readonly (readonly [string, string])[]) => (
    <label>
      <span className="sr-only">{label}</span>
      <select value={filter[key] ?? ''} onChange={(event) => change({ [key]: event.target.value || undefined })}>
        <option value="">{label}: all</option>
        {options.map(([value, name]) => (
          <option key={value} value={value}>
            {visible(name)}
          </option>
        ))}
      </select>
    </label>
  )
  return (
    <form className="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <input
        type="search"
        aria-label="Search titles and ids"
        placeholder="Search  /"
        data-search
        value={filter.text ?? ''}
        onChange={(event) => change({ text: event.target.value || undefined })}
      />
      {pick(
        'Story',
        'story',
        stories.map(({ id, name }) => [id, name]),
      )}
      {pick(
        'Stage',
        'stage',
        COLUMNS.map(({ name }) => [name.toLowerCase(), name]),
      )}
      {agents.length > 1
        ? pick(
            'Agent',
            'agent',
            agents.map((agent) => [agent, agent]),
          )
        : null}
    </form>
  )
}
