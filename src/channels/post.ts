/**
 * Posts a message to an address that the user configured. The address may contain a secret, so Muster shows neither it
 * nor the answer; a channel is named after its host.
 */
import { notifyTimeoutMs } from '../domain/limits.ts'

interface Message {
  headers: Readonly<Record<string, string>>
  body: string
}

/** `type`, its place in the configuration and its host: the same after a restart. */
export function channelName(type: string, index: number, url: string): string {
  return `${type}-${index + 1}:${new URL(url).host}`
}

/** Rejects unless it was taken. Follows nobody elsewhere. */
export async function post(url: string, { headers, body }: Message, abort: AbortSignal): Promise<void> {
  const { host } = new URL(url)
  const response = await fetch(url, {
    method: 'POST',
    headers,
    body,
    redirect: 'error',
    signal: AbortSignal.any([abort, AbortSignal.timeout(notifyTimeoutMs)]),
  }).catch((error: unknown) => {
    // fetch puts the address into its messages; the cause alone says what went wrong.
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : 'no answer'
    throw new Error(`${host}: ${cause}`)
  })
  await response.body?.cancel()
  if (!response.ok) throw new Error(`${host} answered ${response.status}`)
}
