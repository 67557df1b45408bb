/** States as badges: an icon, a word and a colour together, never only a colour. */
import type { Card, CriterionStatus, Need, Stage, Task } from '../api/types.ts'
import { visible } from './text.tsx'

export type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'plain'

export function Badge({
  tone,
  icon,
  children,
  title,
}: {
  tone: Tone
  icon?: string
  children: string
  title?: string
}) {
  return (
    <span className={`badge ${tone}`} title={title}>
      {icon === undefined ? null : <span aria-hidden="true">{icon} </span>}
      {children}
    </span>
  )
}

const STAGES: Record<Stage, { tone: Tone; icon: string; word: string }> = {
  pending: { tone: 'plain', icon: '·', word: 'Pending' },
  blocked: { tone: 'plain', icon: '‖', word: 'Blocked' },
  running: { tone: 'busy', icon: '▸', word: 'Running' },
  checking: { tone: 'busy', icon: '⟳', word: 'Checking…' },
  review: { tone: 'warn', icon: '?', word: 'Review' },
  landing: { tone: 'busy', icon: '↓', word: 'Landing' },
  completed: { tone: 'good', icon: '✓', word: 'Completed' },
  failed: { tone: 'bad', icon: '✗', word: 'Failed' },
  cancelled: { tone: 'plain', icon: '–', word: 'Cancelled' },
}

export function StageBadge({ stage }: { stage: Stage }) {
  const { tone, icon, word } = STAGES[stage]
  return (
    <Badge tone={tone} icon={icon}>
      {word}
    </Badge>
  )
}

/** What the checker said: a failure, an error of its own and warnings are three different things. */
export function CheckerBadge({ status, live }: { status: Card['checker']; live: boolean }) {
  if (status === 'failed')
    return (
      <Badge tone="bad" icon="⚠">
        Checker failed
      </Badge>
    )
  if (status === 'error')
    return (
      <Badge tone="warn" icon="!">
        Checker error
      </Badge>
    )
  // How many warnings it had is said beside it.
  if (status === 'passed' || status === 'warned')
    return (
      <Badge tone="good" icon="✓">
        Checked
      </Badge>
    )
  if ((status === 'running' || status === 'pending') && live)
    return (
      <Badge tone="busy" icon="⟳">
        Checking…
      </Badge>
    )
  return null
}

const CRITERIA: Record<CriterionStatus, { tone: Tone; icon: string; word: string }> = {
  pass: { tone: 'good', icon: '✓', word: 'passed' },
  excused: { tone: 'warn', icon: '≈', word: 'excused' },
  fail: { tone: 'bad', icon: '✗', word: 'failed' },
  error: { tone: 'warn', icon: '!', word: 'unclear' },
  skipped: { tone: 'plain', icon: '–', word: 'skipped' },
  deferred: { tone: 'plain', icon: '»', word: 'deferred' },
  pending: { tone: 'plain', icon: '–', word: 'unanswered' },
  waived: { tone: 'warn', icon: '~', word: 'waived' },
}

export function CriterionBadge({
  status,
  name,
  busy = false,
}: {
  status: CriterionStatus
  name?: string
  busy?: boolean
}) {
  const running = busy && status === 'pending'
  const { tone, icon, word } = running ? { tone: 'busy' as const, icon: '⟳', word: 'being run' } : CRITERIA[status]
  return (
    <span className={`badge ${tone}`} title={word}>
      <span aria-hidden="true">{icon} </span>
      {name === undefined ? word : visible(name)}
      {name === undefined ? null : <span className="sr-only"> {word}</span>}
    </span>
  )
}

const NEEDS: Record<Need['kind'], { tone: Tone; icon: string; word: string }> = {
  review: { tone: 'warn', icon: '?', word: 'Review' },
  plan: { tone: 'warn', icon: '✎', word: 'Plan' },
  'checker-failed': { tone: 'bad', icon: '⚠', word: 'Checker failed' },
  'checker-error': { tone: 'warn', icon: '!', word: 'Checker error' },
  held: { tone: 'warn', icon: '‖', word: 'Held' },
  protected: { tone: 'warn', icon: '§', word: 'Protected paths' },
  advisory: { tone: 'warn', icon: 'i', word: 'Advisory' },
  budget: { tone: 'bad', icon: '$', word: 'Budget' },
  landing: { tone: 'warn', icon: '↓', word: 'Landing' },
  draft: { tone: 'busy', icon: '✎', word: 'Draft' },
  failed: { tone: 'bad', icon: '✗', word: 'Failed' },
  ship: { tone: 'good', icon: '✓', word: 'Shippable' },
  fix: { tone: 'bad', icon: '✗', word: 'Needs fix' },
  deploy: { tone: 'warn', icon: '?', word: 'Deploy' },
  deferred: { tone: 'bad', icon: '✗', word: 'Deferred criteria' },
  deadlock: { tone: 'bad', icon: '⊘', word: 'Deadlock' },
  push: { tone: 'warn', icon: '↑', word: 'Not pushed' },
  limit: { tone: 'plain', icon: '◷', word: 'Limit' },
  paused: { tone: 'plain', icon: '‖', word: 'Paused' },
}

export function NeedBadge({ kind }: { kind: Need['kind'] }) {
  const { tone, icon, word } = NEEDS[kind]
  return (
    <Badge tone={tone} icon={icon}>
      {word}
    </Badge>
  )
}

/** What stays visible of a task after everything is over. */
export function Marks({
  checker,
  warnings,
  overruled,
  live,
}: {
  checker: Task['checker']['status']
  warnings: number
  overruled: string | null
  live: boolean
}) {
  return (
    <>
      {overruled === null ? (
        <CheckerBadge status={checker} live={live} />
      ) : (
        <Badge tone="warn" icon="~" title={visible(overruled)}>
          Overruled
        </Badge>
      )}
      {warnings === 0 ? null : (
        <Badge tone="warn" icon="△">
          {warnings === 1 ? '1 warning' : `${warnings} warnings`}
        </Badge>
      )}
    </>
  )
}
