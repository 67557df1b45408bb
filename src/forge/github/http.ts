/**
 * Requests to GitHub's API: one at a time if they change something, with ETags so that unchanged answers cost nothing,
 * and none at all while GitHub asks to wait. The token is read from the environment for each request; it appears in no
 * message and is never stored.
 */
import type { HttpParts, Said } from './said.ts'
import { MusterError } from '../../domain/errors.ts'
import {
  answerBytesMax,
  limitMs,
  limitMsMax,
  pageItems,
  pagesMax,
  rememberedMax,
  requestMs,
  troubleMs,
  troubleMsMax,
} from './limits.ts'
import { refusal } from './refusals.ts'

interface RequestOptions {
  body?: object
  /** Statuses that are answers, beside those of success. */
  ok?: readonly number[]
}

export class GitHubHttp {
  readonly #parts: HttpParts
  readonly #remembered = new Map<string, { tag: string; body: unknown }>()
  /** What changes something goes one after the other, as GitHub asks for. */
  #changing: Promise<unknown> = Promise.resolve()
  /** Nothing is asked before this time, and why. */
  #pause: { until: number; why: string } | null = null
  #troubles = 0

  constructor(parts: HttpParts) {
    this.#parts = parts
  }

  /** `path`: what comes behind the repository's own address. */
  ask(method: 'GET' | 'POST' | 'PUT' | 'PATCH', path: string, asked: RequestOptions = {}): Promise<Said> {
    return this.#send(method, path, asked)
  }

  /** All pages of a list. `items`: where in an answer they are. */
  async all<T>(path: string, items: (body: unknown) => T[] = (body) => body as T[]): Promise<T[]> {
    const found: T[] = []
    for (let page = 1; page <= pagesMax; page++) {
      const join = path.includes('?') ? '&' : '?'
      const { body } = await this.ask('GET', `${path}${join}per_page=${pageItems}&page=${page}`)
      const some = items(body)
      found.push(...some)
      // A shorter page is the last one, whatever a link says: nobody is led to another address.
      if (some.length < pageItems) return found
    }
    throw new MusterError('busy', `GitHub lists more than ${pageItems * pagesMax} items at ${path}`)
  }

  async graphql(query: string, variables: object): Promise<unknown> {
    const { apiUrl } = this.#parts
    // An Enterprise server has it beside its REST API.
    const url = apiUrl.endsWith('/api/v3') ? `${apiUrl.slice(0, -'/v3'.length)}/graphql` : `${apiUrl}/graphql`
    const said = await this.#send('POST', url, { body: { query, variables } })
    const { data = null, errors = [] } = said.body as { data?: unknown; errors?: { message: string }[] }
    if (errors.length === 0) return data
    throw new MusterError('not_allowed', `GitHub refuses: ${errors.map(({ message }) => message).join('; ')}`, {
      hint: 'the token needs "Pull requests: write", or the scope repo',
    })
  }

  /** What keeps it from asking now, or null. */
  #paused(): MusterError | null {
    const { clock } = this.#parts
    const left = (this.#pause?.until ?? 0) - clock.steady()
    if (this.#pause === null || left <= 0) return null
    const again = new Date(clock.now() + left).toISOString()
    return new MusterError('busy', `GitHub does not answer now: ${this.#pause.why}. Muster asks again at ${again}`)
  }

  #send(method: string, path: string, asked: RequestOptions): Promise<Said> {
    if (method === 'GET') return this.#sendNow(method, path, asked)
    const turn = this.#changing.then(() => this.#sendNow(method, path, asked))
    this.#changing = turn.catch(() => undefined)
    return turn
  }

  async #sendNow(method: string, path: string, { body, ok = [] }: RequestOptions): Promise<Said> {
    const paused = this.#paused()
    if (paused !== null) throw paused
    const { apiUrl, repository, over } = this.#parts
    const url = /^https?:/.test(path) ? path : `${apiUrl}/repos/${repository}${path}`
    const known = method === 'GET' ? this.#remembered.get(url) : undefined
    const response = await fetch(url, {
      method,
      headers: {
        accept: 'application/vnd.github+json',
        authorization: `Bearer ${this.#token()}`,
        'user-agent': 'passmuster',
        'x-github-api-version': '2022-11-28',
        ...(known === undefined ? {} : { 'if-none-match': known.tag }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // Whoever it would lead to would be given the token.
      redirect: 'manual',
      signal: AbortSignal.any([AbortSignal.timeout(requestMs), over]),
    }).catch((error: unknown) => {
      // The message of fetch has the address; its cause alone says what went wrong.
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : 'no answer'
      throw this.#trouble(over.aborted ? 'Muster ended' : cause)
    })
    const said: Said = { status: response.status, headers: response.headers, body: await this.#read(response) }
    if (said.status >= 500) throw this.#trouble(`it answered ${said.status}`)
    this.#troubles = 0
    const limited = this.#limited(said)
    if (limited !== null) throw limited
    if (said.status === 304 && known !== undefined) return { ...said, status: 200, body: known.body }
    if (!response.ok && !ok.includes(said.status)) throw refusal(said, method, path, this.#parts)
    if (method === 'GET' && response.ok) this.#remember(url, said)
    return said
  }

  async #read(response: Response): Promise<unknown> {
    const chunks: Uint8Array[] = []
    let bytes = 0
    try {
      // Counted as it comes and is unpacked: a small answer can be packed from a huge one.
      for await (const chunk of response.body ?? []) {
        bytes += chunk.length
        if (bytes > answerBytesMax) break
        chunks.push(chunk)
      }
    } catch {
      throw this.#trouble('its answer was cut off')
    }
    if (bytes > answerBytesMax) throw this.#trouble('its answer is too large')
    const text = Buffer.concat(chunks).toString('utf8')
    try {
      return text === '' ? null : (JSON.parse(text) as unknown)
    } catch {
      throw this.#trouble('its answer is not JSON')
    }
  }

  #remember(url: string, { headers, body }: Said): void {
    const tag = headers.get('etag')
    this.#remembered.delete(url)
    if (tag === null) return
    const [oldest] = this.#remembered.keys()
    if (this.#remembered.size >= rememberedMax && oldest !== undefined) this.#remembered.delete(oldest)
    this.#remembered.set(url, { tag, body })
  }

  /** A primary or secondary limit, told in one of three ways. */
  #limited({ status, headers, body }: Said): MusterError | null {
    if (status !== 403 && status !== 429) return null
    const message = String((body as { message?: unknown } | null)?.message ?? '')
    const { clock } = this.#parts
    const now = clock.now()
    const asked = headers.get('retry-after') ?? 'none'
    const after = /^\d+$/.test(asked) ? Number(asked) * 1000 : Date.parse(asked) - now
    const used = headers.get('x-ratelimit-remaining') === '0'
    const secondary = /secondary rate limit|abuse detection/i.test(message)
    if (status === 403 && !used && !secondary && Number.isNaN(after)) return null
    const reset = Number(headers.get('x-ratelimit-reset') ?? Number.NaN) * 1000 - now
    const told = Number.isNaN(after) ? (used && reset > 0 ? reset : limitMs) : after
    // A little late rather than early: to ask again too soon makes it worse.
    const ms = Math.min(Math.max(told, 1000), limitMsMax)
    this.#pause = {
      until: clock.steady() + ms + this.#jitter(1000),
      why: secondary ? 'secondary rate limit' : 'rate limit',
    }
    return this.#paused()
  }

  #trouble(why: string): MusterError {
    this.#troubles += 1
    const ms = Math.min(troubleMs * 2 ** (this.#troubles - 1), troubleMsMax)
    this.#pause = { until: this.#parts.clock.steady() + ms + this.#jitter(ms / 4), why }
    return this.#paused() ?? new MusterError('busy', `GitHub does not answer: ${why}`)
  }

  #jitter(msMax: number): number {
    return (Number.parseInt(this.#parts.random.nonce().slice(0, 8), 16) / 0xffffffff) * msMax
  }

  #token(): string {
    const token = this.#parts.token()?.trim() ?? ''
    if (/^[\x21-\x7E]+$/.test(token)) return token
    throw missingToken(this.#parts.tokenEnv, token === '' ? 'no' : 'no usable')
  }
}

/** What a token must allow, for people. */
export const PERMISSIONS =
  '"Contents", "Pull requests" and "Commit statuses": write, "Checks": read (fine-grained), or the scope repo (classic)'

/** `has`: one that no request can carry, with a line break in it, is as good as none. */
export function missingToken(tokenEnv: string, has = 'no'): MusterError {
  return new MusterError('config', `the environment has ${has} ${tokenEnv}, which must hold the token for GitHub`, {
    hint: `export ${tokenEnv}=…, with ${PERMISSIONS}, and start again`,
  })
}
