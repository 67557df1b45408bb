/** A task: its state and why, its text, findings, output, history, and the possible actions. */
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useRef } from 'react'
import { explainQuery, needsQuery, allStoriesQuery, taskQuery } from '../api/queries.ts'
import type { Explanation, Task } from '../api/types.ts'
import { keepDrafts, useDrafts } from '../diff/draft-store.ts'
import { byPlace, withComments } from '../diff/drafts.ts'
import type { Actionable } from '../parts/actions.tsx'
import { Actions } from '../parts/actions.tsx'
import { Marks, StageBadge } from '../parts/badge.tsx'
import type { Fact } from '../parts/facts.tsx'
import { FactList } from '../parts/facts.tsx'
import { useTitle } from '../parts/layout.tsx'
import { part } from '../parts/part.tsx'
import { Command, Loading, ProblemNote } from '../parts/problem.tsx'
import { PullLink } from '../parts/pull.tsx'
import { Text, visible } from '../parts/text.tsx'
import { Ago, clock, money } from '../parts/time.tsx'
import { taskRoute } from '../router.tsx'
import { Findings } from './findings.tsx'
import { Logs } from './logs.tsx'
import { Overview } from './overview.tsx'
import { Prompts } from './prompts.tsx'
import '../styles/task.css'

const Diff = lazy(part<{ task: Task; show: string }>(() => import('./diff.tsx'), 'Diff'))

const TABS = ['overview', 'findings', 'diff', 'logs', 'prompts', 'events'] as const
/** These need the width of the page. */
const WIDE = new Set<Tab>(['diff', 'logs', 'prompts'])
type Tab = (typeof TABS)[number]

export function TaskPage() {
  const { id } = taskRoute.useParams()
  const { tab: wanted, attempt, show = '' } = taskRoute.useSearch()
  const { data: task, error, refetch } = useQuery(taskQuery(id))
  const { data: explained } = useQuery(explainQuery(id))
  useTitle(visible(task?.title ?? id))
  if (error !== null) return <ProblemNote page error={error} onRetry={() => void refetch()} />
  if (task === undefined) return <Loading what="the task" />
  const tab: Tab = TABS.find((name) => name === wanted) ?? 'overview'
  return (
    <div data-keys>
      <header className="page-head task-head">
        <h1>
          <Text>{task.title}</Text>
        </h1>
        <StageBadge stage={task.stage} />
        <Marks
          checker={task.checker.status}
          warnings={task.warnings.length}
          overruled={task.waiver?.reason ?? null}
          live={task.stage === 'checking'}
        />
        <TaskActions task={task} />
      </header>
      {task.outdated.length === 0 ? null : (
        <p className="note warn">
          muster.yaml changed since: <Text>{task.outdated.join('; ')}</Text>. Retry uses the new one.
        </p>
      )}
      {explained === undefined ? null : <Strip task={task} explained={explained} />}
      <div className={WIDE.has(tab) ? 'task-body wide' : 'task-body'}>
        <div className="task-main">
          <Tabs task={task} now={tab} />
          {tab === 'overview' ? <Overview task={task} /> : null}
          {tab === 'findings' ? <Findings task={task} /> : null}
          {tab === 'diff' ? (
            <Suspense fallback={<Loading what="the diff" />}>
              <Diff key={show} task={task} show={/^(?:attempt|since)=\d+$/.test(show) ? show : ''} />
            </Suspense>
          ) : null}
          {tab === 'logs' ? <Logs task={task} chosen={attempt} /> : null}
          {tab === 'prompts' ? <Prompts task={task} chosen={attempt} /> : null}
          {tab === 'events' ? <Events explained={explained} /> : null}
        </div>
        <aside className="task-side" aria-label="About this task">
          {explained === undefined ? null : <Why explained={explained} />}
          <Facts task={task} />
        </aside>
      </div>
    </div>
  )
}

/** What is asked of a person, or else what one can always do. */
function TaskActions({ task }: { task: Task }) {
  const need = useQuery(needsQuery).data?.items.find(({ id, version }) => id === task.id && version !== null)
  const drafts = useDrafts(task.id)
  const { id, title, version, commit, actions, lands } = task
  if (actions.length === 0) return null
  const general = { id, title, version, kind: 'review', reason: '', report: null, lands, reasonNeeded: false } as const
  const comments = (drafts.find((draft) => draft.commit === commit)?.comments ?? []).toSorted(byPlace)
  const sent = () => commit !== null && keepDrafts(id, withComments(drafts, commit, []))
  // What was asked for comes first; a person may speak without being asked, too.
  const all = [...new Set([...(need?.actions ?? []), ...actions])]
  const actionable: Actionable = { ...general, ...need, version, actions: all, draft: { comments, sent } }
  return <Actions need={actionable} />
}

function Strip({ task, explained }: { task: Task; explained: Explanation }) {
  const { phases, waitingFor } = explained
  const done = task.status === 'completed'
  const here = phases.findIndex(({ name }) => name === task.phase)
  return (
    <ol className="strip" aria-label="Phases">
      {phases.map(({ name, run }, index) => {
        const state =
          done || index < here
            ? 'past'
            : index > here || here === -1
              ? 'ahead'
              : task.status === 'failed'
                ? 'lost'
                : 'now'
        return (
          <li key={name} className={state} aria-current={index === here ? 'step' : undefined}>
            <strong>
              {state === 'past' ? '✓ ' : state === 'lost' ? '✗ ' : ''}
              {name}
            </strong>
            <span className="small muted">
              {state === 'now' && waitingFor !== null ? <Text>{waitingFor}</Text> : run}
            </span>
          </li>
        )
      })}
      <li className={done ? 'past' : 'ahead'}>
        <strong>{done ? '✓ ' : ''}done</strong>
      </li>
    </ol>
  )
}

function Tabs({ task, now }: { task: Task; now: Tab }) {
  const findings = task.findings.length + task.warnings.length
  const comments = useDrafts(task.id).reduce((sum, draft) => sum + draft.comments.length, 0)
  const names: Record<Tab, string> = {
    overview: 'Overview',
    findings: findings === 0 ? 'Findings' : `Findings ${findings}`,
    diff: comments === 0 ? 'Diff' : `Diff · ${comments === 1 ? '1 comment' : `${comments} comments`}`,
    logs: 'Logs',
    prompts: 'Prompts',
    events: 'Events',
  }
  return (
    <nav className="tabs" aria-label="Parts of the task">
      {TABS.map((tab, index) => (
        <Link
          key={tab}
          data-key={index + 1}
          to="/tasks/$id"
          params={{ id: task.id }}
          search={{ tab: tab === 'overview' ? undefined : tab }}
          replace
          aria-current={tab === now ? 'page' : undefined}
          className={tab === now ? 'on' : ''}
        >
          {names[tab]}
        </Link>
      ))}
    </nav>
  )
}

function Why({ explained }: { explained: Explanation }) {
  const { hash } = useLocation()
  const place = useRef<HTMLElement>(null)
  useEffect(() => {
    if (hash === 'why') place.current?.focus()
  }, [hash])
  return (
    <section className="panel" id="why" ref={place} tabIndex={-1} aria-label="Why is it here?">
      <h2>Why is it here?</h2>
      <p>
        <Text>{explained.why}</Text>
      </p>
      {explained.waitingFor === null || explained.why.endsWith(explained.waitingFor) ? null : (
        <p className="muted">
          Waiting: <Text>{explained.waitingFor}</Text>.
        </p>
      )}
      {explained.next.length === 0 ? null : (
        <>
          <p className="small muted">In a terminal:</p>
          {explained.next.map((command) => (
            <p key={command}>
              <Command>{visible(command)}</Command>
            </p>
          ))}
        </>
      )}
    </section>
  )
}

function Facts({ task }: { task: Task }) {
  const story = useQuery(allStoriesQuery).data?.find(({ id }) => id === task.story)
  const { waiver, cost } = task
  const usd = money(cost.usd)
  const tokens = (cost.inputTokens ?? 0) + (cost.outputTokens ?? 0)
  const rows: Fact[] = [
    ['Id', <code key="id">{task.id}</code>],
    [
      'Story',
      story === undefined ? (
        (task.story ?? 'none: it lands on the base')
      ) : (
        <Link key="s" to="/stories/$id" params={{ id: story.id }}>
          <Text>{story.name}</Text>
        </Link>
      ),
    ],
    ['Branch', <code key="b">{task.branch}</code>],
    ...(task.pr === null ? [] : [['Pull request', <PullLink key="pr" address={task.pr} />] satisfies Fact]),
    ['Lands on', <code key="t">{task.target}</code>],
    ['Commit', task.commit === null ? 'none yet' : <code key="c">{task.commit.slice(0, 12)}</code>],
    ['Round', `${task.round}, attempt ${task.attempt}`],
    ['Agent', task.agent ?? 'implementer'],
    [
      'Cost',
      `${usd ?? 'not known'}${usd !== null && cost.partial ? ' at least' : ''}${tokens === 0 ? '' : `, ${tokens.toLocaleString()} tokens`}`,
    ],
    [
      'Depends on',
      task.dependsOn.length === 0
        ? 'nothing'
        : task.dependsOn.map((id) => (
            <Link key={id} className="mono" to="/tasks/$id" params={{ id }}>
              {id}{' '}
            </Link>
          )),
    ],
    ['Changed', <Ago key="u" at={task.updatedAt} />],
  ]
  return (
    <section className="panel">
      <h2>Facts</h2>
      <FactList facts={rows} />
      {waiver === null ? null : (
        <p className="note warn">
          Overruled by <Text>{waiver.by}</Text> ({waiver.criteria.join(', ')}): “<Text>{waiver.reason}</Text>”
        </p>
      )}
    </section>
  )
}

function Events({ explained }: { explained: Explanation | undefined }) {
  if (explained === undefined) return <Loading what="its history" />
  return (
    <ol className="events panel">
      {explained.history.toReversed().map(({ at, type, actor, text }, index) => (
        <li key={explained.history.length - index}>
          <time dateTime={at} className="num muted" title={new Date(at).toLocaleString()}>
            {clock(at)}
          </time>
          <span className="muted mono">{type}</span>
          <span>
            <Text>{text}</Text>
            {actor === 'muster' ? null : (
              <span className="muted">
                {' '}
                · <Text>{actor}</Text>
              </span>
            )}
          </span>
        </li>
      ))}
    </ol>
  )
}
