/** The plan of a task, and its earlier versions. An agent wrote them, so they are shown as text without markup. */
import type { Task } from '../api/types.ts'
import { Code, Text } from '../parts/text.tsx'
import { Ago } from '../parts/time.tsx'

type PlanOfTask = Task['plans'][number]

export function Plan({ task: { plans } }: { task: Task }) {
  const newest = plans.at(-1)
  if (newest === undefined) return null
  return (
    <section className="panel" aria-label="Plan">
      <h2>
        Plan{' '}
        <span className="muted">
          · {newest.approvedBy === null ? 'not approved' : <Text>{`approved by ${newest.approvedBy}`}</Text>} ·{' '}
          <Written plan={newest} />
        </span>
      </h2>
      <Code label="The plan">{newest.text}</Code>
      {plans
        .slice(0, -1)
        .toReversed()
        .map((plan) => (
          <details key={plan.run}>
            <summary>
              Earlier version · <Written plan={plan} />
            </summary>
            <Code label={`The plan of ${plan.run}`}>{plan.text}</Code>
          </details>
        ))}
    </section>
  )
}

function Written({ plan: { run, digest, writtenAt } }: { plan: PlanOfTask }) {
  return (
    <>
      <code>{run}</code>, <code>{digest.slice(0, 12)}</code>, <Ago at={writtenAt} />
    </>
  )
}
