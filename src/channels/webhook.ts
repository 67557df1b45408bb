/**
 * Posts notices as JSON. The key is sent as `Idempotency-Key`, so that the receiver can recognise a notice that Muster
 * sent twice after a crash. With a secret, a signature over time and body shows that Muster sent it, and when.
 */
import { createHmac } from 'node:crypto'
import type { Channel } from '../ports/channel.ts'
import type { ChannelKind, ChannelParts } from './kind.ts'
import { channelName, post } from './post.ts'

export const webhook: ChannelKind = {
  type: 'webhook',
  address: true,
  secret: {
    key: 'secretEnv',
    about: 'of a webhook: the variable with the secret that signs it',
    elsewhere: 'has secretEnv, which signs a webhook',
  },
  open,
}

function open({ url, index, on, secret, clock }: ChannelParts): Channel {
  return {
    name: channelName('webhook', index, url),
    on,
    paced: true,
    async send(notice, abort) {
      const body = JSON.stringify({ ...notice, at: new Date(notice.at).toISOString() })
      const headers: Record<string, string> = {
        'content-type': 'application/json',
        'idempotency-key': ascii(notice.key),
      }
      if (secret !== null) headers['muster-signature'] = signature(secret, Math.floor(clock.now() / 1000), body)
      await post(url, { headers, body }, abort)
    },
  }
}

/** As a header can hold it; keys have the names of phases in them. */
function ascii(text: string): string {
  return text.toWellFormed().replace(/[^\x21-\x7E]/gu, encodeURIComponent)
}

/** docs/notifications.md says how it is verified. */
function signature(secret: string, seconds: number, body: string): string {
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`
}
