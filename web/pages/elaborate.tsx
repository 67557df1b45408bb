/** The page for a new goal; an agent then drafts a story on its own page. */
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { post } from '../api/client.ts'
import { useTitle } from '../parts/layout.tsx'
import { Command, ProblemNote } from '../parts/problem.tsx'
import { stored } from '../parts/stored.ts'

/** What was typed outlives a reload. */
const kept = stored<string>('muster-goal')

export function ElaboratePage() {
  useTitle('New story')
  const navigate = useNavigate()
  const [goal, setGoal] = useState(() => kept.get() ?? '')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const ready = !busy && goal.trim() !== ''
  const send = async () => {
    setBusy(true)
    setError(null)
    try {
      const { id } = await post('Draft', '/api/stories/elaborate', { goal: goal.trim() })
      kept.set(null)
      await navigate({ to: '/elaborate/$id', params: { id } })
    } catch (caught) {
      setError(caught)
      setBusy(false)
    }
  }
  return (
    <>
      <header className="page-head">
        <h1>New story from a goal</h1>
      </header>
      <form
        className="panel goal"
        onSubmit={(event) => {
          event.preventDefault()
          if (ready) void send()
        }}
      >
        <label htmlFor="goal">What do you want to achieve?</label>
        <textarea
          id="goal"
          rows={6}
          value={goal}
          placeholder="Customers can export their invoices as CSV, with totals per month."
          onChange={(event) => {
            setGoal(event.target.value)
            kept.set(event.target.value)
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && ready) void send()
          }}
        />
        <p className="muted">
          An agent reads the repository and drafts tasks with acceptance criteria. Nothing starts before you have read
          them, changed what you like, and approved.
        </p>
        {error === null ? null : <ProblemNote error={error} />}
        <div className="ask-buttons">
          <span className="muted small">
            In a terminal: <Command>muster elaborate "…"</Command>
          </span>
          <button type="submit" className="primary" disabled={!ready}>
            Draft it
          </button>
        </div>
      </form>
    </>
  )
}
