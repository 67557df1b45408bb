/** A question to the person before something happens: what it will do, words if it needs some, and yes or no. */
import { useRouterState } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useEffect, useId, useRef, useState, useSyncExternalStore } from 'react'
import { ProblemNote } from './problem.tsx'
import { Text } from './text.tsx'

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

let open: Question | null = null
const listeners = new Set<() => void>()

/**
 * Asks on whatever page there is: the question stays when what it is about moves on, so that a yes that comes too late is
 * answered and does not vanish.
 */
export function ask(question: Question | null): void {
  open = question
  for (const tell of listeners) tell()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export function AskHost() {
  const question = useSyncExternalStore(subscribe, () => open)
  const href = useRouterState({ select: ({ location }) => location.href })
  // Who goes elsewhere has answered.
  useEffect(() => () => ask(null), [href])
  return question === null ? null : <Ask question={question} onClose={() => ask(null)} />
}

export function Ask({ question, onClose }: { question: Question; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const yes = useRef<HTMLButtonElement>(null)
  const [words, setWords] = useState('')
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const title = useId()
  const label = useId()
  const { words: asked, danger = false } = question
  useEffect(() => {
    dialog.current?.showModal()
    // Where there is nothing to write, the answer is next: by the keyboard as well.
    if (asked === undefined && !danger) yes.current?.focus()
  }, [asked, danger])
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
        <h2 id={title}>
          <Text>{question.title}</Text>
        </h2>
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
          <button ref={yes} type="submit" className={danger ? 'danger' : 'primary'} disabled={!ready}>
            {question.yes}
          </button>
        </div>
      </form>
    </dialog>
  )
}
