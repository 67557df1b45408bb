/** The rows of a diff, of which only the visible ones are drawn, and the keys that move along them. */
import { useVirtualizer } from '@tanstack/react-virtual'
import type { KeyboardEvent, ReactNode } from 'react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { listEnd } from '../parts/list-end.ts'
import { Text } from '../parts/text.tsx'
import type { PatchFile } from './patch.ts'
import type { Place, Row } from './rows.ts'
import { placeKey, placeOf } from './rows.ts'

const SIZES: Record<Row['type'], number> = { file: 34, note: 30, hunk: 24, line: 20, talk: 90 }

const ids = new WeakMap<object, number>()
let lastId = 0

function idOf(thing: object): number {
  const id = ids.get(thing) ?? (lastId += 1)
  ids.set(thing, id)
  return id
}

/** The same as long as it is about the same line, wherever it has moved to. */
function keyOf(row: Row): string {
  if (row.type === 'line') return `l${idOf(row.right ?? row.left ?? row)}`
  if (row.type === 'talk') return `t${placeKey(row.place)}`
  if (row.type === 'note') return `n${idOf(row.file)}${row.text}`
  return row.type === 'hunk' ? `h${idOf(row.hunk)}` : `f${idOf(row.file)}`
}

const isStop = (row: Row | undefined): boolean => row?.type === 'line' || row?.type === 'file'

/** A jump: to the top of a file, or to a line with the focus. Each is a new object. */
export type Jump = { file: PatchFile } | { place: Place }

export function DiffList({
  rows,
  jump,
  draw,
  onComment,
  onToggle,
}: {
  rows: readonly Row[]
  jump: Jump | null
  draw(row: Row): ReactNode
  onComment(row: Row, place: Place): void
  onToggle(file: PatchFile): void
}) {
  const scroller = useRef<HTMLDivElement>(null)
  const [active, setActive] = useState<string | null>(null)
  const wanted = useRef<{ row: string; from: Element | null } | null>(null)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => SIZES[rows[index]?.type ?? 'line'],
    getItemKey: useMemo(() => (index: number) => keyOf(rows[index] as Row), [rows]),
    overscan: 12,
  })
  const at = useMemo(() => (active === null ? -1 : rows.findIndex((row) => keyOf(row) === active)), [rows, active])

  const go = (index: number): void => {
    const row = rows[index]
    if (row === undefined) return
    wanted.current = { row: keyOf(row), from: document.activeElement }
    setActive(wanted.current.row)
    virtual.scrollToIndex(index, { align: 'auto' })
    arrive()
  }
  /** The row may be drawn only after the list has moved there; by then the person may have gone elsewhere. */
  const arrive = (): void => {
    if (wanted.current === null) return
    const { row, from } = wanted.current
    const found = scroller.current?.querySelector<HTMLElement>(`[data-at="${CSS.escape(row)}"]`)
    if (found == null) return
    wanted.current = null
    if ([from, document.body].includes(document.activeElement)) found.focus({ preventScroll: true })
  }
  useEffect(arrive)
  useEffect(() => {
    if (jump === null) return
    if ('place' in jump) {
      const wanted = placeKey(jump.place)
      return go(
        rows.findIndex(
          (row) =>
            row.type === 'line' &&
            [row.left, row.right].some((line) => {
              const place = placeOf(row.file, line)
              return place !== null && placeKey(place) === wanted
            }),
        ),
      )
    }
    const index = rows.findIndex((row) => row.type === 'file' && row.file === jump.file)
    if (index >= 0) virtual.scrollToIndex(index, { align: 'start' })
    // Only a new jump moves the list, not what else changes in it.
  }, [jump])

  const next = (from: number, by: 1 | -1, fits: (row: Row | undefined) => boolean): number => {
    let index = from + by
    while (index >= 0 && index < rows.length && !fits(rows[index])) index += by
    return index >= 0 && index < rows.length ? index : from
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const { key, target } = event
    if (event.ctrlKey || event.metaKey || event.altKey || (target as HTMLElement).closest('textarea, button') !== null)
      return
    const end = listEnd(event, rows.length)
    if (end !== null) return virtual.scrollToIndex(end.index, { align: end.align })
    const row = rows[at]
    const start = at >= 0 ? at : (virtual.range?.startIndex ?? 0) - 1
    const here = row?.type === 'line' ? placeOf(row.file, row.right ?? row.left) : null
    if (key === 'j' || key === 'ArrowDown') go(next(start, 1, isStop))
    else if (key === 'k' || key === 'ArrowUp') go(next(Math.max(start, 0), -1, isStop))
    else if (key === ']')
      go(
        next(
          next(start, 1, (one) => one?.type === 'hunk'),
          1,
          isStop,
        ),
      )
    else if (key === '[') {
      const own = next(start, -1, (one) => one?.type === 'hunk')
      go(
        next(
          next(own, -1, (one) => one?.type === 'hunk'),
          1,
          isStop,
        ),
      )
    } else if (key === 'c' && row !== undefined && here !== null) onComment(row, here)
    else if (key === 'Enter' && row?.type === 'file') onToggle(row.file)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const inSight = rows[virtual.range?.startIndex ?? 0]?.file
  return (
    <div className="diff-list">
      <div className="diff-now cut" aria-hidden="true">
        {inSight === undefined ? null : <Text>{inSight.path}</Text>}
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, and who has no mouse needs to reach it */}
      <div
        className="diff-rows"
        ref={scroller}
        role="list"
        aria-label="Changed lines"
        tabIndex={0}
        onKeyDown={onKeyDown}
      >
        <div className="log-all" role="presentation" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ key, index, start }) => {
            const row = rows[index] as Row
            const stop = isStop(row)
            return (
              <div
                key={key}
                data-index={index}
                data-at={stop ? keyOf(row) : undefined}
                data-row={stop ? '' : undefined}
                tabIndex={stop ? -1 : undefined}
                ref={virtual.measureElement}
                role="listitem"
                className={`diff-row is-${row.type}`}
                style={{ transform: `translateY(${start}px)` }}
                onFocus={stop ? () => setActive(keyOf(row)) : undefined}
              >
                {draw(row)}
              </div>
            )
          })}
        </div>
      </div>
    </div>
  )
}
