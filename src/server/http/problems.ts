/**
 * Errors as `application/problem+json`. MusterError keeps its codes; a few more belong to HTTP. Any other error is a
 * bug in Muster, and the answer reveals nothing of it.
 */
import type { ErrorCode } from '../../domain/errors.ts'
import { ERROR_CODES, MusterError, systemFailure } from '../../domain/errors.ts'

const OWN = { unauthorized: 401, method_not_allowed: 405, too_large: 413, unsupported_media_type: 415, internal: 500 }

/** Where the answer to a program is another than the table says: it sent what is wrong, and may try again later. */
const OTHERWISE: Partial<Record<ErrorCode, number>> = { config: 400, storage: 503 }

export type ProblemCode = ErrorCode | keyof typeof OWN

/** So that nobody takes the word for the program of that name. */
export const GIT = 'git' satisfies ProblemCode

export const PROBLEM_TYPE = 'application/problem+json'

const TITLES: Record<ProblemCode, string> = {
  usage: 'The request is wrong',
  config: 'The configuration or the plan is wrong',
  failed: 'It failed',
  gate_closed: 'Not possible now',
  conflict: 'It has changed in the meantime',
  not_allowed: 'Not allowed',
  not_found: 'Not found',
  waiting: 'A person must act first',
  busy: 'Muster is busy',
  storage: 'Storage failed',
  git: 'Git failed',
  interrupted: 'Interrupted',
  unauthorized: 'The token is missing or wrong',
  method_not_allowed: 'Method not allowed',
  too_large: 'Too large',
  unsupported_media_type: 'Send JSON',
  internal: 'Internal error (a bug in Muster)',
}

export const PROBLEM_CODES = Object.keys(TITLES) as ProblemCode[]

export interface Problem {
  type: 'about:blank'
  title: string
  status: number
  code: ProblemCode
  /** What happened, and why. */
  detail: string
  /** What to do next. */
  hint: string | null
}

/** An error that only HTTP knows. */
export class HttpError extends Error {
  readonly code: keyof typeof OWN
  readonly hint: string
  readonly headers: Readonly<Record<string, string>>

  constructor(code: keyof typeof OWN, message: string, hint: string, headers: Record<string, string> = {}) {
    super(message)
    this.code = code
    this.hint = hint
    this.headers = headers
  }
}

export function statusOf(code: ProblemCode): number {
  return code in OWN
    ? OWN[code as keyof typeof OWN]
    : (OTHERWISE[code as ErrorCode] ?? ERROR_CODES[code as ErrorCode].http)
}

export function problemOf(thrown: unknown): Problem {
  const error = systemFailure(thrown) ?? thrown
  if (error instanceof MusterError || error instanceof HttpError) {
    const { code, message, hint = null } = error
    return { type: 'about:blank', title: TITLES[code], status: statusOf(code), code, detail: message, hint }
  }
  const detail = 'an internal error stopped this request; check the task before you try again'
  const hint = 'muster.log in the data directory has details; muster doctor checks what is stored'
  return { type: 'about:blank', title: TITLES.internal, status: 500, code: 'internal', detail, hint }
}
