/** Times in words. The whole page shares one clock, which stops while the page is hidden. */
import { useSyncExternalStore } from 'react'

const tickMs = 1000
const listeners = new Set<() => void>()
let now = Date.now()
let timer: number | undefined

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  now = Date.now()
  timer ??= window.setInterval(() => {
    if (document.hidden) return
    now = Date.now()
    for (const tell of listeners) tell()
  }, tickMs)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

const useNow = (): number => useSyncExternalStore(subscribe, () => now)

export function duration(ms: number): string {
  const s = Math.max(0, Math.floor(ms / 1000))
  if (s < 60) return `${s}s`
  if (s < 3600) return `${Math.floor(s / 60)}m ${String(s % 60).padStart(2, '0')}s`
  if (s < 86_400) return `${Math.floor(s / 3600)}h ${String(Math.floor((s % 3600) / 60)).padStart(2, '0')}m`
  return `${Math.floor(s / 86_400)}d ${Math.floor((s % 86_400) / 3600)}h`
}

/** How long something has been under way. */
export function Elapsed({ since }: { since: string }) {
  return <span className="num">{duration(useNow() - Date.parse(since))}</span>
}

/** When it was, roughly; exactly when pointed at. */
export function Ago({ at }: { at: string }) {
  const ms = useNow() - Date.parse(at)
  const said = ms < 60_000 ? 'just now' : `${duration(ms).split(' ')[0] ?? ''} ago`
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()}>
      {said}
    </time>
  )
}

export const clock = (at: string): string => new Date(at).toLocaleTimeString([], { hour12: false })

export function money(usd: number | null): string | null {
  if (usd === null || usd === 0) return null
  return usd < 0.01 ? '<$0.01' : `$${usd.toFixed(2)}`
}
