/** Findings by round, the latest first: who said it, about what, on what it rests, and whether it was said before. */
import type { Finding, Task } from '../api/types.ts'
import { Badge } from '../parts/badge.tsx'
import { Empty } from '../parts/problem.tsx'
import { Prose, Text } from '../parts/text.tsx'

const REPLAY = {
  same: 'Muster ran it again: the same',
  different: 'Muster ran it again: otherwise',
  ran: 'Muster ran it',
  'not-run': 'not run again',
} as const

const same = (a: Finding, b: Finding): boolean => a.message === b.message && a.file === b.file

export function Findings({ task: { findings, warnings } }: { task: Task }) {
  if (findings.length === 0 && warnings.length === 0) {
    return (
      <Empty title="Nothing was found">
        <p>
          What a check, a checker or you have against the work is listed here by round, and goes to the author’s next
          prompt.
        </p>
      </Empty>
    )
  }
  const rounds = [...Map.groupBy(findings, ({ round }) => round)].sort(([a], [b]) => b - a)
  return (
    <>
      {rounds.map(([round, found]) => (
        <section key={round} className="panel">
          <h2>Round {round}</h2>
          <ul className="findings">
            {found.map((finding, index) => {
              const earlier = [
                ...new Set(
                  findings.filter((other) => other.round < round && same(finding, other)).map((other) => other.round),
                ),
              ]
              return (
                <li key={index}>
                  <Badge tone="bad" icon="✗">
                    FAIL
                  </Badge>
                  <div>
                    <Prose>{finding.message}</Prose>
                    <p className="small muted">
                      <Text>{finding.source}</Text>
                      {finding.criterion === undefined ? null : (
                        <>
                          {' '}
                          · criterion <span className="mono">{finding.criterion}</span>
                        </>
                      )}
                      {finding.file === undefined ? null : (
                        <>
                          {' '}
                          ·{' '}
                          <code>
                            <Text>{`${finding.file}${finding.line === undefined ? '' : `:${finding.line}`}`}</Text>
                          </code>
                        </>
                      )}
                      {finding.command === undefined ? null : (
                        <>
                          {' '}
                          ·{' '}
                          <code>
                            <Text>{`$ ${finding.command}`}</Text>
                          </code>
                        </>
                      )}
                      {finding.replay === undefined ? null : ` · ${REPLAY[finding.replay]}`}
                    </p>
                  </div>
                  {earlier.length === 0 ? (
                    <span />
                  ) : (
                    <Badge tone="warn" icon="↻">{`recurs: round ${[...earlier, round].join(', ')}`}</Badge>
                  )}
                </li>
              )
            })}
          </ul>
        </section>
      ))}
      {warnings.length === 0 ? null : (
        <section className="panel">
          <h2>Warnings</h2>
          <ul className="findings">
            {warnings.map((warning, index) => (
              <li key={index}>
                <Badge tone="warn" icon="△">
                  WARN
                </Badge>
                <Prose>{warning}</Prose>
                <span />
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}
