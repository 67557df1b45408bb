/** What an agent program did, for people: its stream as one readable line, or a few, for everything worth telling. */
import type { AgentEvent } from '../../domain/agent-event.ts'
import { describeEvent } from '../../domain/agent-event.ts'
import { describeCost } from '../../domain/cost.ts'
import { priced } from '../../domain/prices.ts'
import type { AgentAdapter } from '../stream/adapter.ts'
import { addEvent, emptyFold, usageOf } from '../stream/fold.ts'
import { lineSplitter } from '../stream/lines.ts'

export interface Timeline {
  /** The lines that are complete now. */
  add(chunk: Buffer): string[]
  rest(): string[]
}

export function programTimeline(adapter: AgentAdapter, model: string | undefined): Timeline {
  const lines = lineSplitter()
  const fold = emptyFold()
  let told = ''

  /** Told again only when it has changed: programs repeat themselves. */
  const cost = (): string[] => {
    const used = usageOf(fold)
    if (used === null) return []
    const { usd = null, inputTokens, outputTokens } = priced(used, model ?? fold.model ?? undefined)
    const text = describeCost({ usd, inputTokens, outputTokens, partial: false }) ?? ''
    if (text === told) return []
    told = text
    return [`  so far: ${text}`]
  }
  const tell = (event: AgentEvent): string[] => {
    addEvent(fold, event)
    return event.type === 'usage' ? cost() : describe(event)
  }
  const read = (line: string): string[] => {
    // What is no event at all is shown as it came: complaints, or the place where a long log was cut.
    if (!line.trimStart().startsWith('{')) return line.trim() === '' ? [] : [line]
    return adapter.parse(line).flatMap(tell)
  }
  return {
    add: (chunk) => lines.add(chunk).flatMap(read),
    rest: () => lines.rest().flatMap(read),
  }
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
