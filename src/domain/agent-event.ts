/** The events that an agent program reports while it works, the same for every program, and how people read them. */
import type { ToolCall } from './verdict/judge-tools.ts'
import type { Usage } from './usage.ts'

/** How the program itself says it ended. */
export type FinalEnd = 'ok' | 'failed' | 'turn-limit' | 'budget' | 'rate-limited' | 'auth' | 'api-error'

export type AgentEvent =
  | { type: 'session'; id: string; model?: string }
  | { type: 'text'; text: string }
  /** `about`: the command, the path or the like, in one line. */
  | { type: 'tool-started'; id: string; tool: string; about: string }
  /** It used a tool of Muster's own. Told twice, it has the same id. */
  | { type: 'told'; id: string; call: ToolCall }
  | { type: 'tool-ended'; id: string; ok: boolean; exitCode?: number }
  /** A tool was refused by the program's own permissions. Told twice, it has the same id. */
  | { type: 'denied'; id: string; tool: string; why: string }
  | { type: 'retry'; why: string; status?: number }
  /** `resetsAt`: milliseconds since 1970. `resetsClock`: what the program says when it tells a wall clock's time only. */
  | { type: 'rate-limit'; reached: boolean; resetsAt?: number; resetsClock?: string }
  /** `call`: of one call of the model, whose id may come again. Without it: of the whole session so far. */
  | { type: 'usage'; usage: Usage; call?: string }
  /** A warning of the program's. */
  | { type: 'notice'; text: string }
  /** Without a text, the last one told is the answer. */
  | { type: 'final'; end: FinalEnd; text?: string }

/** A moment of a run, for people: what kind it is of, and whether it is bad news. `output`: it is no event at all. */
export interface TimelineEntry {
  kind: AgentEvent['type'] | 'output'
  text: string
  bad?: true
}

/** One line for a person; null for what is not worth one. */
export function describeEvent(event: AgentEvent): string | null {
  switch (event.type) {
    case 'session':
      return `session ${event.id}${event.model === undefined ? '' : ` (${event.model})`}`
    case 'text':
    case 'notice':
      return firstLine(event.text)
    case 'tool-started':
      return firstLine(`${event.tool}: ${event.about}`)
    case 'tool-ended':
      if (event.exitCode !== undefined) return event.exitCode === 0 ? null : `exit ${event.exitCode}`
      return event.ok ? null : 'failed'
    case 'denied':
      return firstLine(`denied: ${event.tool}: ${event.why}`)
    case 'retry':
      return firstLine(`the model does not answer; trying again: ${event.why}`)
    case 'rate-limit':
      return event.reached ? 'rate limit reached' : null
    case 'usage':
    case 'told':
      return null
    case 'final':
      return event.end === 'ok' ? 'done' : firstLine(`ended: ${event.end}: ${event.text ?? ''}`)
  }
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0]?.slice(0, 300).toWellFormed() ?? ''
}
