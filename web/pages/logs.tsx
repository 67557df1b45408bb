/** The output of runs as it arrives: one run at a time, followed until somebody scrolls up, as a timeline or raw. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { lastLineOf, setupOf } from '../api/live.ts'
import { attemptsQuery } from '../api/queries.ts'
import type { Attempt, Task } from '../api/types.ts'
import { Lines } from '../logs/lines.tsx'
import { RunChoice } from '../logs/run-choice.tsx'
import { useLog } from '../logs/stream.ts'
import { Command, Empty, Loading, ProblemNote } from '../parts/problem.tsx'
import { Text } from '../parts/text.tsx'
import { Elapsed } from '../parts/time.tsx'

export function Logs({ task, chosen }: { task: Task; chosen: string | undefined }) {
  const { data: attempts, error } = useQuery(attemptsQuery(task.id))
  const navigate = useNavigate()
  const [raw, setRaw] = useState(false)
  if (error !== null) return <ProblemNote error={error} />
  if (attempts === undefined) return <Loading what="its runs" />
  const attempt = attempts.find(({ id }) => id === chosen) ?? attempts.findLast(({ kind }) => kind !== 'action')
  if (attempt === undefined)
    return (
      <Empty title="No runs yet">
        <p>The output of its agents and checks appears here as it is printed.</p>
        <p>
          <Command>{`muster logs ${task.id} -f`}</Command>
        </p>
      </Empty>
    )
  return (
    <section className="panel log-panel" aria-label="Logs">
      <div className="log-head">
        <RunChoice
          runs={attempts.filter(({ kind }) => kind !== 'action')}
          chosen={attempt.id}
          onChoose={(id) =>
            void navigate({
              to: '/tasks/$id',
              params: { id: task.id },
              search: { tab: 'logs', attempt: id },
              replace: true,
            })
          }
        />
        <div className="either" role="group" aria-label="How to read it">
          {[false, true].map((one) => (
            <button key={String(one)} type="button" aria-pressed={raw === one} onClick={() => setRaw(one)}>
              {one ? 'Raw' : 'Timeline'}
            </button>
          ))}
        </div>
      </div>
      <Log key={`${attempt.id}:${raw}`} run={attempt} raw={raw} />
    </section>
  )
}

const STATES = { open: 'live', over: 'complete', broken: 'interrupted, or the log was removed' } as const

function Log({ run: { id, taskId, endedAt }, raw }: { run: Attempt; raw: boolean }) {
  const { entries, gone, state, again } = useLog(id, raw)
  const [follows, setFollows] = useState(true)
  // One that has only just begun had no log yet: its first line, or its end, is the sign to look again.
  const line = useSyncExternalStore(lastLineOf(taskId).subscribe, lastLineOf(taskId).get)
  const setup = useSyncExternalStore(setupOf(taskId).subscribe, setupOf(taskId).get)
  const missed = state === 'over' && entries.length === 0
  useEffect(() => {
    if (missed && line !== '') again()
  }, [line, endedAt])
  return (
    <>
      {setup === null || endedAt !== null ? null : (
        <p className="note">
          Setup, <Elapsed since={setup} />: <Text>{line.replace(/^setup: /, '').slice(0, 300)}</Text>
        </p>
      )}
      <Lines
        entries={entries}
        gone={gone}
        follow={follows}
        label="Log"
        empty={state === 'broken' ? '' : endedAt === null ? 'No output yet.' : 'No output.'}
        errors
        onScrollUp={() => setFollows(false)}
      >
        {state === 'open' ? (
          <button type="button" aria-pressed={follows} onClick={() => setFollows(!follows)}>
            {follows ? 'Pause' : 'Follow'}
          </button>
        ) : null}
      </Lines>
      <div className="log-foot">
        <span className="muted small" role="status">
          {entries.length === 1 ? '1 line' : `${entries.length.toLocaleString()} lines`} · {STATES[state]}
          {gone === 0 ? '' : ` · the first ${gone.toLocaleString()} are only in muster logs`}
        </span>
        {state === 'broken' ? (
          <button type="button" onClick={again}>
            Load again
          </button>
        ) : null}
      </div>
    </>
  )
}
