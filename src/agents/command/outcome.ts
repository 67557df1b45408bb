/** What the end of a command means. Pure, so that each way to end is one row of a test. Nothing passes by accident. */
import type { CommandAgent } from '../../domain/config.ts'
import { NO_VERDICT } from '../../domain/verdict/verdict.ts'
import { textReading } from '../../domain/verdict/verdict-text.ts'
import { combine } from '../../domain/verdict/verdict-weigh.ts'
import type { RunOutcome } from '../../ports/runtime.ts'
import { channel, channelsOf, describeEnd, failureOf, lines } from '../worker/end.ts'
import { notRunnable, outcomes, outsideEnd, scopeOf } from '../worker/end.ts'
import type { Left, Scoped } from '../worker/end.ts'
import type { ProcessEnd } from '../../process/record.ts'

export type OutcomeScope = Scoped & {
  agent: Pick<CommandAgent, 'verdict' | 'timeoutMs'>
}

interface Printed {
  /** All of it, if a verdict may stand there. */
  output: string
  /** The end, for people. */
  tail: string
}

export function outcomeOfEnd(scope: OutcomeScope, end: ProcessEnd, left: Left, { output, tail }: Printed): RunOutcome {
  const { judge } = scope
  const { verdict: by, timeoutMs } = scope.agent
  const give = outcomes(end, timeoutMs)
  const exit = describeEnd(end, timeoutMs)
  const about = { ...scopeOf(scope), terse: true }
  const printed = judge ? channel('its output', textReading(output, about.nonce)) : []
  const parsed = combine([...channelsOf(left, about), ...printed], about)
  // An author that has said how it went had done its work, whoever was there to see it end. A judge has to end well.
  const done = end.unseen === true && end.met === undefined && !judge && by === 'file' && parsed !== null
  const outside = done ? null : outsideEnd(end, judge, timeoutMs, tail)
  if (outside !== null) return outside
  const problem = notRunnable(end)
  if (problem !== null && parsed === null) return give('ERROR', lines(`${problem} (${exit})`, tail))
  if (by === 'exit') return end.code === 0 ? give('PASS', exit) : give('FAIL', lines(exit, tail))
  if (parsed === null) return { ...give(failureOf(judge), lines(NO_VERDICT, exit, tail)), crashed: true }
  // Whoever ends a judge could have answered in its place: what it passed counts only if it ended by itself and well.
  const passed = parsed.verdict === 'PASS' || parsed.verdict === 'WARN'
  if (judge && passed && end.code !== 0)
    return give('ERROR', lines(`it says ${parsed.verdict}, but ended with ${exit}`, tail))
  return { ...give(parsed.verdict, parsed.detail), ...parsed }
}
