/**
 * A model on loopback that follows a script: Anthropic's Messages and OpenAI's Responses, as streams. Programs are
 * pointed at a base address of their own, which says whose script and whose workspace it is; nothing is kept between calls.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerMessages } from './messages.ts'
import { answerResponses } from './responses.ts'
import { stepAt, withNonce, type Scenario, type Step } from './scenario.ts'

export interface Call {
  path: string
  headers: Record<string, string>
  body: Record<string, unknown>
}

/** One request that is to be answered with a step. */
export interface Turn {
  body: Record<string, unknown>
  step: Step
  scenario: Scenario
  workspace: string
  /** Counts calls of the whole server: for ids. */
  number: number
}

export interface Play {
  /** The address for the program: what comes after it is the protocol's own path. */
  url: string
  calls: Call[]
}

export interface ModelServer {
  play(scenario: Scenario, workspace: string): Play
  close(): Promise<void>
}

interface Stage extends Play {
  scenario: Scenario
  workspace: string
}

export async function startModelServer(): Promise<ModelServer> {
  const stages: Stage[] = []
  let number = 0
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [, index, path = ''] = /^\/(\d+)(\/[^?]*)/.exec(request.url ?? '') ?? []
    const stage = stages[Number(index)]
    const body = await readBody(request)
    if (stage === undefined) return refuse(response, 404, 'not_found_error', `no script for ${request.url}`)
    stage.calls.push({ path, headers: request.headers as Record<string, string>, body })
    number += 1
    answer(path, { body, number, scenario: stage.scenario, workspace: stage.workspace }, response)
  }
  // A program that was ended in the middle of its request is no concern of ours.
  const server = createServer((request, response) => void serve(request, response).catch(() => response.destroy()))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    play(scenario, workspace) {
      const stage: Stage = { scenario, workspace, calls: [], url: `http://127.0.0.1:${port}/${stages.length}` }
      stages.push(stage)
      return stage
    },
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => void server.close(() => resolve()))
    },
  }
}

function answer(path: string, turn: Omit<Turn, 'step'>, response: ServerResponse): void {
  const messages = path.endsWith('/messages')
  if (path.endsWith('/count_tokens')) return json(response, 200, { input_tokens: 1000 })
  if (!messages && !path.endsWith('/responses'))
    return refuse(response, 404, 'not_found_error', `no such path: ${path}`)
  const step = withNonce(stepAt(turn.scenario, toolResults(turn.body)), turn.body)
  if ('status' in step) return refuse(response, step.status, errorType(step.status), step.message ?? 'as scripted')
  if ('usageLimit' in step) return refuseForLimit(response, step.usageLimit.resetsInSeconds, messages)
  const answerWith = messages ? answerMessages : answerResponses
  answerWith({ ...turn, step }, response)
}

/** How many results of tools the request brings back, in either protocol. */
function toolResults(body: Record<string, unknown>): number {
  const list = (value: unknown) => (Array.isArray(value) ? (value as Record<string, unknown>[]) : [])
  const blocks = list(body['messages']).flatMap((message) => list(message['content']))
  const items = list(body['input'])
  return [...blocks, ...items].filter(({ type }) =>
    /^(tool_result|(function|custom_tool)_call_output)$/.test(String(type)),
  ).length
}

function errorType(status: number): string {
  const types: Record<number, string> = {
    401: 'authentication_error',
    429: 'rate_limit_error',
    529: 'overloaded_error',
  }
  return types[status] ?? 'api_error'
}

function refuseForLimit(response: ServerResponse, seconds: number, messages: boolean): void {
  const resetsAt = Math.floor(Date.now() / 1000) + seconds
  if (!messages) {
    const error = { type: 'usage_limit_reached', message: 'The usage limit has been reached', plan_type: 'pro' }
    return json(response, 429, { error: { ...error, resets_at: resetsAt, resets_in_seconds: seconds } })
  }
  const unified = { status: 'rejected', reset: String(resetsAt), 'representative-claim': 'five_hour' }
  for (const [name, value] of Object.entries(unified)) {
    response.setHeader(`anthropic-ratelimit-unified-${name}`, value)
  }
  refuse(response, 429, 'rate_limit_error', 'the limit of your plan is reached')
}

function refuse(response: ServerResponse, status: number, type: string, message: string): void {
  json(response, status, { type: 'error', error: { type, message } })
}

function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  try {
    return JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>
  } catch {
    return {}
  }
}

/** Server-sent events. */
export function eventStream(response: ServerResponse): (type: string, fields: Record<string, unknown>) => void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  return (type, fields) => void response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`)
}
