/** Anthropic's Messages protocol: one answer as a stream of events, with the tools of Claude Code. */
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { DEFAULT_TOKENS, saying, type Step } from './scenario.ts'
import { eventStream, type Turn } from './server.ts'

export function answerMessages({ body, step, scenario, workspace, number }: Turn, response: ServerResponse): void {
  const { input, cached, output } = scenario.tokens ?? DEFAULT_TOKENS
  const usage = { input_tokens: input - cached, cache_creation_input_tokens: 0, cache_read_input_tokens: cached }
  const send = eventStream(response)
  const message = { id: `msg_${number}`, type: 'message', role: 'assistant', model: body['model'], content: [] }
  send('message_start', { message: { ...message, stop_reason: null, usage: { ...usage, output_tokens: 1 } } })
  if ('stall' in step) return
  const call = callOf(step, workspace)
  send('content_block_start', { index: 0, content_block: { type: 'text', text: '' } })
  for (const text of inPieces(saying(step))) {
    send('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })
  }
  if ('cut' in step) return void response.destroy()
  send('content_block_stop', { index: 0 })
  if (call !== null) {
    const block = { type: 'tool_use', id: `toolu_${number}`, name: call.name, input: {} }
    send('content_block_start', { index: 1, content_block: block })
    const delta = { type: 'input_json_delta', partial_json: JSON.stringify(call.input) }
    send('content_block_delta', { index: 1, delta })
    send('content_block_stop', { index: 1 })
  }
  const stop = call === null ? 'end_turn' : 'tool_use'
  send('message_delta', { delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: output } })
  send('message_stop', {})
  response.end()
}

function callOf(step: Step, workspace: string): { name: string; input: Record<string, unknown> } | null {
  if ('run' in step) return { name: 'Bash', input: { command: step.run, description: 'as scripted' } }
  if ('tool' in step) return step.tool
  if ('muster' in step) return { name: `mcp__muster__${step.muster.tool}`, input: step.muster.input }
  if ('read' in step) return { name: 'Read', input: { file_path: join(workspace, step.read) } }
  if (!('write' in step)) return null
  return { name: 'Write', input: { file_path: join(workspace, step.write.path), content: step.write.text } }
}

export function inPieces(text: string): string[] {
  return text.match(/[\s\S]{1,20000}/g) ?? ['']
}
