/** A story: what Ship will do or is doing, its tasks, its deferred criteria, its cost, and the possible actions. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { allStoriesQuery, needsQuery, shipQuery, storyLinesQuery } from '../api/queries.ts'
import type { Shipping, Story } from '../api/types.ts'
import type { Actionable } from '../parts/actions.tsx'
import { Actions } from '../parts/actions.tsx'
import { CriterionBadge } from '../parts/badge.tsx'
import type { Fact } from '../parts/facts.tsx'
import { FactList } from '../parts/facts.tsx'
import { useTitle } from '../parts/layout.tsx'
import { Empty, Loading, ProblemNote } from '../parts/problem.tsx'
import { short, ShipPlan } from '../parts/ship-plan.tsx'
import { isShipping, StoryBadge } from '../parts/story-badge.tsx'
import { StoryEnd } from '../parts/story-end.tsx'
import { Text, visible } from '../parts/text.tsx'
import { Ago, duration, Elapsed, money } from '../parts/time.tsx'
import { storyRoute } from '../router.tsx'
import { ShippingPanel } from './shipping.tsx'
import { StoryTasks } from './story-tasks.tsx'

export function StoryPage() {
  const { id } = storyRoute.useParams()
  const { data: stories, error, refetch } = useQuery(allStoriesQuery)
  const { data: ship, error: unseen, refetch: look } = useQuery(shipQuery(id))
  const story = stories?.find((one) => one.id === id)
  useTitle(visible(story?.name ?? id))
  if (error !== null) return <ProblemNote page error={error} onRetry={() => void refetch()} />
  if (stories === undefined) return <Loading what="the story" />
  if (story === undefined)
    return (
      <Empty page title="There is no such story">
        <p>
          <Link className="evidence" to="/stories">
            All stories
          </Link>
        </p>
      </Empty>
    )
  const { state, message } = story
  const active = isShipping(state) || state === 'NEEDS_FIX' || state === 'REVIEW_READY'
  const ships = ship === undefined ? null : <ShippingPanel story={story} ship={ship} />
  return (
    <div data-keys className="story-page">
      <header className="page-head task-head">
        <h1>
          <Text>{story.name}</Text>
        </h1>
        <StoryBadge story={story} />
        <div className="head-actions">{ship === undefined ? null : <StoryActions story={story} ship={ship} />}</div>
      </header>
      {message === null ? null : (
        <p className={`note ${state === 'NEEDS_FIX' ? 'bad' : 'warn'}`}>
          <Text>{message.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase())}</Text>
        </p>
      )}
      <div className="task-body">
        <div className="task-main">
          {unseen === null ? null : <ProblemNote error={unseen} onRetry={() => void look()} />}
          {active ? ships : null}
          {ship === undefined && unseen === null ? <Loading what="what Ship will do" /> : null}
          {ship === undefined || active ? null : (
            <section className="panel" aria-label="What Ship will do">
              <h2>What Ship will do</h2>
              <ShipPlan story={story} ship={ship} />
            </section>
          )}
          <StoryTasks story={story} />
          {ship === undefined ? null : <Deferred ship={ship} />}
          {active ? null : ships}
        </div>
        <aside className="task-side" aria-label="About this story">
          <Facts story={story} ship={ship} />
          <Open id={id} />
        </aside>
      </div>
    </div>
  )
}

/** Ship only when it can be shipped, with the commit; otherwise what would move it on. */
function StoryActions({ story, ship }: { story: Story; ship: Shipping }) {
  const { id, name: title, state, message, work, base } = story
  const need = useQuery(needsQuery).data?.items.find((one) => one.id === id && one.kind === 'deploy')
  const common = { id, title, kind: 'ship', report: null, version: null, reasonNeeded: false } as const
  const of = (actions: Actionable['actions'], labels: NonNullable<Actionable['labels']> = {}): Actionable => {
    return { ...common, reason: message ?? '', actions, labels }
  }
  if (state === 'SHIPPABLE') {
    const label =
      ship.landed === null
        ? `Ship ${ship.head === null ? 'it' : short(ship.head)} to ${base}…`
        : `Continue with ${short(ship.landed)}…`
    return <Actions need={of(['ship'], { ship: label })} />
  }
  if (need !== undefined) return <Actions need={need} />
  if (state === 'NEEDS_FIX') {
    return (
      <>
        <Actions need={of(['fix'])} />
        {work === null ? null : (
          <Actions
            need={{
              ...of(['retry', 'accept'], { retry: 'Validate again', accept: 'Accept as is…' }),
              id: work.id,
              reasonNeeded: true,
            }}
          />
        )}
      </>
    )
  }
  if (state !== 'OPEN' || message === null || work?.kind !== 'deferred') return null
  return (
    <>
      <Actions need={{ ...of(['resume']), kind: 'deferred' }} />
      {work.stage === 'review' ? (
        <Actions need={{ ...of(['accept'], { accept: 'Accept them anyway…' }), id: work.id, reasonNeeded: true }} />
      ) : null}
    </>
  )
}

function Deferred({ ship: { deferred } }: { ship: Shipping }) {
  if (deferred.criteria.length === 0) return null
  return (
    <section className="panel" aria-label="Deferred criteria">
      <h2>
        Deferred criteria{' '}
        {deferred.at === null ? null : (
          <span className="muted">
            · run on the story as a whole <Ago at={deferred.at} />
          </span>
        )}
      </h2>
      <ul className="deferred">
        {deferred.criteria.map(({ description, activity, task, status, error }, index) => (
          <li key={index}>
            <CriterionBadge status={status} />
            <span>
              <Text>{description}</Text>{' '}
              <span className="muted small">
                · {activity} ·{' '}
                <Link className="evidence" to="/tasks/$id" params={{ id: task }}>
                  evidence
                </Link>
              </span>
              {error === null ? null : (
                <span className="failure small">
                  <br />
                  <Text>{error}</Text>
                </span>
              )}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Facts({ story, ship }: { story: Story; ship: Shipping | undefined }) {
  const lines = [...(useQuery(storyLinesQuery(story.id)).data?.values() ?? [])]
  const rounds = lines.reduce((sum, { round }) => sum + round, 0)
  const begun = lines.filter(({ attempt }) => attempt > 0).length
  const usd = money(story.cost.usd)
  const over = story.state === 'REVIEW_READY'
  const rows: Fact[] = [
    ['Id', <code key="i">{story.id}</code>],
    ['Branch', <code key="b">{story.branch}</code>],
    ['Head', ship?.head == null ? '–' : <code key="h">{ship.head.slice(0, 12)}</code>],
    [
      'Base',
      <code key="a">
        {story.base}
        {ship?.base == null ? '' : `@${short(ship.base)}`}
      </code>,
    ],
    ['Rounds', begun === 0 ? 'none yet' : `${(rounds / begun).toFixed(1)} per task`],
    ['Cost', `${usd ?? 'not known'}${usd !== null && story.cost.partial ? ' at least' : ''}`],
    [
      'Time',
      over && ship !== undefined ? (
        duration(Date.parse(ship.movedAt) - Date.parse(story.createdAt))
      ) : (
        <Elapsed key="t" since={story.createdAt} />
      ),
    ],
    ...(story.landed === null ? [] : [['Landed', <code key="l">{story.landed.slice(0, 12)}</code>] as Fact]),
  ]
  return (
    <section className="panel">
      <h2>Story</h2>
      <FactList facts={rows} />
      <p className="small">
        <Link className="evidence" to="/board" search={{ story: story.id }}>
          On the board
        </Link>
      </p>
      <StoryEnd story={story} />
    </section>
  )
}

/** What of it waits for a person. */
function Open({ id }: { id: string }) {
  const needs = useQuery(needsQuery).data?.items.filter(({ story }) => story?.id === id) ?? []
  if (needs.length === 0) return null
  return (
    <section className="panel">
      <h2>Needs you</h2>
      <ul className="story-needs">
        {needs.map((need) => (
          <li key={need.id}>
            <Link className="evidence" to="/tasks/$id" params={{ id: need.id }}>
              <Text>{need.title}</Text>
            </Link>
            <div className="muted small">
              <Text>{need.reason}</Text>
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}
