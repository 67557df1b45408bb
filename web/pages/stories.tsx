/** Stories, the most urgent first: state, progress, current work, and what needs a person. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { allStoriesQuery, needsQuery, openLinesQuery } from '../api/queries.ts'
import type { Line, Need, Story } from '../api/types.ts'
import { Badge, StageBadge } from '../parts/badge.tsx'
import { useTitle } from '../parts/layout.tsx'
import { Command, Empty, Loading, ProblemNote } from '../parts/problem.tsx'
import { StoryBadge } from '../parts/story-badge.tsx'
import { Text, visible } from '../parts/text.tsx'
import { Ago, money } from '../parts/time.tsx'

const URGENCY: Record<Story['state'], number> = {
  NEEDS_FIX: 0,
  SHIPPABLE: 1,
  SHIPPING: 2,
  DEPLOYED: 2,
  VALIDATING: 2,
  OPEN: 3,
  REVIEW_READY: 4,
  CANCELLED: 5,
}
const AT_WORK = new Set<Line['stage']>(['running', 'checking', 'landing'])
const namedMax = 3

export function StoriesPage() {
  useTitle('Stories')
  const { data: all, error, refetch } = useQuery(allStoriesQuery)
  const [hidden, setHidden] = useState(true)
  const archived = all?.filter((story) => story.archived).length ?? 0
  const data = all?.filter((story) => !hidden || !story.archived)
  const open = useQuery(openLinesQuery).data ?? []
  const needs = useQuery(needsQuery).data?.items ?? []
  const drafts = open.filter(isElaboration)
  const asks = (id: string) => needs.filter((need) => need.story?.id === id || need.id === id)
  const sorted = (data ?? []).toSorted((a, b) => {
    const waiting = Math.min(asks(b.id).length, 1) - Math.min(asks(a.id).length, 1)
    return waiting || URGENCY[a.state] - URGENCY[b.state] || b.createdAt.localeCompare(a.createdAt)
  })
  return (
    <>
      <header className="page-head task-head">
        <h1>Stories</h1>
        <div className="actions">
          <Link className="button primary" to="/elaborate">
            New story from a goal
          </Link>
        </div>
      </header>
      {drafts.length === 0 ? null : <Drafts lines={drafts} />}
      {error !== null ? (
        <ProblemNote error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Loading what="the stories" />
      ) : data.length === 0 && drafts.length === 0 ? (
        <Nothing />
      ) : (
        <ul className="stories">
          {sorted.map((story) => (
            <StoryRow
              key={story.id}
              story={story}
              working={open.filter((line) => line.story === story.id && AT_WORK.has(line.stage))}
              needs={asks(story.id)}
            />
          ))}
        </ul>
      )}
      {archived === 0 ? null : (
        <button type="button" onClick={() => setHidden(!hidden)}>
          {hidden ? `Show ${archived} archived` : 'Hide archived'}
        </button>
      )}
    </>
  )
}

/** What makes a draft of a story has these phases, and no other task. */
const isElaboration = ({ story, phase, title, status }: Line): boolean =>
  story === null &&
  (phase === 'elaborate' || phase === 'draft' || (status === 'not-started' && title.startsWith('Elaborate: ')))

function StoryRow({ story, working, needs }: { story: Story; working: readonly Line[]; needs: readonly Need[] }) {
  const { tasks, cost, work } = story
  const all = tasks['not-started'] + tasks['in-progress'] + tasks.completed + tasks.failed
  const usd = money(cost.usd)
  const named = working.slice(0, namedMax)
  return (
    // A row is what j and k move along.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <li className="story-row" data-row tabIndex={0} aria-label={visible(story.name)}>
      <div className="story-state">
        <StoryBadge story={story} />
      </div>
      <div className="story-what">
        <h2>
          <Link to="/stories/$id" params={{ id: story.id }}>
            <Text>{story.name}</Text>
          </Link>
        </h2>
        {story.message === null ? null : (
          <p className="story-message">
            <Text>{story.message}</Text>
          </p>
        )}
        {named.length === 0 ? null : (
          <p className="small">
            <span className="muted">Working: </span>
            <Text>{named.map(({ title }) => title).join(', ')}</Text>
            {working.length > named.length ? ` and ${working.length - named.length} more` : ''}
          </p>
        )}
        {needs.length === 0 ? null : (
          <p className="small">
            <Badge tone="warn" icon="?">
              {needs.length === 1 ? '1 needs you' : `${needs.length} need you`}
            </Badge>{' '}
            <Text>{needs[0]?.id === story.id ? '' : (needs[0]?.title ?? '')}</Text>
          </p>
        )}
        <p className="muted small">
          <code>{story.id}</code>
          {usd === null ? '' : ` · ${usd}`} · started <Ago at={story.createdAt} />
          {work !== null && (work.stage === 'running' || work.stage === 'checking') ? ` · ${WORKS[work.kind]}` : ''}
        </p>
      </div>
      <div className="story-progress">
        <span className="num">
          {tasks.completed} of {all} tasks
        </span>
        <progress
          value={tasks.completed}
          max={Math.max(all, 1)}
          aria-label={`Completed tasks of ${visible(story.name)}`}
        />
        <span className="muted small">
          {[
            ...(tasks['in-progress'] > 0 ? [`${tasks['in-progress']} in progress`] : []),
            ...(tasks.failed > 0 ? [`${tasks.failed} failed`] : []),
            ...(tasks.cancelled > 0 ? [`${tasks.cancelled} cancelled`] : []),
          ].join(', ')}
        </span>
      </div>
    </li>
  )
}

const WORKS = { ship: 'being shipped', validation: 'being validated', deferred: 'deferred criteria are being run' }

function Drafts({ lines }: { lines: readonly Line[] }) {
  return (
    <section className="panel" aria-label="Drafts">
      <h2>Drafts</h2>
      <ul className="drafts">
        {lines.map(({ id, title, stage, phase }) => (
          <li key={id}>
            {phase === 'draft' ? (
              <Badge tone="busy" icon="✎">
                Draft
              </Badge>
            ) : (
              <StageBadge stage={stage} />
            )}
            <Link className="evidence" to="/elaborate/$id" params={{ id }}>
              <Text>{title.replace(/^Elaborate: /, '')}</Text>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Nothing() {
  return (
    <Empty title="No stories yet">
      <p>A story is a set of tasks that are shipped together. Say what you want to achieve, and an agent drafts one:</p>
      <p>
        <Link className="button primary" to="/elaborate">
          New story from a goal
        </Link>
      </p>
      <p>In a terminal, the same, or from a plan of your own:</p>
      <p>
        <Command>muster elaborate "Customers can export their invoices"</Command>
      </p>
      <p>
        <Command>muster run plan.yaml</Command>
      </p>
    </Empty>
  )
}
