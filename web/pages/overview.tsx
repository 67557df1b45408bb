/** A task's text and its contract: each criterion with its result, before and now, and the evidence. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { excerptQuery } from '../api/queries.ts'
import type { Task } from '../api/types.ts'
import { Badge, CriterionBadge } from '../parts/badge.tsx'
import { Code, Prose, Text } from '../parts/text.tsx'
import { Plan } from './plan.tsx'
import { clock, duration } from '../parts/time.tsx'

type Result = NonNullable<Task['results']>['criteria'][number]
type Criterion = NonNullable<Task['contract']>['criteria'][number]
type Evidence = NonNullable<Result['evidence']>

export function Overview({ task }: { task: Task }) {
  const { contract, results, instructions, acceptanceCriteria, checkerReport } = task
  return (
    <>
      {checkerReport === null ? null : (
        <section className="panel">
          <h2>{checkerReport.kind === 'failed' ? 'The checker says it is not done' : 'The checker could not tell'}</h2>
          <Code label="The checker's report">{checkerReport.text}</Code>
        </section>
      )}
      {task.failureReason === null ? null : (
        <section className="panel">
          <h2>Why it failed</h2>
          <Prose>{task.failureReason}</Prose>
        </section>
      )}
      <Plan task={task} />
      <section className="panel">
        <h2>Instructions</h2>
        <Prose>{instructions === '' ? task.title : instructions}</Prose>
        {task.specRef === null ? null : (
          <p className="muted small">
            Specification: <Text>{task.specRef}</Text>
          </p>
        )}
        {acceptanceCriteria === '' ? null : (
          <>
            <h3>Acceptance criteria</h3>
            <Prose>{acceptanceCriteria}</Prose>
          </>
        )}
      </section>
      {contract === null ? (
        <section className="panel">
          <h2>Contract</h2>
          <p className="muted">Muster makes it before the task starts.</p>
        </section>
      ) : (
        <section className="panel">
          <h2>
            Contract{' '}
            <span className="muted">
              · {contract.type} · sealed {clock(contract.generatedAt)} · <code>{contract.hash.slice(0, 8)}</code>
            </span>
          </h2>
          <p className="muted small">
            <Text>{contract.why}</Text>
          </p>
          {contract.criteria.length === 0 ? (
            <p>
              It has no criteria:{' '}
              {contract.type === 'skip' ? 'there is nothing to verify.' : 'a person reads the result.'}
            </p>
          ) : (
            <table className="criteria">
              <thead>
                <tr>
                  <th scope="col">Criterion</th>
                  <th scope="col">Before</th>
                  <th scope="col">Now</th>
                  <th scope="col">Evidence</th>
                </tr>
              </thead>
              <tbody>
                {contract.criteria.map((criterion) => (
                  <CriterionRow
                    key={criterion.id}
                    task={task.id}
                    criterion={criterion}
                    result={results?.criteria.find(({ id }) => id === criterion.id)}
                    busy={task.stage === 'checking'}
                  />
                ))}
              </tbody>
            </table>
          )}
          {contract.notices.map((notice, index) => (
            <p key={index} className="note warn">
              <Text>{notice}</Text>
            </p>
          ))}
          {results === null || results.protectedPaths.length === 0 ? null : (
            <p className="note warn">
              It touches protected paths:{' '}
              <code>
                <Text>{results.protectedPaths.join(', ')}</Text>
              </code>
            </p>
          )}
        </section>
      )}
    </>
  )
}

function CriterionRow({
  task,
  criterion,
  result,
  busy,
}: {
  task: string
  criterion: Criterion
  result: Result | undefined
  busy: boolean
}) {
  const evidence = result?.evidence ?? null
  return (
    <tr>
      <th scope="row">
        <span className="mono muted">{criterion.id}</span> <Text>{criterion.description}</Text>
        <div className="small muted">
          {criterion.activity} · {criterion.kind}
          {criterion.judge === 'machine' ? '' : ` · for a ${criterion.judge}`}
        </div>
      </th>
      <td data-label="Before">
        {evidence?.base == null ? (
          <span className="muted" aria-label="not run before">
            –
          </span>
        ) : evidence.base === 'green' ? (
          <Badge tone="good" icon="✓">
            green
          </Badge>
        ) : (
          <Badge tone="bad" icon="✗">
            red
          </Badge>
        )}
      </td>
      <td data-label="Now">
        <CriterionBadge
          status={result?.status ?? (criterion.skipped === undefined ? 'pending' : 'skipped')}
          busy={busy && result === undefined && criterion.judge === 'machine'}
        />
      </td>
      <td data-label="Evidence">
        {criterion.skipped === undefined ? null : (
          <p className="small">
            <Text>{criterion.skipped}</Text>
          </p>
        )}
        {result?.error == null || result.error === criterion.skipped ? null : (
          <p className="small failure">
            <Text>{result.error}</Text>
          </p>
        )}
        {result?.note === undefined || result.note === result.error || result.note === criterion.skipped ? null : (
          <p className="small">
            <Text>{result.note}</Text>
          </p>
        )}
        {result?.warning === undefined ? null : (
          <p className="small">
            <Text>{result.warning}</Text>
          </p>
        )}
        {evidence === null ? (
          criterion.command === undefined ? null : (
            <code className="small">
              <Text>{`$ ${criterion.command}`}</Text>
            </code>
          )
        ) : (
          <EvidenceText
            task={task}
            evidence={evidence}
            failed={result?.status === 'fail' || result?.status === 'error'}
          />
        )}
      </td>
    </tr>
  )
}

function EvidenceText({ task, evidence, failed }: { task: string; evidence: Evidence; failed: boolean }) {
  const { command, exit, tree, counts, durationMs, reused, runs, vacuous, log, at, sandbox } = evidence
  const { failing, excused, flaky, unclear = [] } = evidence
  const said = [
    ...(counts === null
      ? []
      : [
          `${counts.executed} tests, ${counts.failed} failed, ${counts.skipped} skipped`,
          ...(counts.estimate === true ? ['estimated from the last lines of its output'] : []),
        ]),
    reused
      ? 'reused from an earlier run on this tree'
      : `run in ${durationMs < 1000 ? `${Math.round(durationMs)} ms` : duration(durationMs)}`,
    ...(runs > 1 ? [`${runs} times`] : []),
    ...(sandbox === null ? [] : [sandbox === 'none' ? 'no sandbox' : sandbox]),
    clock(at),
  ]
  const named = [
    ...failing.map((name) => `✗ ${name}`),
    ...excused.map((name) => `excused, already failed before the change: ${name}`),
    ...unclear.map((name) => `unclear: ${name}`),
    ...flaky.map((name) => `flaky: ${name}`),
  ]
  return (
    <>
      <p className="small">
        {said.join(' · ')}
        {vacuous ? (
          <>
            {' '}
            ·{' '}
            <Badge tone="warn" icon="△">
              already passed before the change
            </Badge>
          </>
        ) : null}
      </p>
      <Code label={`Evidence of ${command}`}>
        {[`$ ${command}   exit ${exit ?? 'none'}   tree ${tree.slice(0, 8)}`, ...named].join('\n')}
      </Code>
      {log === null ? null : <Excerpt task={task} log={log} open={failed} command={command} />}
    </>
  )
}

/** The end of what the command printed: at once where it failed, and when asked for elsewhere. */
function Excerpt({ task, log, open, command }: { task: string; log: string; open: boolean; command: string }) {
  const [shown, setShown] = useState(open)
  const { data: text, error } = useQuery({ ...excerptQuery(log), enabled: shown })
  const run = log.split('/')[0] ?? ''
  return (
    <>
      <p className="small excerpt-links">
        <button type="button" className="quiet" aria-expanded={shown} onClick={() => setShown(!shown)}>
          {shown ? '▾' : '▸'} the end of its log
        </button>{' '}
        <Link className="muted" to="/tasks/$id" params={{ id: task }} search={{ tab: 'logs', attempt: run }}>
          whole log
        </Link>
      </p>
      {!shown ? null : error !== null || text === '' ? (
        <p className="small muted">{error === null ? 'No output, or the log was removed.' : 'The log was removed.'}</p>
      ) : text === undefined ? (
        <p className="small muted">Loading…</p>
      ) : (
        <Code label={`The end of the log of ${command}`}>{lastLines(text)}</Code>
      )}
    </>
  )
}

const excerptLines = 20

function lastLines(text: string): string {
  const lines = text.trimEnd().split('\n')
  return lines.length > excerptLines ? ['…', ...lines.slice(-excerptLines)].join('\n') : lines.join('\n')
}
