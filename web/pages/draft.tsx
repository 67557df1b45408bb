/**
 * An elaboration: its progress while the agent works, then its draft, which a person edits and approves, or sends back.
 */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useSyncExternalStore } from 'react'
import { draftQuery, needsQuery, taskQuery } from '../api/queries.ts'
import { lastLineOf } from '../api/live.ts'
import type { Draft } from '../api/types.ts'
import { Actions } from '../parts/actions.tsx'
import type { Tone } from '../parts/badge.tsx'
import { Badge } from '../parts/badge.tsx'
import { useTitle } from '../parts/layout.tsx'
import { Empty, Loading, ProblemNote } from '../parts/problem.tsx'
import { Prose, Text, visible } from '../parts/text.tsx'
import { Elapsed } from '../parts/time.tsx'
import { draftRoute } from '../router.tsx'
import { DraftEditor, keptEdit } from './draft-editor.tsx'

const STATUS: Record<Draft['status'], { tone: Tone; icon: string; word: string }> = {
  elaborating: { tone: 'busy', icon: '⟳', word: 'Being drafted…' },
  waiting: { tone: 'warn', icon: '✎', word: 'Waits for you' },
  approved: { tone: 'good', icon: '✓', word: 'Approved' },
  failed: { tone: 'bad', icon: '✗', word: 'No draft' },
  cancelled: { tone: 'plain', icon: '–', word: 'Cancelled' },
}

export function DraftPage() {
  const { id } = draftRoute.useParams()
  const { data, error, refetch } = useQuery(draftQuery(id))
  useTitle(data === undefined ? 'Draft' : `Draft: ${visible(data.draft?.name ?? firstLine(data.goal))}`)
  const status = data?.status
  useEffect(() => {
    // Nobody edits it any more.
    if (status === 'approved' || status === 'cancelled') keptEdit(id).set(null)
  }, [id, status])
  if (error !== null) return <ProblemNote page error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Loading what="the draft" />
  const { tone, icon, word } = STATUS[data.status]
  return (
    <div data-keys className="draft-page">
      <header className="page-head task-head">
        <h1>
          <Text>{data.draft?.name ?? firstLine(data.goal)}</Text>
        </h1>
        <Badge tone={tone} icon={icon}>
          {word}
        </Badge>
        {data.status === 'waiting' ? null : <OtherActions id={id} status={data.status} />}
      </header>
      <section className="panel">
        <h2>Goal</h2>
        <Prose>{data.goal}</Prose>
      </section>
      <Body data={data} />
    </div>
  )
}

const firstLine = (text: string): string => text.split('\n')[0] ?? ''

function Body({ data }: { data: Draft }) {
  const { id, status, draft, story } = data
  if (status === 'approved')
    return (
      <Empty title="This draft is now a story">
        {story === null ? null : (
          <p>
            <Link className="button primary" to="/stories/$id" params={{ id: story }}>
              Go to the story
            </Link>
          </p>
        )}
      </Empty>
    )
  if (status === 'waiting' && draft !== null) return <DraftEditor key={id} data={data} draft={draft} />
  return (
    <>
      {status === 'elaborating' ? <Working id={id} /> : null}
      {status === 'failed' ? <Failed id={id} /> : null}
    </>
  )
}

function Working({ id }: { id: string }) {
  const task = useQuery(taskQuery(id)).data
  const line = lastLineOf(id)
  const said = useSyncExternalStore(line.subscribe, line.get)
  const sent = task?.findings.filter(({ round }) => round === task.round) ?? []
  return (
    <section className="panel" aria-label="The elaborator">
      <h2>The elaborator</h2>
      <p role="status">
        {task === undefined || task.attempt === 0 ? 'Starting…' : `Working, attempt ${task.attempt}`}{' '}
        {task === undefined ? null : (
          <span className="muted">
            · <Elapsed since={task.updatedAt} />
          </span>
        )}
      </p>
      {said === '' ? null : (
        <p className="last-line">
          <Text>{said}</Text>
        </p>
      )}
      {sent.length === 0 ? null : (
        <>
          <h3>Sent back because</h3>
          <ul className="ship-findings">
            {sent.map(({ message }, index) => (
              <li key={index}>
                <span aria-hidden="true">✗</span>
                <Prose>{message}</Prose>
              </li>
            ))}
          </ul>
        </>
      )}
      <p className="muted">
        This page updates when the draft is ready. You can leave it: the draft will appear under{' '}
        <Link className="evidence" to="/">
          Needs you
        </Link>
        . Its output is{' '}
        <Link className="evidence" to="/tasks/$id" params={{ id }} search={{ tab: 'logs' }}>
          in the log
        </Link>
        .
      </p>
    </section>
  )
}

function Failed({ id }: { id: string }) {
  const task = useQuery(taskQuery(id)).data
  return (
    <section className="panel">
      <h2>Why</h2>
      <Prose>{task?.failureReason ?? task?.waitingFor ?? ''}</Prose>
      <ul className="ship-findings">
        {(task?.findings ?? []).slice(-10).map(({ message }, index) => (
          <li key={index}>
            <span aria-hidden="true">✗</span>
            <Prose>{message}</Prose>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** What one can do while there is nothing to approve. */
function OtherActions({ id, status }: { id: string; status: Draft['status'] }) {
  const need = useQuery(needsQuery).data?.items.find((one) => one.id === id)
  const task = useQuery(taskQuery(id)).data
  if (task === undefined || status === 'approved') return null
  const { title, version } = task
  const actions = status === 'elaborating' ? (['cancel'] as const) : (['retry'] as const)
  const general = { id, title, version, kind: 'draft', reason: '', report: null, reasonNeeded: false } as const
  const usable = need?.actions.filter((action) => action !== 'approve-draft' && action !== 'accept')
  return (
    <Actions need={need === undefined ? { ...general, actions: [...actions] } : { ...need, actions: usable ?? [] }} />
  )
}
