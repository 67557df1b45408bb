/** Ends a story: cancel it, or hide it from lists. */
import { useState } from 'react'
import { at, post } from '../api/client.ts'
import { storiesQuery } from '../api/queries.ts'
import { renew } from '../api/renew.ts'
import type { Story } from '../api/types.ts'
import { ask } from './dialog.tsx'
import { ProblemNote } from './problem.tsx'
import { isShipping } from './story-badge.tsx'

export function StoryEnd({ story: { id, name, state, tasks, archived } }: { story: Story }) {
  const [error, setError] = useState<unknown>(null)
  if (isShipping(state)) return null
  const open = tasks['not-started'] + tasks['in-progress']
  const over = state === 'CANCELLED' || state === 'REVIEW_READY'
  const cancel = () =>
    ask({
      title: `Cancel the story “${name}”?`,
      body: <p>All its open tasks are cancelled, and their workers are stopped. Its branch stays.</p>,
      words: { label: 'Why', required: false },
      yes: 'Cancel the story',
      danger: true,
      act: async (reason) => {
        await post('Story', at`/api/stories/${id}/cancel`, reason === '' ? {} : { reason })
        await renew(storiesQuery.queryKey)
      },
      from: document.activeElement,
    })
  const file = async () => {
    setError(null)
    try {
      await post('Story', archived ? at`/api/stories/${id}/unarchive` : at`/api/stories/${id}/archive`)
      await renew(storiesQuery.queryKey)
    } catch (caught) {
      setError(caught)
    }
  }
  return (
    <div className="actions">
      {over ? null : (
        <button type="button" onClick={cancel}>
          Cancel story…
        </button>
      )}
      {open > 0 && !archived ? null : (
        <button type="button" onClick={() => void file()}>
          {archived ? 'Show in lists again' : 'Archive'}
        </button>
      )}
      {error === null ? null : <ProblemNote error={error} />}
    </div>
  )
}
