/**
 * The keyboard: opens pages, moves along rows, and triggers the actions of a row. Pages mark their elements
 * (`data-row`, `data-key`); this file does not know the pages.
 */
import { useNavigate } from '@tanstack/react-router'
import { Suspense, lazy, useEffect, useRef, useState } from 'react'
import { useModal } from './dialog.tsx'
import { PLACES, goKeys, placeAt } from './places.ts'

/** Loaded when somebody asks for it. */
const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }))

const apple = /Mac|iPhone|iPad/.test(navigator.platform)
const FIND = apple ? '⌘ K' : 'Ctrl K'

const KEYS: readonly [keys: string, what: string][] = [
  [FIND, 'find a task, a story, a page or an action'],
  ...goKeys(PLACES),
  ['j  k', 'next and previous row or card'],
  ['enter', 'open it'],
  ['a', 'accept, approve or ship the selected one'],
  ['r', 'send it back'],
  ['e', 'explain: why it is here'],
  ['t', 'retry it'],
  ['1 … 6', 'the tabs of a task'],
  ['[  ]  c', 'in a diff: previous and next hunk, comment on the line'],
  ['/', 'search on the board, in a log or prompt'],
  ['?', 'this help'],
]

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

/** The row that has the focus, else the page. */
const inSight = () => document.activeElement?.closest('[data-row]') ?? document.querySelector('[data-keys]')

function press(key: string): boolean {
  const places = [document.activeElement?.closest('[data-row]'), document.querySelector('[data-keys]')]
  const buttons = places.map((place) => place?.querySelector<HTMLElement>(`[data-key="${key}"]`))
  const button = buttons.find((one) => one != null)
  button?.click()
  return button !== undefined
}

/** Why it is here: on the page itself, or where the row leads. */
function explained(): string | null {
  const why = document.querySelector<HTMLElement>('#why')
  if (why !== null) {
    why.focus()
    why.scrollIntoView({ block: 'nearest' })
    return null
  }
  const link = document.activeElement?.closest('[data-row]')?.querySelector<HTMLAnchorElement>('a[href^="/tasks/"]')
  return link == null ? null : `${link.pathname}#why`
}

export function Keys() {
  const navigate = useNavigate()
  const [help, setHelp] = useState(false)
  const [offers, setOffers] = useState<readonly HTMLElement[] | null>(null)
  const going = useRef(false)
  // One question at a time.
  const find = async () => {
    // Without a server it may not come; the page says already that there is none.
    const come = await import('./palette.tsx').catch(() => null)
    if (come === null || document.querySelector('dialog[open]') !== null) return
    setOffers([...(inSight()?.querySelectorAll<HTMLElement>('.actions button:enabled') ?? [])])
  }
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const { key, target } = event
      if ((event.ctrlKey || event.metaKey) && key.toLowerCase() === 'k') {
        event.preventDefault()
        return void find()
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(target)) return
      const place = going.current ? placeAt(key, PLACES) : undefined
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
      if (key === 'e') {
        const href = explained()
        return href === null ? undefined : void navigate({ href })
      }
      // A key that is held down means one thing, not one for each row that comes after.
      if (/^[a-z1-6]$/.test(key) && !event.repeat && press(key)) event.preventDefault()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [navigate])
  return (
    <>
      <button type="button" className="quiet" onClick={() => void find()}>
        Find <kbd>{FIND}</kbd>
      </button>
      <button type="button" className="quiet" onClick={() => setHelp(true)}>
        Keys <kbd>?</kbd>
      </button>
      {offers === null ? null : (
        <Suspense>
          <Palette offers={offers} onClose={() => setOffers(null)} />
        </Suspense>
      )}
      {help ? <Help onClose={() => setHelp(false)} /> : null}
    </>
  )
}

function Help({ onClose }: { onClose: () => void }) {
  const dialog = useModal()
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
