/** Light, dark, or as the system has it; kept in this browser. */
import { useState } from 'react'

const THEMES = ['system', 'light', 'dark'] as const
type Theme = (typeof THEMES)[number]
const KEY = 'muster-theme'

function stored(): Theme {
  const kept = localStorage.getItem(KEY)
  return THEMES.find((theme) => theme === kept) ?? 'system'
}

export function applyTheme(theme: Theme = stored()): void {
  document.documentElement.dataset['theme'] = theme
}

export function ThemeChoice() {
  const [theme, setTheme] = useState(stored)
  return (
    <label className="theme">
      <span className="sr-only">Theme</span>
      <select
        value={theme}
        onChange={(event) => {
          const chosen = event.target.value as Theme
          localStorage.setItem(KEY, chosen)
          applyTheme(chosen)
          setTheme(chosen)
        }}
      >
        {THEMES.map((name) => (
          <option key={name} value={name}>
            {name === 'system' ? 'System theme' : name === 'light' ? 'Light' : 'Dark'}
          </option>
        ))}
      </select>
    </label>
  )
}
