/**
 * How a browser gets in: a link with a key that works once and for a short time gives its page a session, which the
 * page keeps and sends with each request. A cookie would go to every port of this machine, also to a page that an agent
 * serves. The session is signed with the token, so an open page survives a restart, and removing the token's file ends
 * it. If agents run without a sandbox, only a session whose link a person's terminal asked for can decide, until the
 * server ends.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock, Random } from '../../ports/clock.ts'
import { linkMs, linksMax, sessionMs } from './limits.ts'

/** Until when, something random, signed with the token and, for a person's, with what only this process knows. */
const SESSION = /^((\d{1,15})\.[0-9a-f]{1,64})\.([0-9a-f]{64})(?:\.([0-9a-f]{64}))?$/

export interface Sessions {
  /** A new key for a link; `person`: a person's terminal asked for it. */
  key(person: boolean): string
  /** The session that a key is good for, once; null if it is not. */
  open(key: string): string | null
  /** What it is, if it is one of ours and not too old: `token` is worth no more than the token that it is signed with. */
  knows(session: string): 'board' | 'token' | null
}

export function sessionsOf(port: number, token: string, clock: Clock, random: Random): Sessions {
  const keys = new Map<string, { until: number; person: boolean }>()
  // In memory only: who can read the token can sign with it.
  const persons = random.nonce() + random.nonce()
  const signed = (secret: string, words: string): string =>
    createHmac('sha256', secret).update(`session ${port} ${words}`).digest('hex')
  const isSigned = (secret: string, words: string, given: string): boolean =>
    timingSafeEqual(Buffer.from(signed(secret, words)), Buffer.from(given.padEnd(64)))
  return {
    key(person) {
      for (const [old, { until }] of keys) if (until <= clock.now() || keys.size >= linksMax) keys.delete(old)
      const key = random.nonce() + random.nonce()
      keys.set(key, { until: clock.now() + linkMs, person })
      return key
    },
    open(key) {
      const found = keys.get(key)
      keys.delete(key)
      if (found === undefined || found.until <= clock.now()) return null
      const words = `${clock.now() + sessionMs}.${random.nonce()}`
      const session = `${words}.${signed(token, words)}`
      return found.person ? `${session}.${signed(persons, words)}` : session
    },
    knows(session) {
      const [, words = '', until, given = '', person = ''] = SESSION.exec(session) ?? []
      if (!isSigned(token, words, given) || Number(until) <= clock.now()) return null
      return isSigned(persons, words, person) ? 'board' : 'token'
    },
  }
}
