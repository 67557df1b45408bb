/**
 * The session of this page, which it got for the key in its link. It is stored where only pages of this exact origin,
 * port included, can read it, and is sent in a header. No browser sends it by itself, to another server on this
 * machine.
 */
const NAME = 'muster-session'

/** Takes the key out of the address once it was asked about. A page without one may have been let in before. */
export async function enter(): Promise<void> {
  const key = new URLSearchParams(location.hash.slice(1)).get('key')
  if (key === null) return
  const headers = { 'Content-Type': 'application/json' }
  const answer = await fetch('/api/session', { method: 'POST', headers, body: JSON.stringify({ key }) })
  history.replaceState(null, '', location.pathname + location.search)
  if (answer.ok) localStorage.setItem(NAME, ((await answer.json()) as { session: string }).session)
}

/** Headers for a request. */
export function credentials(): Record<string, string> {
  const session = localStorage.getItem(NAME)
  return session === null ? {} : { Authorization: `Bearer ${session}` }
}
