/** Sums up a stream of events: event by event while the program runs, or all at once afterwards. */
import type { AgentEvent } from '../../domain/agent-event.ts'
import type { ToolCall } from '../../domain/verdict/judge-tools.ts'
import { addUsage, NO_USAGE, usageSince, type Usage } from '../../domain/usage.ts'

type Final = Extract<AgentEvent, { type: 'final' }>
type RateLimit = Extract<AgentEvent, { type: 'rate-limit' }>

export interface Fold {
  session: string | null
  /** As the program names it. */
  model: string | null
  /** The last thing it said. */
  text: string
  /** Tools it began to use. */
  tools: Set<string>
  /** Of these, those that have not ended. */
  running: Set<string>
  /** What it told Muster's own tools, by the id of the call. */
  told: Map<string, ToolCall>
  /** Tools it was refused, by the id of the call. */
  denied: Map<string, string>
  retries: number
  /** The last one that was reached. */
  limit: RateLimit | null
  /** The last one: a program that worked on in the background tells it again. */
  final: Final | null
  calls: Map<string, Usage>
  total: Usage | null
}

export function emptyFold(): Fold {
  return {
    session: null,
    model: null,
    text: '',
    tools: new Set(),
    running: new Set(),
    told: new Map(),
    denied: new Map(),
    retries: 0,
    limit: null,
    final: null,
    calls: new Map(),
    total: null,
  }
}

/** Changes the fold it is given. */
export function addEvent(fold: Fold, event: AgentEvent): void {
  switch (event.type) {
    case 'session':
      fold.session = event.id
      fold.model = event.model ?? fold.model
      break
    case 'text':
      fold.text = event.text
      break
    case 'tool-started':
      fold.tools.add(event.id)
      fold.running.add(event.id)
      break
    case 'tool-ended':
      fold.tools.add(event.id)
      fold.running.delete(event.id)
      break
    case 'told':
      fold.told.set(event.id, event.call)
      break
    case 'denied':
      fold.denied.set(event.id, event.tool)
      break
    case 'retry':
      fold.retries += 1
      break
    case 'rate-limit':
      if (event.reached) fold.limit = event
      break
    case 'usage':
      if (event.call === undefined) fold.total = event.usage
      else fold.calls.set(event.call, event.usage)
      break
    case 'notice':
      break
    case 'final':
      fold.final = event
      break
  }
}

export function foldEvents(events: Iterable<AgentEvent>): Fold {
  const fold = emptyFold()
  for (const event of events) addEvent(fold, event)
  return fold
}

/** The answer of a run that ended; what it said last otherwise. */
export function answerOf({ final, text }: Fold): string {
  return final?.text ?? text
}

/**
 * What this run used: the session's total without what the session had used before, or, when no total came because the
 * run was cut short, what its calls told. Null if it told nothing at all.
 */
export function usageOf({ total, calls }: Fold, before: Usage = NO_USAGE): Usage | null {
  if (total !== null) return usageSince(total, before)
  if (calls.size === 0) return null
  return [...calls.values()].reduce(addUsage, NO_USAGE)
}
