/** A Ship in progress: its phases, the output of the deploy and the validation, and the findings. */
import { Link } from '@tanstack/react-router'
import { useState, useSyncExternalStore } from 'react'
import { lastLineOf } from '../api/live.ts'
import type { Shipping, Story } from '../api/types.ts'
import { isShipping } from '../parts/story-badge.tsx'
import { RunLog } from '../parts/run-log.tsx'
import { Prose, Text } from '../parts/text.tsx'
import { Ago, duration, Elapsed } from '../parts/time.tsx'

type Work = Shipping['works'][number]
type Run = Work['runs'][number]

const WORDS: Record<string, string> = {
  verify: 'Verify the merge',
  land: 'Move the base',
  deploy: 'Deploy',
  validate: 'Validate the deployment',
  judge: 'Judge the deployment',
}
/** Those that print something; what a verification found is with its evidence. */
const LOGGED = new Set(['deploy', 'validate', 'judge'])

export function ShippingPanel({ story, ship }: { story: Story; ship: Shipping }) {
  const { works } = ship
  const last = works.findIndex(({ kind }) => kind === 'ship')
  const shipped = works[last]
  if (shipped === undefined) {
    if (!isShipping(story.state)) return null
    return (
      <section className="panel">
        <h2>Shipping</h2>
        <p className="muted">Starting…</p>
      </section>
    )
  }
  const validation = works.slice(0, last).find(({ kind }) => kind === 'validation')
  const findings = validation?.status === 'completed' ? [] : (validation?.findings ?? [])
  return (
    <section className="panel" aria-label="Shipping">
      <h2>
        {isShipping(story.state) ? 'Shipping' : 'Last Ship'}{' '}
        <span className="muted">
          · <Ago at={shipped.createdAt} />
          {story.landed === null ? null : (
            <>
              {' '}
              · <code>{story.base}</code> is at <code>{story.landed.slice(0, 7)}</code>
            </>
          )}
        </span>
      </h2>
      <ol className="ship-phases">
        {shipped.phases.map((phase) => (
          <PhaseRow key={phase} work={shipped} phase={phase} />
        ))}
        {validation === undefined || story.validated === false ? (
          <li className="ahead">
            <span aria-hidden="true">–</span>
            <span>
              {WORDS['validate']}
              {story.validated === false ? ': nothing to run' : <span className="sr-only">: not yet</span>}
            </span>
          </li>
        ) : (
          validation.phases.map((phase) => <PhaseRow key={phase} work={validation} phase={phase} />)
        )}
      </ol>
      {story.state === 'NEEDS_FIX' ? (
        <>
          <h3>What the validation found</h3>
          {findings.length === 0 ? <Prose>{story.message ?? ''}</Prose> : null}
          <ul className="ship-findings">
            {findings.map((text, index) => (
              <li key={index}>
                <span className="failure" aria-hidden="true">
                  ✗
                </span>
                <Prose>{text}</Prose>
              </li>
            ))}
          </ul>
        </>
      ) : null}
    </section>
  )
}

function took(from: string, to: string): string {
  const ms = Date.parse(to) - Date.parse(from)
  return ms < 1000 ? `${ms} ms` : duration(ms)
}

type Standing = 'past' | 'now' | 'lost' | 'ahead'
const MARK: Record<Standing, [icon: string, word: string]> = {
  past: ['✓', 'done'],
  now: ['⟳', 'under way'],
  lost: ['✗', 'it stopped here'],
  ahead: ['–', 'not yet'],
}

function standingOf(work: Work, phase: string, run: Run | undefined): Standing {
  if (work.status === 'completed') return 'past'
  // Also of one that is done with: what came of it is another task.
  if (run?.verdict === 'FAIL' || (run?.verdict === 'ERROR' && work.stage !== 'running')) return 'lost'
  if (work.phase !== phase) return run?.endedAt == null ? 'ahead' : 'past'
  if (work.stage === 'running' || work.stage === 'checking' || work.stage === 'landing') return 'now'
  return work.stage === 'pending' ? 'ahead' : 'lost'
}

function PhaseRow({ work, phase }: { work: Work; phase: string }) {
  const run = work.runs.findLast((one) => one.phase === phase)
  const is = standingOf(work, phase, run)
  const [icon, word] = MARK[is]
  const logged = LOGGED.has(phase) && run !== undefined
  // What is happening, and what went wrong, is what one came to see.
  const [chosen, setOpen] = useState<boolean | null>(null)
  const open = chosen ?? (is === 'now' || is === 'lost' || phase === 'deploy')
  return (
    <li className={is} aria-label={WORDS[phase] ?? phase}>
      <span aria-hidden="true">{icon}</span>
      <div>
        <div className="ship-phase">
          <strong>{WORDS[phase] ?? phase}</strong>
          <span className="muted small">
            {word}
            {run === undefined ? null : run.endedAt === null ? (
              <>
                , <Elapsed since={run.startedAt} />
              </>
            ) : (
              `, took ${took(run.startedAt, run.endedAt)}`
            )}
          </span>
          <span className="ship-links small">
            {logged ? (
              <button type="button" className="link" aria-expanded={open} onClick={() => setOpen(!open)}>
                {open ? 'Hide log' : 'Log'}
              </button>
            ) : null}
            {run === undefined || (phase !== 'verify' && is !== 'lost') ? null : (
              <Link className="evidence" to="/tasks/$id" params={{ id: work.id }}>
                evidence
              </Link>
            )}
          </span>
        </div>
        {is === 'now' && !logged ? <LastLine task={work.id} /> : null}
        {is === 'lost' ? (
          <p className="failure small">
            <Text>{(run?.detail ?? work.waitingFor ?? '').split('\n')[0] ?? ''}</Text>
          </p>
        ) : null}
        {logged && open ? <RunLog key={run.id} id={run.id} label={`Log: ${WORDS[phase] ?? phase}`} /> : null}
      </div>
    </li>
  )
}

function LastLine({ task }: { task: string }) {
  const line = lastLineOf(task)
  const said = useSyncExternalStore(line.subscribe, line.get)
  return said === '' ? null : (
    <p className="last-line">
      <Text>{said}</Text>
    </p>
  )
}
