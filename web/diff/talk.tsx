/** The comments on a line: existing ones, each to edit or remove, and the one that is being written. */
import { useEffect, useId, useRef } from 'react'
import { Prose, Text, visible } from '../parts/text.tsx'
import type { DraftComment } from './drafts.ts'
import { commentCharsMax } from './drafts.ts'

export interface Writing {
  /** Of the comment that is changed; null: a new one. */
  id: string | null
  text: string
}

export function Talk({
  where,
  comments,
  writing,
  onText,
  onSave,
  onCancel,
  onEdit,
  onRemove,
}: {
  where: string
  comments: readonly DraftComment[]
  writing: Writing | null
  onText(text: string): void
  onSave(): void
  onCancel(): void
  onEdit(comment: DraftComment): void
  onRemove(comment: DraftComment): void
}) {
  return (
    <div className="talk">
      {comments.map((comment) =>
        comment.id === writing?.id ? null : (
          <div key={comment.id} className="said">
            <Prose>{comment.message}</Prose>
            <div className="said-buttons">
              <span className="muted small">not sent yet</span>
              <button
                type="button"
                onClick={() => onEdit(comment)}
                aria-label={`Edit the comment on ${visible(where)}`}
              >
                Edit
              </button>
              <button
                type="button"
                onClick={() => onRemove(comment)}
                aria-label={`Remove the comment on ${visible(where)}`}
              >
                Remove
              </button>
            </div>
          </div>
        ),
      )}
      {writing === null ? null : (
        <Editor where={where} writing={writing} onText={onText} onSave={onSave} onCancel={onCancel} />
      )}
    </div>
  )
}

function Editor({
  where,
  writing: { id, text },
  onText,
  onSave,
  onCancel,
}: {
  where: string
  writing: Writing
  onText(text: string): void
  onSave(): void
  onCancel(): void
}) {
  const area = useRef<HTMLTextAreaElement>(null)
  const label = useId()
  useEffect(() => {
    area.current?.focus()
    area.current?.setSelectionRange(text.length, text.length)
    // Only when it opens: after that the person is at home in it.
  }, [])
  const ready = text.trim() !== ''
  return (
    <form
      className="said writing"
      onSubmit={(event) => {
        event.preventDefault()
        if (ready) onSave()
      }}
    >
      <label htmlFor={label} className="small">
        Comment on <Text>{where}</Text>
      </label>
      <textarea
        ref={area}
        id={label}
        rows={3}
        value={text}
        maxLength={commentCharsMax}
        onChange={(event) => onText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && ready) onSave()
          // What was written is not lost by one key.
          if (event.key === 'Escape' && !ready) onCancel()
        }}
      />
      <div className="said-buttons">
        <span className="muted small">
          <kbd>ctrl enter</kbd> keeps it; it is sent with <em>Send back</em>
        </span>
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
        <button type="submit" className="primary" disabled={!ready}>
          {id === null ? 'Add comment' : 'Keep'}
        </button>
      </div>
    </form>
  )
}
