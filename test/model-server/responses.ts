/** OpenAI's Responses protocol: one answer as a stream of events, with the tools of Codex. */
import type { ServerResponse } from 'node:http'
import { DEFAULT_TOKENS, saying, type Step } from './scenario.ts'
import { inPieces } from './messages.ts'
import { eventStream, type Turn } from './server.ts'

type Item = Record<string, unknown>

export function answerResponses({ body, step, scenario, number }: Turn, response: ServerResponse): void {
  const send = eventStream(response)
  const head = { id: `resp_${number}`, object: 'response', model: body['model'], created_at: 1 }
  send('response.created', { response: { ...head, status: 'in_progress', output: [] } })
  if ('stall' in step) return
  const text = saying(step)
  const message: Item = { type: 'message', id: `msg_${number}`, role: 'assistant', status: 'completed' }
  const said = { ...message, content: [{ type: 'output_text', text, annotations: [] }] }
  const call = callOf(step, number)
  send('response.output_item.added', { output_index: 0, item: { ...message, status: 'in_progress', content: [] } })
  for (const delta of inPieces(text)) {
    send('response.output_text.delta', { item_id: message['id'], output_index: 0, content_index: 0, delta })
  }
  if ('cut' in step) return void response.destroy()
  const output = call === null ? [said] : [said, call]
  for (const [index, item] of output.entries()) {
    if (index > 0) send('response.output_item.added', { output_index: index, item: { ...item, status: 'in_progress' } })
    send('response.output_item.done', { output_index: index, item })
  }
  const tokens = scenario.tokens ?? DEFAULT_TOKENS
  const usage = {
    input_tokens: tokens.input,
    input_tokens_details: { cached_tokens: tokens.cached },
    output_tokens: tokens.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: tokens.input + tokens.output,
  }
  send('response.completed', { response: { ...head, status: 'completed', output, usage } })
  response.end()
}

function callOf(step: Step, number: number): Item | null {
  const ids = { call_id: `call_${number}`, status: 'completed' }
  const call = (name: string, input: Record<string, unknown>): Item => {
    return { type: 'function_call', id: `fc_${number}`, name, arguments: JSON.stringify(input), ...ids }
  }
  if ('run' in step) return call('exec_command', { cmd: step.run })
  if ('read' in step) return call('exec_command', { cmd: `cat ${step.read}` })
  if ('tool' in step) return call(step.tool.name, step.tool.input)
  if ('muster' in step) return { ...call(step.muster.tool, step.muster.input), namespace: 'mcp__muster' }
  if (!('write' in step)) return null
  const lines = step.write.text.replace(/\n$/, '').split('\n')
  const patch = [
    '*** Begin Patch',
    `*** Add File: ${step.write.path}`,
    ...lines.map((line) => `+${line}`),
    '*** End Patch',
  ]
  return { type: 'custom_tool_call', id: `ctc_${number}`, name: 'apply_patch', input: patch.join('\n'), ...ids }
}
