/** The prompts of a task's agents, word for word: authors, the checker and other judges. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { ProblemError } from '../api/client.ts'
import { attemptsQuery, promptQuery } from '../api/queries.ts'
import type { Task } from '../api/types.ts'
import { Lines } from '../logs/lines.tsx'
import { RunChoice } from '../logs/run-choice.tsx'
import { CopyButton } from '../parts/copy.tsx'
import { Empty, Loading, ProblemNote } from '../parts/problem.tsx'

export function Prompts({ task, chosen }: { task: Task; chosen: string | undefined }) {
  const { data: attempts, error } = useQuery(attemptsQuery(task.id))
  const navigate = useNavigate()
  if (error !== null) return <ProblemNote error={error} />
  if (attempts === undefined) return <Loading what="its runs" />
  const runs = attempts.filter(({ kind }) => kind === 'agent')
  const run = runs.find(({ id }) => id === chosen) ?? runs.at(-1)
  if (run === undefined)
    return (
      <Empty title="No prompts yet">
        <p>The full prompts of its author and its judges appear here as soon as a run starts.</p>
      </Empty>
    )
  return (
    <section className="panel log-panel" aria-label="Prompts">
      <div className="log-head">
        <RunChoice
          runs={runs}
          chosen={run.id}
          onChoose={(id) =>
            void navigate({
              to: '/tasks/$id',
              params: { id: task.id },
              search: { tab: 'prompts', attempt: id },
              replace: true,
            })
          }
        />
      </div>
      <Prompt key={run.id} run={run.id} begun={run.endedAt === null} />
    </section>
  )
}

function Prompt({ run, begun }: { run: string; begun: boolean }) {
  const { data: text, error, refetch } = useQuery(promptQuery(run, begun))
  const entries = useMemo(() => (text ?? '').split('\n').map((line) => ({ kind: 'output', text: line })), [text])
  if (error instanceof ProblemError && error.problem.code === 'not_found')
    return (
      <Empty title="This prompt was removed">
        <p>
          Muster removed it because of its age, or the run never reached its agent. <code>retention</code> in
          muster.yaml says for how long.
        </p>
      </Empty>
    )
  if (error !== null) return <ProblemNote error={error} onRetry={() => void refetch()} />
  if (text === undefined) return <Loading what="the prompt" />
  return (
    <Lines entries={entries} follow={false} label="Prompt">
      <CopyButton text={text} />
    </Lines>
  )
}
