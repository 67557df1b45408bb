/**
 * Parses Codex's stream, line by line. Its traps: usage counts the whole thread and comes only at the end of a turn;
 * the stream does not report what the sandbox refused; the reason of a failed turn is a sentence.
 */
import type { AgentEvent, FinalEnd } from '../../domain/agent-event.ts'
import { countOf, fieldsOf, idOf, listOf, numberOf, parseLine, textOf, type Fields } from '../stream/json.ts'

export function parseCodex(line: string): AgentEvent[] {
  const event = parseLine(line)
  switch (event?.['type']) {
    case 'thread.started': {
      const id = idOf(event['thread_id'])
      return id === '' ? [] : [{ type: 'session', id }]
    }
    case 'item.started':
      return toolStarted(fieldsOf(event['item']))
    case 'item.completed':
      return itemCompleted(fieldsOf(event['item']))
    case 'error':
      return errorEvents(textOf(event['message']))
    case 'turn.completed':
      return [...usageEvents(fieldsOf(event['usage'])), { type: 'final', end: 'ok' }]
    case 'turn.failed':
      return failure(textOf(fieldsOf(event['error'])['message']))
    default:
      return []
  }
}

/** Null for items that are no tools. */
function toolOf(item: Fields): { tool: string; about: string } | null {
  switch (item['type']) {
    case 'command_execution':
      return { tool: 'shell', about: textOf(item['command']) }
    case 'file_change':
      return {
        tool: 'edit',
        about: listOf(item['changes'])
          .map(({ path }) => textOf(path))
          .join(', '),
      }
    case 'mcp_tool_call':
      return { tool: [item['server'], item['tool']].map(textOf).join('.'), about: '' }
    case 'web_search':
      return { tool: 'web search', about: textOf(item['query']) }
    default:
      return null
  }
}

function toolStarted(item: Fields): AgentEvent[] {
  const tool = toolOf(item)
  return tool === null ? [] : [{ type: 'tool-started', id: textOf(item['id']), ...tool }, ...told(item)]
}

/** Arguments that are no object are no words of the judge's, and the tool refuses them. */
function told(item: Fields): AgentEvent[] {
  if (item['type'] !== 'mcp_tool_call' || item['server'] !== 'muster') return []
  const call = { tool: textOf(item['tool']), input: fieldsOf(item['arguments']) }
  return [{ type: 'told', id: textOf(item['id']), call }]
}

function itemCompleted(item: Fields): AgentEvent[] {
  if (item['type'] === 'agent_message') return [{ type: 'text', text: textOf(item['text']) }]
  if (item['type'] === 'error') return [{ type: 'notice', text: textOf(item['message']) }]
  if (toolOf(item) === null) return []
  const exitCode = numberOf(item['exit_code'])
  const ok = item['status'] === undefined ? (exitCode ?? 0) === 0 : item['status'] === 'completed'
  const ended: AgentEvent = { type: 'tool-ended', id: textOf(item['id']), ok }
  return [...told(item), exitCode === undefined ? ended : { ...ended, exitCode }]
}

function errorEvents(message: string): AgentEvent[] {
  const [, why] = /^Reconnecting\.\.\. \d+\/\d+ \(([\s\S]*)\)$/.exec(message) ?? []
  if (why === undefined) return [{ type: 'notice', text: message }]
  const status = statusIn(why)
  return [{ type: 'retry', why, ...(status === undefined ? {} : { status }) }]
}

function failure(message: string): AgentEvent[] {
  const end = endOf(message)
  const final: AgentEvent = { type: 'final', end, text: message }
  if (end !== 'rate-limited') return [final]
  const [, clock] = /\btry again at (.+?)\.?$/m.exec(message) ?? []
  return [{ type: 'rate-limit', reached: true, ...(clock === undefined ? {} : { resetsClock: clock }) }, final]
}

/** A turn that fails for a reason we do not know failed outside of the agent's work: that is the safer reading. */
function endOf(message: string): FinalEnd {
  const status = statusIn(message)
  if (status === 429 || /\busage limit\b|\brate limit\b|too many requests/i.test(message)) return 'rate-limited'
  if (status === 401 || status === 403 || /not logged in|log in again|sign in again/i.test(message)) return 'auth'
  return /context (window|length)/i.test(message) ? 'failed' : 'api-error'
}

function statusIn(message: string): number | undefined {
  const [, status] = /\bstatus:? (\d{3})\b/.exec(message) ?? []
  return status === undefined ? undefined : Number(status)
}

/** `input_tokens` includes the cached ones. */
export function usageEvents(usage: Fields): AgentEvent[] {
  if (numberOf(usage['input_tokens']) === undefined) return []
  return [
    {
      type: 'usage',
      usage: {
        inputTokens: countOf(usage['input_tokens']),
        cachedTokens: countOf(usage['cached_input_tokens']),
        outputTokens: countOf(usage['output_tokens']),
      },
    },
  ]
}
