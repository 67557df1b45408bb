/**
 * How a browser comes in: a link with a key that works once and not for long gives its page a session, which the page keeps
 * to itself and sends with each request. A cookie would go to every port of this machine, to a page that an agent serves
 * there too. It is signed with the token, so that a page that was left open goes on after a restart; removing the token's
 * file ends it.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock, Random } from '../../ports/clock.ts'
import { linkMs, linksMax, sessionMs } from './limits.ts'

export interface Sessions {
  /** A new key for a link. */
  key(): string
  /** The session that a key is good for, once; null if it is not. */
  open(key: string): string | null
  /** Whether it is one of ours, and not too old. */
  knows(session: string): boolean
}

export function sessionsOf(port: number, token: string, clock: Clock, random: Random): Sessions {
  const keys = new Map<string, number>()
  const signed = (words: string): string => createHmac('sha256', token).update(`session ${port} ${words}`).digest('hex')
  return {
    key() {
      for (const [old, until] of keys) if (until <= clock.now() || keys.size >= linksMax) keys.delete(old)
      const key = random.nonce() + random.nonce()
      keys.set(key, clock.now() + linkMs)
      return key
    },
    open(key) {
      const until = keys.get(key)
      keys.delete(key)
      if (until === undefined || until <= clock.now()) return null
      const words = `${clock.now() + sessionMs}.${random.nonce()}`
      return `${words}.${signed(words)}`
    },
    knows(session) {
      const [, words = '', until, given = ''] = /^((\d{1,15})\.[0-9a-f]{1,64})\.([0-9a-f]{64})$/.exec(session) ?? []
      if (!timingSafeEqual(Buffer.from(signed(words)), Buffer.from(given.padEnd(64)))) return false
      return Number(until) > clock.now()
    },
  }
}
