/** What runs printed, as it comes: one at a time, followed until somebody scrolls up, as a timeline or raw. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef, useState } from 'react'
import { at } from '../api/client.ts'
import { attemptsQuery } from '../api/queries.ts'
import type { Attempt, Task } from '../api/types.ts'
import { Empty, Loading, ProblemNote } from '../parts/problem.tsx'
import { visible } from '../parts/text.tsx'

/** Older lines go: the terminal has them all. */
const linesMax = 50_000
const lineCharsMax = 4000

export function Logs({ task, chosen }: { task: Task; chosen: string | undefined }) {
  const { data: attempts, error } = useQuery(attemptsQuery(task.id))
  const navigate = useNavigate()
  const [raw, setRaw] = useState(false)
  if (error !== null) return <ProblemNote error={error} />
  if (attempts === undefined) return <Loading what="its runs" />
  const attempt = attempts.find(({ id }) => id === chosen) ?? attempts.at(-1)
  if (attempt === undefined)
    return (
      <Empty title="Nothing has run yet">
        <p>What its agents and checks print is shown here as it comes.</p>
      </Empty>
    )
  return (
    <section className="panel">
      <div className="log-head">
        <label>
          <span className="sr-only">Run</span>
          <select
            value={attempt.id}
            onChange={(event) =>
              void navigate({
                to: '/tasks/$id',
                params: { id: task.id },
                search: { tab: 'logs', attempt: event.target.value },
                replace: true,
              })
            }
          >
            {attempts.map((one) => (
              <option key={one.id} value={one.id}>
                {nameOf(one)}
              </option>
            ))}
          </select>
        </label>
        <label className="check">
          <input type="checkbox" checked={raw} onChange={(event) => setRaw(event.target.checked)} /> raw
        </label>
      </div>
      <Log key={`${attempt.id}:${raw}`} id={attempt.id} raw={raw} />
    </section>
  )
}

function nameOf({ id, kind, name, attempt, verdict, outcome, endedAt }: Attempt): string {
  const what = kind === 'check' && name === 'contract' ? 'verification' : name
  return `${what}, attempt ${attempt}: ${endedAt === null ? 'running' : (verdict ?? outcome ?? 'over')} (${id})`
}

function useLog(
  id: string,
  raw: boolean,
): { lines: readonly string[]; state: 'open' | 'over' | 'broken'; again: () => void } {
  const [lines, setLines] = useState<readonly string[]>([])
  const [state, setState] = useState<'open' | 'over' | 'broken'>('open')
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    const source = new EventSource(`${at`/api/attempts/${id}/log`}${raw ? '?raw=1' : ''}`)
    let rest = ''
    source.addEventListener('message', ({ data }) => {
      const parts = (rest + (JSON.parse(data as string) as { text: string }).text).split('\n')
      rest = parts.pop() ?? ''
      if (parts.length > 0) setLines((before) => [...before, ...parts].slice(-linesMax))
    })
    source.addEventListener('end', () => {
      if (rest !== '') setLines((before) => [...before, rest])
      setState('over')
      source.close()
    })
    source.addEventListener('error', () => {
      setState('broken')
      source.close()
    })
    return () => source.close()
  }, [id, raw, turn])
  const again = () => {
    setLines([])
    setState('open')
    setTurn((before) => before + 1)
  }
  return { lines, state, again }
}

function Log({ id, raw }: { id: string; raw: boolean }) {
  const { lines, state, again } = useLog(id, raw)
  const [follows, setFollows] = useState(true)
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 18,
    overscan: 30,
  })
  useEffect(() => {
    if (follows && lines.length > 0) virtual.scrollToIndex(lines.length - 1, { align: 'end' })
  }, [follows, lines.length, virtual])
  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, and who has no mouse needs to reach it */}
      <div
        className="log"
        ref={scroller}
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label="Log"
        onWheel={(event) => event.deltaY < 0 && setFollows(false)}
      >
        <div className="log-all" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ key, index, start }) => (
            <div
              key={key}
              data-index={index}
              ref={virtual.measureElement}
              className="log-line"
              dir="auto"
              style={{ transform: `translateY(${start}px)` }}
            >
              <span className="log-n" aria-hidden="true">
                {index + 1}
              </span>
              <span className="log-text">{visible((lines[index] ?? '').slice(0, lineCharsMax))}</span>
            </div>
          ))}
        </div>
      </div>
      <div className="log-foot">
        <span className="muted small" role="status">
          {lines.length === 1 ? '1 line' : `${lines.length} lines`} ·{' '}
          {state === 'open' ? 'live' : state === 'over' ? 'complete' : 'interrupted, or the log is gone'}
        </span>
        {state === 'broken' ? (
          <button type="button" onClick={again}>
            Load again
          </button>
        ) : null}
        {state === 'open' ? (
          <button type="button" aria-pressed={follows} onClick={() => setFollows(!follows)}>
            {follows ? 'Pause' : 'Follow'}
          </button>
        ) : null}
      </div>
    </>
  )
}
