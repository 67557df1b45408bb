/** One column of the board, of which only the visible cards are drawn, and a card. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import { memo, useRef, useSyncExternalStore, type KeyboardEvent } from 'react'
import { lastLineOf, setupOf } from '../api/live.ts'
import { cardQuery } from '../api/queries.ts'
import type { Card, Line } from '../api/types.ts'
import { Badge, CriterionBadge, Marks } from '../parts/badge.tsx'
import { CriteriaCount } from '../parts/criteria-count.tsx'
import { listEnd } from '../parts/list-end.ts'
import { Text, visible } from '../parts/text.tsx'
import { Elapsed, money } from '../parts/time.tsx'

const cardPx = 104
const gapPx = 8
/** More chips than this are counted instead. */
const chipsMax = 4
/** What says no more than the column's name. */
const isPlain = ({ reason }: Pick<Line, 'reason'>): boolean =>
  reason === null || reason.toPerson || reason.code === 'decision' || reason.code === 'plan-decision'

export function Column({
  name,
  lines,
  stories,
}: {
  name: string
  lines: readonly Line[]
  stories: ReadonlyMap<string, string>
}) {
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => cardPx,
    getItemKey: (index) => lines[index]?.id ?? index,
    gap: gapPx,
    overscan: 4,
  })
  const onKeyDown = (event: KeyboardEvent): void => {
    const end = listEnd(event, lines.length)
    if (end !== null) virtual.scrollToIndex(end.index, { align: end.align })
  }
  return (
    <section className="column" aria-label={`${name}, ${lines.length} tasks`}>
      <h2>
        {name} <span className="num">{lines.length}</span>
      </h2>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, and who has no mouse needs to reach it */}
      <div
        className="cards"
        ref={scroller}
        tabIndex={lines.length === 0 ? -1 : 0}
        role="list"
        aria-label={name}
        onKeyDown={onKeyDown}
      >
        <div role="presentation" className="cards-all" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ key, index, start }) => {
            const line = lines[index]
            if (line === undefined) return null
            return (
              <div
                key={key}
                role="listitem"
                data-index={index}
                ref={virtual.measureElement}
                className="card-place"
                style={{ transform: `translateY(${start}px)` }}
              >
                <TaskCard line={line} story={line.story === null ? null : (stories.get(line.story) ?? line.story)} />
              </div>
            )
          })}
        </div>
      </div>
    </section>
  )
}

/** Drawn again only when something about it has changed, however its column is scrolled. */
const TaskCard = memo(function TaskCard({ line, story }: { line: Line; story: string | null }) {
  const { data: card } = useQuery(cardQuery(line.id))
  const { id, title, stage, phase, round } = line
  const live = stage === 'checking'
  return (
    <article className={`card ${line.needsPerson ? 'asks' : ''}`} data-row tabIndex={-1} aria-label={visible(title)}>
      <h3>
        <Link to="/tasks/$id" params={{ id }}>
          <Text>{title}</Text>
        </Link>
      </h3>
      <p className="muted small facts-line">
        {story === null ? null : (
          <span className="cut">
            <Text>{story}</Text>
          </span>
        )}
        {phase === null || stage === 'completed' ? null : <span>{phase}</span>}
        {round === 0 ? null : <span>round {round}</span>}
        {card?.by == null ? null : (
          <span>
            <Text>{card.by}</Text>
          </span>
        )}
        {card?.since == null ? null : <Elapsed since={card.since} />}
        {money(card?.cost.usd ?? null) === null ? null : <span className="num">{money(card?.cost.usd ?? null)}</span>}
      </p>
      {card == null ? null : <CardChips card={card} live={live} />}
      {card == null || card.blockers.length === 0 ? null : <Blockers card={card} />}
      {stage !== 'review' || line.waitingFor === null || isPlain(line) ? null : (
        <p className="small muted waits" title={visible(line.waitingFor)}>
          <Text>{line.waitingFor}</Text>
        </p>
      )}
      {stage === 'running' || stage === 'checking' ? <LastLine id={id} /> : null}
      {line.failureReason === null ? null : (
        <p className="small failure">
          <Text>{line.failureReason}</Text>
        </p>
      )}
    </article>
  )
})

function CardChips({ card, live }: { card: Card; live: boolean }) {
  const { stage } = card
  // What this repository cannot run says nothing about the work.
  const criteria = card.criteria.filter(({ status }) => status !== 'skipped')
  const verifying = live && card.checker === 'none'
  const over = stage === 'completed'
  return (
    <div className="chips">
      {over && criteria.length > 0 ? (
        <CriteriaCount criteria={criteria} over />
      ) : (
        criteria
          .slice(0, chipsMax)
          .map(({ id, activity, status }) => (
            <CriterionBadge key={id} status={status} name={activity} busy={verifying} />
          ))
      )}
      {!over && criteria.length > chipsMax ? <Badge tone="plain">{`+${criteria.length - chipsMax}`}</Badge> : null}
      {verifying ? (
        <Badge tone="busy" icon="⟳">
          Checking…
        </Badge>
      ) : null}
      <Marks checker={card.checker} warnings={card.warnings} overruled={card.overruled} live={live} />
    </div>
  )
}

/** What it waits for, by title; what failed or was cancelled keeps it from ever starting. */
function Blockers({ card: { blockers } }: { card: Card }) {
  const never = blockers.filter(({ status }) => status === 'failed' || status === 'cancelled')
  const others = blockers.filter((blocker) => !never.includes(blocker))
  return (
    <>
      {never.map(({ id, title, status }) => (
        <p key={id} className="small failure">
          ⊘ {status}: “<Text>{title}</Text>”
        </p>
      ))}
      {others.length === 0 ? null : (
        <p className="small muted waits" title={others.map(({ title }) => visible(title)).join('\n')}>
          waits for{' '}
          {others.map(({ id, title }, index) => (
            <span key={id}>
              {index === 0 ? '' : ', '}“<Text>{title}</Text>”
            </span>
          ))}
        </p>
      )}
    </>
  )
}

function LastLine({ id }: { id: string }) {
  const store = lastLineOf(id)
  const line = useSyncExternalStore(store.subscribe, store.get)
  const setup = useSyncExternalStore(setupOf(id).subscribe, setupOf(id).get)
  return line === '' ? null : (
    <p className="last-line">
      {setup === null ? null : (
        <>
          <Elapsed since={setup} />{' '}
        </>
      )}
      <Text>{line.slice(0, 300)}</Text>
    </p>
  )
}
