/** A question to the person before something happens: what it will do, a text field if needed, and yes or no. */
import { useRouterState } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useEffect, useId, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react'
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
  /** What had the focus: a button that was out of order for a moment has lost it. */
  from?: Element | null
}

/** A dialog that is open as long as it is there. Closed, and not only gone, it gives the focus back to where it was. */
export function useModal(from: Element | null = null) {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const shown = dialog.current
    shown?.showModal()
    return () => {
      shown?.close()
      const { activeElement: now, body } = document
      if ((now === body || shown?.contains(now)) && from instanceof HTMLElement) from.focus()
    }
  }, [from])
  return dialog
}

let open: Question | null = null
/** What was written and not sent yet: one key, or a step elsewhere, must not lose it. By question, as long as the page is there. */
const unsent = new Map<string, string>()
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
  return question === null ? null : <Ask question={question} onClose={() => open === question && ask(null)} />
}

export function Ask({ question, onClose }: { question: Question; onClose: () => void }) {
  const dialog = useModal(question.from)
  const yes = useRef<HTMLButtonElement>(null)
  const [words, setWords] = useState(() => unsent.get(question.title) ?? '')
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const title = useId()
  const label = useId()
  const { words: asked, danger = false } = question
  useEffect(() => {
    // Where there is nothing to write, the answer is next: by the keyboard as well.
    if (asked === undefined && !danger) yes.current?.focus()
  }, [asked, danger])
  const ready = !busy && (asked?.required !== true || words.trim() !== '')
  const act = async () => {
    setBusy(true)
    setError(null)
    try {
      await question.act(words.trim())
      unsent.delete(question.title)
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
              onChange={(event) => {
                setWords(event.target.value)
                unsent.set(question.title, event.target.value)
              }}
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
