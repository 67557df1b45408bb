/** Needs you: everything that needs a person, the longest waiting first, with the reason and the possible actions. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useLayoutEffect, useRef } from 'react'
import { needsQuery, notesQuery, storiesQuery } from '../api/queries.ts'
import type { Need } from '../api/types.ts'
import { Actions } from '../parts/actions.tsx'
import { NeedBadge } from '../parts/badge.tsx'
import { useTitle } from '../parts/layout.tsx'
import { Command, Empty, Loading, ProblemNote } from '../parts/problem.tsx'
import { opens, PullLink } from '../parts/pull.tsx'
import { Text, visible } from '../parts/text.tsx'
import { Ago } from '../parts/time.tsx'

/** Needs of stories as a whole. */
const OF_STORY = new Set<Need['kind']>(['ship', 'fix', 'deploy', 'deferred'])
/** Of the project, of a program, or of a branch: they have no page at all. */
const OF_ALL = new Set<Need['kind']>(['limit', 'paused', 'push'])

export function NeedsPage() {
  useTitle('Needs you')
  const { data, error, refetch } = useQuery(needsQuery)
  return (
    <>
      <header className="page-head">
        <h1>Needs you</h1>
        {data === undefined || data.items.length === 0 ? null : (
          <span className="muted">{data.items.length} waiting, oldest first</span>
        )}
      </header>
      {error !== null ? (
        <ProblemNote error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Loading what="what waits for you" />
      ) : data.items.length === 0 ? (
        <Nothing />
      ) : (
        <Rows needs={data.items} />
      )}
      <Notes />
      {data?.more === true ? <p className="muted">There are more; they appear as you answer these.</p> : null}
    </>
  )
}

/** What people should know about how the project is set up. */
function Notes() {
  const { data } = useQuery(notesQuery)
  return data === undefined || data.notes.length === 0 ? null : (
    <ul className="muted small" aria-label="Notes on the project">
      {data.notes.map((note) => (
        <li key={note}>
          <Text>{firstUpper(note)}</Text>
        </li>
      ))}
    </ul>
  )
}

const keyOf = ({ kind, id }: Need): string => `${kind}:${id}`

function Rows({ needs }: { needs: readonly Need[] }) {
  const list = useRef<HTMLUListElement>(null)
  const last = useRef<{ key: string; index: number } | null>(null)
  // When the row that was decided on goes, who works with the keyboard is at the one that took its place.
  useLayoutEffect(() => {
    if (last.current === null || document.activeElement !== document.body) return
    const { key, index } = last.current
    if (needs.some((need) => keyOf(need) === key)) return
    const rows = list.current?.querySelectorAll<HTMLElement>('[data-row]')
    rows?.[Math.min(index, rows.length - 1)]?.focus()
  }, [needs])
  return (
    <ul className="needs" ref={list}>
      {needs.map((need, index) => (
        <NeedRow key={keyOf(need)} need={need} onFocus={() => (last.current = { key: keyOf(need), index })} />
      ))}
    </ul>
  )
}

function NeedRow({ need, onFocus }: { need: Need; onFocus(): void }) {
  const { kind, id, title, story, reason, report, request, pr, since, round } = need
  return (
    // A row is what j and k move along, and what a and r are for.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <li className="need" data-row tabIndex={0} aria-label={visible(title)} onFocus={onFocus}>
      <div className="need-kind">
        <NeedBadge kind={kind} />
      </div>
      <div className="need-what">
        <h2>
          {OF_ALL.has(kind) ? (
            <Text>{title}</Text>
          ) : OF_STORY.has(kind) ? (
            <Link to="/stories/$id" params={{ id }}>
              Story: <Text>{title}</Text>
            </Link>
          ) : kind === 'draft' ? (
            <Link to="/elaborate/$id" params={{ id }}>
              <Text>{title}</Text>
            </Link>
          ) : (
            <Link to="/tasks/$id" params={{ id }}>
              <Text>{title}</Text>
            </Link>
          )}
        </h2>
        <p className="need-reason">
          <Text>{firstUpper(reason)}</Text>
        </p>
        {report === null || report === '' ? null : (
          <p className="need-report">
            “<Text>{report.split('\n')[0] ?? ''}</Text>”
          </p>
        )}
        {request === null ? null : (
          <p className="need-report">
            An agent asks you to decide: “<Text>{request}</Text>”
          </p>
        )}
        <p className="muted small">
          {story === null ? null : (
            <>
              <Text>{story.name}</Text> ·{' '}
            </>
          )}
          {OF_ALL.has(kind) ? null : (
            <>
              <code>{id}</code> ·{' '}
            </>
          )}
          {round === 0 ? null : `round ${round} · `}
          <Ago at={since} />
          {opens(pr) ? (
            <>
              {' '}
              · <PullLink address={pr}>open its pull request</PullLink>
            </>
          ) : null}
        </p>
      </div>
      <Actions need={need} />
    </li>
  )
}

const firstUpper = (text: string): string => text.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase())

function Nothing() {
  const stories = useQuery(storiesQuery).data
  if (stories === undefined || stories.length > 0) {
    return (
      <Empty title="Nothing needs you">
        <p>Whatever needs your decision appears here, and in the title of this window.</p>
        <p>
          Start more work: <Command>muster run "Add a /health endpoint"</Command>
        </p>
      </Empty>
    )
  }
  return (
    <Empty title="Nothing to do yet">
      <p>Give Muster a task in a terminal, in this project:</p>
      <p>
        <Command>muster run "Add a /health endpoint"</Command>
      </p>
      <p>
        <Command>muster elaborate "Customers can export their invoices"</Command>
      </p>
      <p>Whatever needs you appears here.</p>
    </Empty>
  )
}
