/** One of a task's runs, by attempt: its author's, its verification's, its judges'. */
import type { Attempt } from '../api/types.ts'
import { visible } from '../parts/text.tsx'
import { clock } from '../parts/time.tsx'

export function RunChoice({
  runs,
  chosen,
  onChoose,
}: {
  runs: readonly Attempt[]
  chosen: string
  onChoose(id: string): void
}) {
  const attempts = [...Map.groupBy(runs, ({ attempt }) => attempt)].sort(([a], [b]) => b - a)
  return (
    <select aria-label="Run" value={chosen} onChange={(event) => onChoose(event.target.value)}>
      {attempts.map(([attempt, of]) => (
        <optgroup key={attempt} label={`Attempt ${attempt}`}>
          {of.map((run) => (
            <option key={run.id} value={run.id}>
              {nameOf(run)}
            </option>
          ))}
        </optgroup>
      ))}
    </select>
  )
}

export function nameOf({ kind, name, verdict, outcome, endedAt, startedAt, attempt }: Attempt): string {
  const what = kind === 'check' ? (name === 'contract' ? 'verification' : `check ${name}`) : name
  return `${visible(what)}, attempt ${attempt}: ${endedAt === null ? 'running' : (verdict ?? outcome ?? 'over')} · ${clock(startedAt)}`
}
