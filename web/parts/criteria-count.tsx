/** How many of a task's criteria passed, and the results of the others. Only plainly passed ones are green. */
import type { Card } from '../api/types.ts'
import { Badge } from './badge.tsx'

/** What is neither passed nor failed, in words of its own. */
const OTHERS = ['excused', 'waived', 'deferred', 'pending'] as const
const WORDS = { excused: 'excused', waived: 'waived', deferred: 'deferred', pending: 'unanswered' } as const

export function CriteriaCount({ criteria, over }: { criteria: Card['criteria']; over: boolean }) {
  const asked = criteria.filter(({ status }) => status !== 'skipped')
  if (asked.length === 0) return <span className="muted">none</span>
  const count = (...some: Card['criteria'][number]['status'][]) =>
    asked.filter(({ status }) => some.includes(status)).length
  const [passed, red] = [count('pass'), count('fail', 'error')]
  const rest = OTHERS.filter((status) => count(status) > 0 && (over || status !== 'pending'))
  const tone = red > 0 ? 'bad' : passed === asked.length ? 'good' : over ? 'warn' : 'plain'
  const icon = { bad: '✗', good: '✓', warn: '~', plain: '–' }[tone]
  return (
    <>
      <Badge tone={tone} icon={icon}>{`${passed} of ${asked.length}`}</Badge>
      {rest.length === 0 ? null : (
        <span className="muted small"> {rest.map((status) => `${count(status)} ${WORDS[status]}`).join(', ')}</span>
      )}
    </>
  )
}
