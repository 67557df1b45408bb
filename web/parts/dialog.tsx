/** A question to the person before something happens: what it will do, words if it needs some, and yes or no. */
import type { ReactNode } from 'react'
import { useEffect, useId, useRef, useState } from 'react'
import { ProblemNote } from './problem.tsx'

export interface Question {
  title: string
  /** What it will do. */
  body: ReactNode
  yes: string
  danger?: boolean
  /** Words that go along; undefined: none are asked for. */
  words?: { label: string; required: boolean; placeholder?: string }
  act(words: string): Promise<unknown>
}

export function Ask({ question, onClose }: { question: Question; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [words, setWords] = useState('')
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const title = useId()
  const label = useId()
  useEffect(() => dialog.current?.showModal(), [])
  const { words: asked } = question
  const ready = !busy && (asked?.required !== true || words.trim() !== '')
  const act = async () => {
    setBusy(true)
    setError(null)
    try {
      await question.act(words.trim())
      onClose()
    } catch (caught) {
      setError(caught)
      setBusy(false)
    }
  }
  return (
    <dialog ref={dialog} className="ask" aria-labelledby={title} onClose={onClose}>
      <form
        method="dialog"
        onSubmit={(event) => {
          event.preventDefault()
          if (ready) void act()
        }}
      >
        <h2 id={title}>{question.title}</h2>
        <div className="ask-body">{question.body}</div>
        {asked === undefined ? null : (
          <>
            <label htmlFor={label}>
              {asked.label}
              {asked.required ? '' : ' (optional)'}
            </label>
            <textarea
              id={label}
              rows={4}
              value={words}
              placeholder={asked.placeholder}
              required={asked.required}
              onChange={(event) => setWords(event.target.value)}
              onKeyDown={(event) => {
                if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && ready) void act()
              }}
            />
          </>
        )}
        {error === null ? null : <ProblemNote error={error} />}
        <div className="ask-buttons">
          <button type="button" onClick={onClose}>
            Not now
          </button>
          <button type="submit" className={question.danger === true ? 'danger' : 'primary'} disabled={!ready}>
            {question.yes}
          </button>
        </div>
      </form>
    </dialog>
  )
}
