/** Findings by round, latest first: who made each, about what, with which evidence, and whether it recurs. */
import { Link } from '@tanstack/react-router'
import type { Finding, Task } from '../api/types.ts'
import { Badge } from '../parts/badge.tsx'
import { Empty } from '../parts/problem.tsx'
import { Prose, Text } from '../parts/text.tsx'

const REPLAY = {
  same: 'Muster ran it again: same result',
  different: 'Muster ran it again: different result',
  ran: 'Muster ran it',
  'not-run': 'not run again',
} as const

/** Sources that nobody would know by their names. */
const SOURCES: Record<string, string> = {
  contract: 'verification',
  acceptance: 'a person, at acceptance',
  'human-approval': 'a person, at review',
}

export function Findings({ task: { id, findings, remarks } }: { task: Task }) {
  const all = [...findings, ...remarks]
  if (all.length === 0) {
    return (
      <Empty title="Nothing was found">
        <p>
          What a check, a checker or you find wrong with the work is listed here by round, and goes into the author’s
          next prompt.
        </p>
      </Empty>
    )
  }
  const rounds = [...Map.groupBy(all, ({ round }) => round)].sort(([a], [b]) => b - a)
  return rounds.map(([round, found]) => (
    <section key={round} className="panel">
      <h2>
        Round {round} <span className="muted">· {found.length === 1 ? '1 finding' : `${found.length} findings`}</span>
      </h2>
      <ul className="findings">
        {found.map((finding, index) => (
          <FindingRow key={index} task={id} finding={finding} />
        ))}
      </ul>
    </section>
  ))
}

function FindingRow({ task, finding }: { task: string; finding: Finding }) {
  const { severity, message, source, criterion, file, line, command, replay, since } = finding
  const place = file === undefined ? null : `${file}${line === undefined ? '' : `:${line}`}`
  const facts = [
    <Text key="source">{SOURCES[source] ?? source}</Text>,
    ...(criterion === undefined ? [] : [<Text key="criterion">{`criterion ${criterion}`}</Text>]),
    ...(place === null
      ? []
      : [
          <Link key="place" className="mono" to="/tasks/$id" params={{ id: task }} search={{ tab: 'diff' }}>
            <Text>{place}</Text>
          </Link>,
        ]),
    ...(command === undefined
      ? []
      : [
          <code key="command">
            <Text>{`$ ${command}`}</Text>
          </code>,
        ]),
    ...(replay === undefined ? [] : [<span key="replay">{REPLAY[replay]}</span>]),
  ]
  return (
    <li>
      <Badge tone={severity === 'FAIL' ? 'bad' : 'warn'} icon={severity === 'FAIL' ? '✗' : '△'}>
        {severity}
      </Badge>
      <div>
        <Prose>{message}</Prose>
        <p className="small muted facts-row">{facts}</p>
      </div>
      {since === undefined ? <span /> : <Badge tone="warn" icon="↻">{`recurring since round ${since}`}</Badge>}
    </li>
  )
}
