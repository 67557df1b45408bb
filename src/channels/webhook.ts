/**
 * Posts notices as JSON to a URL the user configured. The key travels as `Idempotency-Key`: should a crash make Muster
 * send a notice twice, the receiver can tell. The URL may hold a secret and is never shown; the channel is named by host.
 */
import { notifyTimeoutMs } from '../domain/limits.ts'
import type { Channel } from '../ports/channel.ts'

export function webhookChannel(url: string, index: number): Channel {
  const { host } = new URL(url)
  return {
    name: `webhook-${index + 1}:${host}`,
    async send(notice, abort) {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': notice.key },
        body: JSON.stringify({ ...notice, at: new Date(notice.at).toISOString() }),
        redirect: 'error',
        signal: AbortSignal.any([abort, AbortSignal.timeout(notifyTimeoutMs)]),
      }).catch((error: unknown) => {
        // fetch puts the address into its messages; the cause alone says what went wrong.
        const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : 'no answer'
        throw new Error(`${host}: ${cause}`)
      })
      await response.body?.cancel()
      if (!response.ok) throw new Error(`${host} answered ${response.status}`)
    },
  }
}
