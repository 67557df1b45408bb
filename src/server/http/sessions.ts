/**
 * How a browser comes in: a link with a key that works once and not for long gives it a cookie. The cookie is signed with
 * the token, so that a page that was left open goes on after a restart; removing the token's file ends it.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock, Random } from '../../ports/clock.ts'
import { linkMs, linksMax, sessionMs } from './limits.ts'

export interface Sessions {
  /** A new key for a link. */
  key(): string
  /** The cookie that a key is good for, once; null if it is not. */
  open(key: string): string | null
  /** Whether a `Cookie` header has a session of ours. */
  knows(header: string): boolean
}

/** Cookies know no ports: two servers on one machine would take each other's. */
const nameAt = (port: number): string => `muster-${port}`

export function sessionsOf(port: number, token: string, clock: Clock, random: Random): Sessions {
  const keys = new Map<string, number>()
  const name = nameAt(port)
  const signed = (session: string): string => createHmac('sha256', token).update(`session ${session}`).digest('hex')
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
      const session = `${clock.now() + sessionMs}.${random.nonce()}`
      return `${name}=${session}.${signed(session)}; Path=/; HttpOnly; SameSite=Strict`
    },
    knows(header) {
      const ours = header.split(/; */).filter((pair) => pair.startsWith(`${name}=`))
      return ours.some((pair) => {
        const [, session = '', until, given = ''] =
          /^((\d{1,15})\.[0-9a-f]{1,64})\.([0-9a-f]{64})$/.exec(pair.slice(name.length + 1)) ?? []
        if (!timingSafeEqual(Buffer.from(signed(session)), Buffer.from(given.padEnd(64)))) return false
        return Number(until) > clock.now()
      })
    },
  }
}
