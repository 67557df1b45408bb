/**
 * A route: its path and method, its request and answer, and its handler. The app and the document are made of these.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { z } from 'zod'
import type { Commands } from '../../engine/commands.ts'
import type { ANSWERS, AnswerName, Shape } from './answers.ts'
import type { Feed } from './feed.ts'
import type { ProblemCode } from './problems.ts'
import type { REQUESTS } from './requests.ts'
import { nothing } from './requests.ts'
import type { HttpService } from './service.ts'
import type { Streams } from './streams.ts'

export interface RequestParts<Query, Body> {
  service: HttpService
  streams: Streams
  feed: Feed
  routes: readonly Route[]
  /** What the request came with. */
  asker: 'board' | 'token'
  /** As far as that may decide. */
  commands: Commands
  /** A new link that opens the board in a browser, once; worth what the asker is. */
  link(asker: 'board' | 'token'): string
  /** The session that the key of a link is good for, once; null if it is not. */
  enter(key: string): string | null
  /** The id in the path; empty where there is none. */
  id: string
  query: Query
  body: Body
  /** Of `If-Match`. */
  version: number | undefined
  incoming: IncomingMessage
  outgoing: ServerResponse
}

export type Answer =
  | { status?: number; headers?: Record<string, string>; json: object }
  | { headers?: Record<string, string>; text: string | Buffer }
  /** Written to the response already, or being written. */
  | 'streamed'

export interface Route {
  method: 'GET' | 'POST'
  /** As in `/api/tasks/{id}`. */
  path: string
  /** Its name in the document. */
  name: string
  summary: string
  query: z.ZodObject
  body: keyof typeof REQUESTS | null
  /** Whether `If-Match` is looked at. */
  versioned: boolean
  /** Statuses with what they answer: a type of the document, or a media type. */
  answers: Record<number, AnswerName | 'text/plain' | 'application/json'>
  /** Beside those that every request may meet. */
  problems: readonly ProblemCode[]
  /** Available as `text/event-stream`: always, or on request. */
  stream?: 'always' | 'asked'
  /** No token is needed. */
  open: boolean
  handle(request: RequestParts<unknown, unknown>): Promise<Answer>
}

type Given = Omit<Route, 'query' | 'body' | 'handle' | 'open' | 'versioned' | 'problems'> &
  Partial<Pick<Route, 'open' | 'versioned' | 'problems'>>
type Body<B> = B extends keyof typeof REQUESTS ? z.infer<(typeof REQUESTS)[B]> : unknown

export function route<Q extends z.ZodObject = typeof nothing, B extends keyof typeof REQUESTS | null = null>(
  given: Given & { query?: Q; body?: B; handle(request: RequestParts<z.infer<Q>, Body<B>>): Promise<Answer> },
): Route {
  const { query = nothing, body = null, open = false, versioned = false, problems = [], handle } = given
  return { ...given, query, body, open, versioned, problems, handle }
}

/** An answer that has the shape the document says. */
export function answer<N extends AnswerName>(
  _name: N,
  json: Shape<(typeof ANSWERS)[N]>,
  more: { status?: number; headers?: Record<string, string> } = {},
): Answer {
  return { ...more, json }
}
