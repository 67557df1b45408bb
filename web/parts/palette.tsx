/**
 * The palette: finds tasks and stories by a few letters, and offers pages, themes and the actions of the current task.
 * The keyboard is enough for everything. It shows only a few results, however many tasks there are.
 */
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useRouter } from '@tanstack/react-router'
import type { KeyboardEvent } from 'react'
import { useDeferredValue, useMemo, useState } from 'react'
import { linesQuery, storiesQuery } from '../api/queries.ts'
import '../styles/palette.css'
import { useModal } from './dialog.tsx'
import type { Entry } from './find.ts'
import { findIn } from './find.ts'
import { PLACES } from './places.ts'
import { Text, visible } from './text.tsx'
import { THEMES, chooseTheme, themeName } from './theme.tsx'

const shownMax = 12

interface Item extends Entry {
  id: string
  kind: 'Do' | 'Page' | 'Task' | 'Story' | 'Theme'
  name: string
  /** Its key, or its id. */
  hint: string
  act(): void
}

/** `offers`: the buttons of what was in sight when it was opened. */
export function Palette({ offers, onClose }: { offers: readonly HTMLElement[]; onClose: () => void }) {
  const dialog = useModal()
  const [query, setQuery] = useState('')
  const [at, setAt] = useState(0)
  const asked = useDeferredValue(query)
  const items = useItems(offers)
  const shown = useMemo(() => findIn(asked, items, shownMax), [asked, items])
  const chosen = Math.min(at, shown.length - 1)
  const choose = (item: Item | undefined) => {
    if (item === undefined) return
    // First gone: what is done may ask something of its own.
    dialog.current?.close()
    onClose()
    item.act()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 }
    const step = steps[event.key]
    if (step !== undefined && shown.length > 0) setAt((chosen + step + shown.length) % shown.length)
    else if (event.key === 'Enter') choose(shown[chosen])
    // At once: who opens it again right away means a new one.
    else if (event.key === 'Escape') onClose()
    else return
    event.preventDefault()
  }
  return (
    <dialog ref={dialog} className="palette" aria-label="Find and do" onClose={onClose}>
      <input
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- it was opened to be typed into
        autoFocus
        role="combobox"
        aria-label="Task, story, page or action"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-autocomplete="list"
        aria-activedescendant={shown.length === 0 ? undefined : `palette-${chosen}`}
        placeholder="Task, story, page or action"
        autoComplete="off"
        spellCheck={false}
        value={query}
        onChange={(event) => {
          setQuery(event.target.value)
          setAt(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div id="palette-list" role="listbox" aria-label="Results">
        {shown.map((item, index) => (
          // Keys belong to the field above, as in every list of its kind.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
          <div
            key={item.id}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === chosen}
            className={index === chosen ? 'on' : ''}
            onMouseMove={() => setAt(index)}
            onClick={() => choose(item)}
          >
            <span className="palette-kind muted">{item.kind}</span>
            <span className="cut">
              <Text>{item.name}</Text>
            </span>
            <span className="muted mono cut">{visible(item.hint)}</span>
          </div>
        ))}
      </div>
      <p className="muted small" role="status">
        {shown.length === 0 ? 'No results. Try fewer letters.' : <Foot />}
      </p>
    </dialog>
  )
}

function Foot() {
  return (
    <span className="palette-keys">
      <kbd>↑</kbd> <kbd>↓</kbd> choose <kbd>enter</kbd> open <kbd>esc</kbd> close
    </span>
  )
}

function useItems(offers: readonly HTMLElement[]): Item[] {
  const navigate = useNavigate()
  const { routesByPath } = useRouter()
  const lines = useQuery(linesQuery).data
  const stories = useQuery(storiesQuery).data
  return useMemo(() => {
    const go = (to: string, search: object = {}) => void navigate({ to, search })
    const item = (kind: Item['kind'], id: string, name: string, hint: string, act: () => void): Item => ({
      id: `${kind} ${id}`,
      kind,
      name,
      hint,
      act,
      text: `${hint} ${name} ${kind}`.toLowerCase(),
    })
    const storyPage = '/stories/$id' in routesByPath
    return [
      ...offers.map((button, index) =>
        item('Do', String(index), button.textContent ?? '', button.dataset['key'] ?? '', () => button.click()),
      ),
      ...PLACES.flatMap(({ name, to, key }) =>
        to in routesByPath ? [item('Page', to, name, `g ${key}`, () => go(to))] : [],
      ),
      ...THEMES.map((theme) => item('Theme', theme, themeName(theme), '', () => chooseTheme(theme))),
      ...(stories ?? []).map(({ id, name }) =>
        item('Story', id, name, id, () =>
          storyPage ? go(`/stories/${encodeURIComponent(id)}`) : go('/board', { story: id }),
        ),
      ),
      ...[...(lines?.values() ?? [])].map(({ id, title }) =>
        item('Task', id, title, id, () => go(`/tasks/${encodeURIComponent(id)}`)),
      ),
    ]
  }, [offers, lines, stories, navigate, routesByPath])
}
