/**
 * Loads parts of the board on demand. If a part cannot be loaded, because there is no server or a newer one, a note
 * appears in its place, and the page reloads as soon as Muster answers again.
 */
import type { ComponentType } from 'react'
import { useEffect, useSyncExternalStore } from 'react'
import { connection } from '../api/live.ts'

/** What a part exports by this name, or what stands in for it. For `lazy` and its like. */
export function part<P = object>(load: () => Promise<object>, name: string) {
  return async () => {
    const loaded = (await load().catch(() => ({ [name]: Missing }))) as Record<string, ComponentType<P>>
    return { default: loaded[name] as ComponentType<P> }
  }
}

const KEY = 'muster-loaded-anew'
/** If it did not help, doing it again at once would not either. */
const againMs = 10_000

function Missing() {
  const now = useSyncExternalStore(connection.subscribe, connection.get)
  useEffect(() => {
    if (now !== 'live' || Date.now() - Number(sessionStorage.getItem(KEY)) < againMs) return
    sessionStorage.setItem(KEY, String(Date.now()))
    location.reload()
  }, [now])
  return (
    <div className="note bad" role="alert">
      <strong>This part of the board could not be loaded</strong>
      <p>Muster did not answer, or it was updated. The page reloads when it answers again.</p>
      <button type="button" onClick={() => location.reload()}>
        Reload now
      </button>
    </div>
  )
}
