/** The timeline of an agent program, for people: its stream as one or a few readable lines for each thing it did. */
import type { AgentEvent, TimelineEntry } from '../../domain/agent-event.ts'
import { describeEvent } from '../../domain/agent-event.ts'
import { describeCost } from '../../domain/cost.ts'
import { priced } from '../../domain/prices.ts'
import type { AgentAdapter } from '../stream/adapter.ts'
import { addEvent, emptyFold, usageOf } from '../stream/fold.ts'
import { lineSplitter } from '../stream/lines.ts'

export interface Timeline {
  /** What is complete now. */
  add(chunk: Buffer): TimelineEntry[]
  rest(): TimelineEntry[]
}

export function programTimeline(adapter: AgentAdapter, model: string | undefined): Timeline {
  const lines = lineSplitter()
  const fold = emptyFold()
  let told = ''

  /** Told again only when it has changed: programs repeat themselves. */
  const cost = (): string[] => {
    const used = usageOf(fold)
    if (used === null) return []
    const { usd = null, inputTokens, outputTokens } = priced(used, model ?? fold.model ?? undefined, adapter.prices)
    const text = describeCost({ usd, inputTokens, outputTokens, partial: false }) ?? ''
    if (text === told) return []
    told = text
    return [`  so far: ${text}`]
  }
  const tell = (event: AgentEvent): TimelineEntry[] => {
    addEvent(fold, event)
    const texts = event.type === 'usage' ? cost() : describe(event)
    return texts.map((text) => ({ kind: event.type, text, ...(isBad(event) ? { bad: true } : {}) }))
  }
  const read = (line: string): TimelineEntry[] => {
    // What is no event at all is shown as it came: complaints, or the place where a long log was cut.
    if (!line.trimStart().startsWith('{')) return line.trim() === '' ? [] : [{ kind: 'output', text: line }]
    return adapter.parse(line).flatMap(tell)
  }
  return {
    add: (chunk) => lines.add(chunk).flatMap(read),
    rest: () => lines.rest().flatMap(read),
  }
}

function isBad(event: AgentEvent): boolean {
  if (event.type === 'tool-ended') return !event.ok
  if (event.type === 'final') return event.end !== 'ok'
  return event.type === 'denied' || event.type === 'retry' || (event.type === 'rate-limit' && event.reached)
}

function describe(event: AgentEvent): string[] {
  switch (event.type) {
    case 'text':
      return event.text.trim() === '' ? [] : [event.text.trim()]
    case 'tool-started':
      return [`▸ ${describeEvent(event)}`]
    case 'tool-ended':
      return [`  ${event.ok ? '✓' : '✗'}${event.exitCode === undefined ? '' : ` exit ${event.exitCode}`}`]
    default:
      return describeEvent(event)?.split('\n') ?? []
  }
}
