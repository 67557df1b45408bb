/** What Ship will do: what must be true first, each with its evidence, and then the steps, with the exact commits. */
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Shipping, Story } from '../api/types.ts'
import type { Tone } from './badge.tsx'
import { Text } from './text.tsx'
import { Ago, duration } from './time.tsx'

export const short = (commit: string): string => commit.slice(0, 7)

function Commit({ of }: { of: string | null }) {
  return <code title={of ?? undefined}>{of === null ? 'gone' : short(of)}</code>
}

export function ShipPlan({ story, ship }: { story: Story; ship: Shipping }) {
  return (
    <ul className="ship-plan">
      <Tasks story={story} ship={ship} />
      <Deferred ship={ship} />
      <Merge story={story} ship={ship} />
      <Steps story={story} ship={ship} />
    </ul>
  )
}

const MARKS = {
  yes: { tone: 'good', icon: '✓', word: 'met' },
  no: { tone: 'bad', icon: '✗', word: 'not met' },
  soon: { tone: 'plain', icon: '–', word: 'not yet' },
  busy: { tone: 'busy', icon: '⟳', word: 'under way' },
} satisfies Record<string, { tone: Tone; icon: string; word: string }>

function Condition({ is, children }: { is: keyof typeof MARKS; children: ReactNode }) {
  const { tone, icon, word } = MARKS[is]
  return (
    <li>
      <span className={`badge ${tone}`}>
        <span aria-hidden="true">{icon}</span>
        <span className="sr-only">{word}:</span>
      </span>
      <span>{children}</span>
    </li>
  )
}

function Evidence({ task, children = 'evidence' }: { task: string; children?: string }) {
  return (
    <Link className="evidence" to="/tasks/$id" params={{ id: task }}>
      {children}
    </Link>
  )
}

function Tasks({ story, ship }: { story: Story; ship: Shipping }) {
  const { open, completed, failed, cancelled } = ship.tasks
  const is = failed > 0 ? 'no' : open > 0 ? 'busy' : completed > 0 ? 'yes' : 'soon'
  const also = [...(failed > 0 ? [`${failed} failed`] : []), ...(cancelled > 0 ? [`${cancelled} cancelled`] : [])]
  return (
    <Condition is={is}>
      {completed} of {open + completed + failed} top-level tasks completed
      {also.length === 0 ? '' : `, ${also.join(', ')}`} —{' '}
      <Link
        className="evidence"
        to="/stories/$id"
        params={{ id: story.id }}
        hash="tasks"
        activeOptions={{ includeHash: true }}
      >
        the tasks
      </Link>
    </Condition>
  )
}

function Deferred({ ship: { deferred } }: { ship: Shipping }) {
  const { open, criteria, work, at } = deferred
  const red = criteria.filter(({ status }) => status === 'fail' || status === 'error').length
  const when = at === null ? null : <Ago at={at} />
  const link = work === null ? null : <Evidence task={work} />
  if (criteria.length === 0) return <Condition is="yes">No deferred criteria</Condition>
  if (!open)
    return (
      <Condition is="yes">
        No deferred criterion is open ({criteria.length} ran {when}) — {link}
      </Condition>
    )
  return (
    <Condition is={red > 0 ? 'no' : 'busy'}>
      {red > 0 ? `${red} of ${criteria.length}` : criteria.length} deferred{' '}
      {criteria.length === 1 ? 'criterion' : 'criteria'}{' '}
      {red > 0 ? 'not met on the story as a whole' : 'to be run on the story as a whole'}
      {link === null ? null : <> — {link}</>}
    </Condition>
  )
}

function Merge({ story, ship }: { story: Story; ship: Shipping }) {
  const { head, base, baseMoved, merge, landed } = ship
  const both = (
    <>
      <Commit of={head} /> merged with <code>{story.base}</code>@<Commit of={base} />
    </>
  )
  if (landed !== null)
    return (
      <Condition is="yes">
        <Commit of={landed} /> is already on <code>{story.base}</code>
        {merge === null ? null : (
          <>
            , verified — <Evidence task={merge.work} />
          </>
        )}
      </Condition>
    )
  if (merge?.current === true) {
    const what = [...(merge.tests === 0 ? [] : [`${merge.tests} tests`]), ...merge.activities]
    return (
      <Condition is="yes">
        {both} verified{what.length === 0 ? '' : ': '}
        <Text>{what.join(', ')}</Text> — <Evidence task={merge.work} />
      </Condition>
    )
  }
  if (ship.sync !== null)
    return (
      <Condition is="no">
        Story and <code>{story.base}</code> do not merge cleanly —{' '}
        <Evidence task={ship.sync}>the task that merges them</Evidence>
        {merge === null ? null : (
          <>
            {' '}
            · <Evidence task={merge.work}>what failed</Evidence>
          </>
        )}
      </Condition>
    )
  if (head !== null && head === base)
    return (
      <Condition is="soon">
        <code>{story.branch}</code> has no commits yet that <code>{story.base}</code> lacks
      </Condition>
    )
  return (
    <Condition is="soon">
      {both}: Muster verifies this first.{' '}
      <span className="muted">
        {baseMoved ? `${story.base} has changed since the story started` : `${story.base} has not changed since`}
      </span>
    </Condition>
  )
}

function Step({ n, children }: { n: number; children: ReactNode }) {
  return (
    <li>
      <span className="badge plain">{n}</span>
      <span>{children}</span>
    </li>
  )
}

const limit = ({ timeoutMs }: { timeoutMs: number }): string => `${duration(timeoutMs).replace(/ 00[sm]$/, '')} limit`

function Steps({ story, ship }: { story: Story; ship: Shipping }) {
  const { head, base, deploy, postDeploy, judged, landed } = ship
  const steps: ReactNode[] = [
    ...(landed !== null
      ? []
      : [
          <>
            Verify every machine criterion of its tasks on the merge of{' '}
            {head === base ? 'the story' : <Commit of={head} />} and <code>{story.base}</code>@<Commit of={base} />
          </>,
          <>
            Move <code>{story.base}</code> to that merge (only if <code>{story.base}</code> is still{' '}
            <Commit of={base} />; if not, Muster verifies the new merge first)
          </>,
        ]),
    deploy === null ? (
      <>
        Nothing to deploy: <code>muster.yaml</code> has no <code>deploy</code>
      </>
    ) : (
      <>
        Run{' '}
        <code>
          <Text>{deploy.run}</Text>
        </code>{' '}
        from <code>{story.base}</code>, {limit(deploy)}
      </>
    ),
    <>
      Validate the deployment:{' '}
      {postDeploy === null ? null : (
        <>
          <code>
            <Text>{postDeploy.run}</Text>
          </code>
          , {limit(postDeploy)};{' '}
        </>
      )}
      the criteria about the running system{judged ? '; and the post-deploy agent' : ''}
    </>,
  ]
  return steps.map((step, index) => (
    <Step key={index} n={index + 1}>
      {step}
    </Step>
  ))
}
