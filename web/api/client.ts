/** Requests to the server: one typed answer, or the server's problem with its hint. */
import type { AnswerName } from '../../src/server/http/answers.ts'
import { credentials } from './session.ts'
import type { Answer, Problem } from './types.ts'

/** What came back instead of an answer, in the server's own words. */
export class ProblemError extends Error {
  readonly problem: Problem

  constructor(problem: Problem) {
    super(problem.detail)
    this.problem = problem
  }
}

const UNREACHABLE: Omit<Problem, 'detail'> = {
  type: 'about:blank',
  title: 'Muster does not answer',
  status: 503,
  code: 'busy',
  hint: 'start it again with: muster serve',
}

export function get<N extends AnswerName>(name: N, path: string): Promise<Answer<N>> {
  return ask(name, path, {})
}

/** `version`: the task must still be as it was shown. */
export function post<N extends AnswerName>(
  name: N,
  path: string,
  body: object = {},
  version: number | null = null,
): Promise<Answer<N>> {
  const headers: Record<string, string> = { 'Content-Type': 'application/json' }
  if (version !== null) headers['If-Match'] = `"${version}"`
  return ask(name, path, { method: 'POST', headers, body: JSON.stringify(body) })
}

/** An answer that is plain text: logs and prompts. */
export async function getText(path: string): Promise<string> {
  const response = await reach(path, {})
  if (response.ok) return response.text()
  throw await problemOf(response)
}

async function ask<N extends AnswerName>(_name: N, path: string, init: Sent): Promise<Answer<N>> {
  const response = await reach(path, init)
  if (response.ok) return (await response.json().catch(() => null)) as Answer<N>
  throw await problemOf(response)
}

type Sent = Omit<RequestInit, 'headers'> & { headers?: Record<string, string> }

async function reach(path: string, { headers, ...init }: Sent): Promise<Response> {
  return fetch(path, { ...init, headers: { ...headers, ...credentials() } }).catch(() => {
    throw new ProblemError({ ...UNREACHABLE, detail: 'cannot reach the server' })
  })
}

async function problemOf(response: Response): Promise<ProblemError> {
  const json: unknown = await response.json().catch(() => null)
  return new ProblemError(isProblem(json) ? json : { ...UNREACHABLE, detail: `the server answered ${response.status}` })
}

function isProblem(json: unknown): json is Problem {
  return typeof json === 'object' && json !== null && 'code' in json && 'detail' in json
}

/** A path with ids in it. */
export function at(strings: TemplateStringsArray, ...ids: string[]): string {
  return String.raw({ raw: strings }, ...ids.map(encodeURIComponent))
}
