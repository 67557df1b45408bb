/** Whether a diff is shown in one column or two; stored in this browser. Narrow screens have room for only one. */
import type { ReactNode } from 'react'
import { useState, useSyncExternalStore } from 'react'
import type { View } from './rows.ts'

const KEY = 'muster-diff-view'
const wide = window.matchMedia('(min-width: 900px)')

function watchWidth(listener: () => void): () => void {
  wide.addEventListener('change', listener)
  return () => wide.removeEventListener('change', listener)
}

export function useView(): { view: View; choice: ReactNode } {
  const [chosen, setChosen] = useState<View>(() => (localStorage.getItem(KEY) === 'split' ? 'split' : 'unified'))
  const isWide = useSyncExternalStore(watchWidth, () => wide.matches)
  const choose = (view: View) => () => {
    localStorage.setItem(KEY, view)
    setChosen(view)
  }
  const choice = isWide ? (
    <div className="either" role="group" aria-label="View">
      {(['unified', 'split'] as const).map((view) => (
        <button key={view} type="button" aria-pressed={chosen === view} onClick={choose(view)}>
          {view === 'unified' ? 'Unified' : 'Split'}
        </button>
      ))}
    </div>
  ) : null
  return { view: isWide ? chosen : 'unified', choice }
}
