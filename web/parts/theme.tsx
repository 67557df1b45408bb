/** The theme: light, dark, or the system's; stored in this browser. */
import { useSyncExternalStore } from 'react'

export const THEMES = ['system', 'light', 'dark'] as const
type Theme = (typeof THEMES)[number]
const KEY = 'muster-theme'
const listeners = new Set<() => void>()

function stored(): Theme {
  const kept = localStorage.getItem(KEY)
  return THEMES.find((theme) => theme === kept) ?? 'system'
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const themeName = (theme: Theme): string =>
  theme === 'system' ? 'System theme' : theme === 'light' ? 'Light' : 'Dark'

export function applyTheme(theme: Theme = stored()): void {
  document.documentElement.dataset['theme'] = theme
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme)
  applyTheme(theme)
  for (const tell of listeners) tell()
}

export function ThemeChoice() {
  const theme = useSyncExternalStore(subscribe, stored)
  return (
    <label className="theme">
      <span className="sr-only">Theme</span>
      <select value={theme} onChange={(event) => chooseTheme(event.target.value as Theme)}>
        {THEMES.map((name) => (
          <option key={name} value={name}>
            {themeName(name)}
          </option>
        ))}
      </select>
    </label>
  )
}
