/**
 * Parses Claude Code's stream, line by line. Its traps: one event per content block, each with the same usage; a
 * `subtype` of success although `is_error` is set; exit code 0 after denied tools; totals that continue when a session
 * is resumed.
 */
import type { AgentEvent, FinalEnd } from '../../domain/agent-event.ts'
import type { Usage } from '../../domain/usage.ts'
import { countOf, fieldsOf, idOf, listOf, numberOf, parseLine, textOf, type Fields } from '../stream/json.ts'

/** No limit lasts into another century. */
const secondsMax = 4_102_444_800

export function parseClaude(line: string): AgentEvent[] {
  const event = parseLine(line)
  switch (event?.['type']) {
    case 'system':
      return systemEvents(event)
    case 'assistant':
      return assistantEvents(event)
    case 'user':
      return toolEnds(event)
    case 'rate_limit_event':
      return [rateLimit(fieldsOf(event['rate_limit_info']))]
    case 'result':
      return resultEvents(event)
    default:
      return []
  }
}

function systemEvents(event: Fields): AgentEvent[] {
  switch (event['subtype']) {
    case 'init': {
      const [id, model] = [idOf(event['session_id']), textOf(event['model'])]
      return id === '' ? [] : [{ type: 'session', id, ...(model === '' ? {} : { model }) }]
    }
    case 'permission_denied':
      return [denial(event, textOf(event['message']))]
    case 'api_retry': {
      const status = numberOf(event['error_status'])
      return [{ type: 'retry', why: textOf(event['error']) || 'unknown', ...(status === undefined ? {} : { status }) }]
    }
    default:
      return []
  }
}

function denial(fields: Fields, why: string): AgentEvent {
  return { type: 'denied', id: textOf(fields['tool_use_id']), tool: textOf(fields['tool_name']), why }
}

function assistantEvents(event: Fields): AgentEvent[] {
  const message = fieldsOf(event['message'])
  // Made by the program itself to tell of an error, which the result tells as well.
  if (event['is_api_error_message'] === true || message['model'] === '<synthetic>') return []
  const blocks = listOf(message['content']).flatMap((block): AgentEvent[] => {
    if (block['type'] === 'text') return [{ type: 'text', text: textOf(block['text']) }]
    if (block['type'] !== 'tool_use') return []
    const [id, tool, input] = [textOf(block['id']), textOf(block['name']), fieldsOf(block['input'])]
    const [, own] = /^mcp__muster__(\w+)$/.exec(tool) ?? []
    const started: AgentEvent = { type: 'tool-started', id, tool, about: aboutInput(input) }
    return own === undefined ? [started] : [started, { type: 'told', id, call: { tool: own, input } }]
  })
  const call = textOf(message['id'])
  if (call === '') return blocks
  return [...blocks, { type: 'usage', usage: callUsage(fieldsOf(message['usage'])), call }]
}

/** The input's most telling value: a command, a path, a pattern, or the first text there is. */
function aboutInput(input: Fields): string {
  const named = ['command', 'file_path', 'path', 'pattern', 'url', 'query', 'description'].map((key) => input[key])
  return textOf([...named, ...Object.values(input)].find((value) => typeof value === 'string'))
}

/** Its output count is the one the call began with: less than it was. */
function callUsage(usage: Fields): Usage {
  const cached = countOf(usage['cache_read_input_tokens'])
  return {
    inputTokens: countOf(usage['input_tokens']) + countOf(usage['cache_creation_input_tokens']) + cached,
    cachedTokens: cached,
    outputTokens: countOf(usage['output_tokens']),
  }
}

function toolEnds(event: Fields): AgentEvent[] {
  const ran = fieldsOf(event['tool_use_result'])['stdout'] !== undefined
  return listOf(fieldsOf(event['message'])['content']).flatMap((block): AgentEvent[] => {
    if (block['type'] !== 'tool_result') return []
    const ok = block['is_error'] !== true
    const exitCode = ok ? (ran ? 0 : undefined) : exitCodeIn(block['content'])
    return [
      { type: 'tool-ended', id: textOf(block['tool_use_id']), ok, ...(exitCode === undefined ? {} : { exitCode }) },
    ]
  })
}

function exitCodeIn(content: unknown): number | undefined {
  const [, code] = /^Exit code (\d+)/.exec(textOf(content)) ?? []
  return code === undefined ? undefined : Number(code)
}

function rateLimit(info: Fields): AgentEvent {
  const seconds = numberOf(info['resetsAt']) ?? 0
  const resets = seconds > 0 && seconds < secondsMax ? { resetsAt: seconds * 1000 } : {}
  return { type: 'rate-limit', reached: info['status'] === 'rejected', ...resets }
}

function resultEvents(result: Fields): AgentEvent[] {
  const end = endOf(result)
  const text = textOf(result['result']) || listTexts(result['errors'])
  const oldLimit = end === 'rate-limited' ? /limit reached\|(\d{9,11})/.exec(text)?.[1] : undefined
  return [
    ...listOf(result['permission_denials']).map((denied) => denial(denied, 'not allowed')),
    ...(oldLimit === undefined ? [] : [rateLimit({ status: 'rejected', resetsAt: Number(oldLimit) })]),
    ...totalUsage(result),
    { type: 'final', end, text },
  ]
}

function endOf(result: Fields): FinalEnd {
  const reason = textOf(result['terminal_reason'])
  const subtype = textOf(result['subtype'])
  if (subtype === 'error_max_turns' || reason === 'max_turns') return 'turn-limit'
  if (subtype === 'error_max_budget_usd' || reason === 'budget_exhausted') return 'budget'
  const failed = result['is_error'] !== false || subtype !== 'success'
  if (!failed) return reason === '' || reason === 'completed' ? 'ok' : 'failed'
  const status = numberOf(result['api_error_status'])
  const text = textOf(result['result'])
  if (status === 429 || result['api_error'] === 'usage_limit_reached' || /limit reached\|\d/.test(text)) {
    return 'rate-limited'
  }
  if (status === 401 || status === 403 || /invalid api key|not logged in|run \/login/i.test(text)) return 'auth'
  return reason === 'api_error' || status !== undefined ? 'api-error' : 'failed'
}

/** By model, since `usage` leaves out a last call that a limit cut off. Of the whole session, like the dollars. */
function totalUsage(result: Fields): AgentEvent[] {
  const models = Object.values(fieldsOf(result['modelUsage'])).map(fieldsOf)
  const usd = numberOf(result['total_cost_usd'])
  if (models.length === 0 && usd === undefined) return []
  const sum = (...names: string[]): number =>
    models.reduce((total, model) => total + names.reduce((part, name) => part + countOf(model[name]), 0), 0)
  const usage: Usage = {
    inputTokens: sum('inputTokens', 'cacheReadInputTokens', 'cacheCreationInputTokens'),
    cachedTokens: sum('cacheReadInputTokens'),
    outputTokens: sum('outputTokens'),
    ...(usd === undefined ? {} : { usd }),
  }
  return [{ type: 'usage', usage }]
}

function listTexts(value: unknown): string {
  return Array.isArray(value) ? value.map(textOf).filter(Boolean).join('\n') : ''
}
