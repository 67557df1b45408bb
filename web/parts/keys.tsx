/**
 * The keyboard: going places, moving along rows, and doing what a row offers. Pages mark what they have (`data-row`,
 * `data-key`); nothing here knows of them.
 */
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'

const KEYS: readonly [keys: string, what: string][] = [
  ['g n', 'Needs you'],
  ['g b', 'Board'],
  ['g i', 'Insights'],
  ['j  k', 'next and previous row or card'],
  ['enter', 'open it'],
  ['a', 'accept, approve or ship what is chosen'],
  ['r', 'send it back'],
  ['t', 'retry it'],
  ['/', 'search on the board'],
  ['?', 'this help'],
]

const PLACES: Record<string, string> = { n: '/', b: '/board', i: '/insights' }

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select, dialog, [contenteditable]') !== null
}

function move(by: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')]
  const now = rows.findIndex((row) => row.contains(document.activeElement))
  const next = rows[now === -1 ? 0 : Math.min(rows.length - 1, Math.max(0, now + by))]
  next?.focus()
  next?.scrollIntoView({ block: 'nearest' })
}

/** In the row that has the focus, else on the page. */
function press(key: string): boolean {
  const chosen = document.activeElement?.closest('[data-row]') ?? document.querySelector('[data-keys]')
  const button = chosen?.querySelector<HTMLElement>(`[data-key="${key}"]`)
  button?.click()
  return button !== null && button !== undefined
}

export function Keys() {
  const navigate = useNavigate()
  const [help, setHelp] = useState(false)
  const going = useRef(false)
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const { key, target } = event
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(target)) return
      const place = going.current ? PLACES[key] : undefined
      going.current = key === 'g'
      if (place !== undefined) return void navigate({ to: place })
      if (key === 'j' || key === 'k') return move(key === 'j' ? 1 : -1)
      if (key === '?') return setHelp(true)
      if (key === '/') {
        const search = document.querySelector<HTMLElement>('[data-search]')
        search?.focus()
        if (search !== null) event.preventDefault()
        return
      }
      if (key === 'Enter' && target instanceof HTMLElement && target.matches('[data-row]')) {
        target.querySelector<HTMLElement>('a')?.click()
        return
      }
      if (/^[art]$/.test(key) && press(key)) event.preventDefault()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [navigate])
  return (
    <>
      <button type="button" className="quiet" onClick={() => setHelp(true)}>
        Keys <kbd>?</kbd>
      </button>
      {help ? <Help onClose={() => setHelp(false)} /> : null}
    </>
  )
}

function Help({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} className="ask" aria-labelledby="keys-title" onClose={onClose}>
      <h2 id="keys-title">Keys</h2>
      <dl className="keys">
        {KEYS.map(([keys, what]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <div className="ask-buttons">
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </dialog>
  )
}
