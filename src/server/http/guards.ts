/**
 * Who may send requests: checks first the host name, then the origin, then the token, or a session that a link of ours
 * gave to the board's page. A page in the user's browser can send requests to loopback, and so can an agent, but
 * neither knows a token or session, and no browser sends them by itself.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { MusterError } from '../../domain/errors.ts'
import { HttpError } from './problems.ts'
import type { Sessions } from './sessions.ts'

/** On every answer, whatever it is. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
}

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]']

interface Asker {
  host: string | undefined
  origin: string | undefined
  authorization: string | undefined
}

export interface Guard {
  /** Throws unless the request reached us by a name of ours, from nowhere else in a browser. */
  place(asker: Asker): void
  /** Which it has of the token and a session of ours; throws if neither. */
  token(asker: Asker): 'board' | 'token'
}

interface Place {
  host: string
  port: number
  /** What the server may be called beside its loopback addresses; there the port is a proxy's business. */
  names: readonly string[]
  token: string
  sessions: Pick<Sessions, 'knows'>
}

export function guardOf({ host: bound, port, names, token, sessions }: Place): Guard {
  const loopback = isLoopback(bound) && !bound.includes(':') ? [...LOOPBACK, bound.toLowerCase()] : LOOPBACK
  const own = new Set(loopback.map((name) => `${name}:${port}`))
  const isOurs = (host: string): boolean =>
    own.has(host.toLowerCase()) || names.includes(host.toLowerCase().replace(/:\d{1,5}$/, ''))
  const wanted = digest(token)
  return {
    place({ host = '', origin }) {
      if (!isOurs(host)) {
        throw new MusterError('not_allowed', 'the request was sent to a host name that this server does not have', {
          hint: 'use the address that muster serve prints, or add the name to serve.allowHosts in muster.yaml',
        })
      }
      if (origin === undefined) return
      const from = /^(https?):\/\/(.+)$/.exec(origin)
      // A proxy in front of a configured name may speak TLS; loopback does not.
      const same =
        from?.[2]?.toLowerCase() === host.toLowerCase() && (from[1] === 'http' || !own.has(host.toLowerCase()))
      if (same) return
      throw new MusterError('not_allowed', 'the request comes from a page of another origin', {
        hint: 'only pages of this server may send requests',
      })
    },
    token({ authorization = '' }) {
      const given = /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
      if (given !== undefined && timingSafeEqual(digest(given), wanted)) return 'token'
      const session = given === undefined ? null : sessions.knows(given)
      if (session !== null) return session
      const what = given === undefined ? 'the request has no token' : "the token is not this server's"
      throw new HttpError(
        'unauthorized',
        what,
        'send "Authorization: Bearer <token>"; muster serve prints the file that holds it.\nIn a browser, open the link that muster serve prints',
        {
          'WWW-Authenticate': 'Bearer realm="muster"',
        },
      )
    },
  }
}

/** Of equal length whatever was sent, so that comparing takes the same time. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** Whether only this machine can reach a server that listens there. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i.test(host)
}
