/** Many lines of text, of which only the visible ones are drawn, with a search: for logs and prompts. */
import { useVirtualizer } from '@tanstack/react-virtual'
import type { KeyboardEvent, ReactNode } from 'react'
import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { listEnd, type ListEnd } from '../parts/list-end.ts'
import { visible } from '../parts/text.tsx'
import type { Entry } from './search.ts'
import { firstError, isError, markedParts, matchesMax, matchesOf } from './search.ts'

/** The rest of a longer line is for a terminal. */
const shownCharsMax = 4000

type Align = ListEnd['align'] | 'center'

/** The sign in front of each kind of moment, and what it is called. */
const KINDS: Record<string, readonly [sign: string, name: string]> = {
  session: ['○', 'session'],
  text: ['', 'said'],
  'tool-started': ['▸', 'tool'],
  'tool-ended': ['↳', 'tool ended'],
  denied: ['⊘', 'denied'],
  retry: ['↻', 'trying again'],
  'rate-limit': ['⏸', 'limit'],
  usage: ['$', 'used so far'],
  notice: ['△', 'notice'],
  final: ['■', 'end'],
}

export function Lines({
  entries,
  gone = 0,
  follow,
  label,
  errors = false,
  empty = '',
  children,
  onScrollUp,
}: {
  entries: readonly Entry[]
  /** How many went before the first. */
  gone?: number
  /** Stay at the end. */
  follow: boolean
  label: string
  /** Offer the way to the first error. */
  errors?: boolean
  /** What to say when there are none. */
  empty?: string
  /** What stands beside the search. */
  children?: ReactNode
  onScrollUp?: () => void
}) {
  const scroller = useRef<HTMLDivElement>(null)
  const [wanted, setWanted] = useState('')
  const [at, setAt] = useState<number | null>(null)
  const word = useDeferredValue(wanted)
  const matches = useMemo(() => matchesOf(entries, word), [entries, word])
  const error = useMemo(() => (errors ? firstError(entries) : -1), [entries, errors])
  const virtual = useVirtualizer({
    count: entries.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 18,
    overscan: 15,
  })
  const height = virtual.getTotalSize()
  const shown = virtual.getVirtualItems()
  const sought = useRef<{ index: number; align: Align } | null>(null)
  const seek = (index: number, align: Align): void => {
    sought.current = { index, align }
    virtual.scrollToIndex(index, { align })
  }
  useEffect(() => {
    if (follow && at === null && entries.length > 0) seek(entries.length - 1, 'end')
    // Lines turn out to be higher than they were thought to be: the end moves on.
  }, [follow, at, entries, virtual, height])
  // A jump across lines whose height nobody knows yet can end short of its line: it goes on until that is drawn.
  useEffect(() => {
    if (sought.current === null) return
    const { index, align } = sought.current
    if (shown.some((line) => line.index === index)) sought.current = null
    else seek(index, align)
  })

  /** Who moves by themselves is not led on. */
  const leave = (): void => {
    sought.current = null
    virtual.cancelScroll()
    onScrollUp?.()
  }
  const onKey = (event: KeyboardEvent): void => {
    if (/^(?:PageUp|ArrowUp|Home)$/.test(event.key)) leave()
    const end = listEnd(event, entries.length)
    if (end !== null) seek(end.index, end.align)
  }
  const go = (index: number): void => {
    setAt(index)
    leave()
    seek(index, 'center')
  }
  const step = (by: 1 | -1): void => {
    // Who presses Enter means what was typed, whether it has been looked for yet or not.
    const found = word === wanted ? matches : matchesOf(entries, wanted)
    const now = at ?? (by === 1 ? -1 : entries.length)
    const next = by === 1 ? found.find((index) => index > now) : found.findLast((index) => index < now)
    const around = by === 1 ? found[0] : found.at(-1)
    const index = next ?? around
    if (index !== undefined) go(index)
  }
  const count = matches.length === matchesMax ? `${matchesMax}+` : String(matches.length)
  const place = at === null ? -1 : matches.indexOf(at)
  return (
    <>
      <div className="log-tools">
        <search>
          <input
            type="search"
            data-search
            aria-label={`Search in the ${label.toLowerCase()}`}
            placeholder="Search"
            value={wanted}
            onChange={(event) => {
              setWanted(event.target.value)
              setAt(null)
            }}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return
              event.preventDefault()
              step(event.shiftKey ? -1 : 1)
            }}
          />
          <button type="button" aria-label="Previous match" disabled={matches.length === 0} onClick={() => step(-1)}>
            ↑
          </button>
          <button type="button" aria-label="Next match" disabled={matches.length === 0} onClick={() => step(1)}>
            ↓
          </button>
          <span className="small num found" role="status">
            {word === ''
              ? ''
              : matches.length === 0
                ? 'not found'
                : `${place < 0 ? '' : `${place + 1} of `}${count} lines`}
          </span>
        </search>
        {errors ? (
          <button type="button" disabled={error < 0} onClick={() => go(error)}>
            {error < 0 ? 'No errors' : 'First error'}
          </button>
        ) : null}
        {children}
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, and who has no mouse needs to reach it */}
      <div
        className="log"
        ref={scroller}
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label={label}
        onWheel={(event) => event.deltaY < 0 && leave()}
        onPointerDown={leave}
        onKeyDown={onKey}
      >
        {entries.length === 0 && empty !== '' ? <p className="muted log-empty">{empty}</p> : null}
        <div className="log-all" style={{ height }}>
          {shown.map(({ key, index, start }) => (
            <div
              key={key}
              data-index={index}
              ref={virtual.measureElement}
              className={`log-line ${index === at ? 'at' : ''}`}
              style={{ transform: `translateY(${start}px)` }}
            >
              <span className="log-n" aria-hidden="true">
                {gone + index + 1}
              </span>
              <LineText entry={entries[index] ?? { kind: 'output', text: '' }} word={word} errors={errors} />
            </div>
          ))}
        </div>
      </div>
    </>
  )
}

function LineText({ entry, word, errors }: { entry: Entry; word: string; errors: boolean }) {
  const { kind, text } = entry
  const more = text.length - shownCharsMax
  const [sign, name] = KINDS[kind] ?? ['', '']
  const start = text.slice(0, shownCharsMax)
  const shown = visible(name === '' ? start : start.replace(/^(?:▸| +)\s*/, ''))
  return (
    <span className={`log-text kind-${kind} ${errors && isError(entry) ? 'bad' : ''}`} dir="auto">
      {name === '' ? null : (
        <>
          <span className="log-sign" aria-hidden="true" title={name}>
            {sign}
          </span>
          <span className="sr-only">{name}: </span>
        </>
      )}
      {markedParts(shown, word).map((part, index) => (part.hit ? <mark key={index}>{part.text}</mark> : part.text))}
      {more > 0 ? <span className="muted"> … {more.toLocaleString()} more characters</span> : null}
    </span>
  )
}
