/**
 * Streams that the real programs printed, as data: what each comes to. The programs lie in several ways (exit code 0 after
 * a denial, "success" with an error flag, totals that count on); each lie is a row.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { AgentEvent } from '../../domain/agent-event.ts'
import { NO_USAGE } from '../../domain/usage.ts'
import { claude } from '../claude/adapter.ts'
import { codex } from '../codex/adapter.ts'
import { answerOf, foldEvents, usageOf } from './fold.ts'
import { lineSplitter } from './lines.ts'
import { resultOf, type AgentResult, type ProgramEnd } from './result.ts'

const folder = join(import.meta.dirname, '../../../test/fixtures/agent-streams')

function eventsOf(name: string): AgentEvent[] {
  const adapter = name.startsWith('claude') ? claude : codex
  const lines = lineSplitter()
  const bytes = readFileSync(join(folder, `${name}.jsonl`))
  return [...lines.add(bytes), ...lines.rest()].flatMap((line) => adapter.parse(line))
}

const exit = (code: number): ProgramEnd => ({ code, signal: null })
const WROTE = 'I wrote hello.txt and checked it.\n\n**Verdict: PASS**'

interface Row {
  name: string
  end: ProgramEnd
  result: AgentResult
  /** As a judge; the same as for an author if not given. */
  judge?: AgentResult
  answer?: string
  /** The kinds of events in order, runs of the same one once. */
  events: string
  usd?: number
  tokens?: [input: number, cached: number, output: number]
}

const TOOLS = 'text usage tool-started usage tool-ended'

const ROWS: Row[] = [
  {
    name: 'claude-happy',
    end: exit(0),
    result: 'ok',
    answer: WROTE,
    events: `session ${TOOLS} ${TOOLS} text usage final`,
    usd: 0.0099,
    tokens: [12600, 9000, 150],
  },
  // Exit code 0, subtype success, no error flag: and the file was never written (E-1).
  {
    name: 'claude-default',
    end: exit(0),
    result: 'denied',
    judge: 'ok',
    answer: WROTE,
    events:
      'session text usage tool-started usage denied tool-ended text usage tool-started usage tool-ended text usage denied usage final',
    usd: 0.0198,
  },
  {
    name: 'claude-disallow-edit',
    end: exit(0),
    result: 'ok',
    events: `session ${TOOLS} ${TOOLS} ${TOOLS} text usage final`,
    usd: 0.0264,
  },
  { name: 'claude-bgchild', end: exit(0), result: 'ok', events: `session ${TOOLS} text usage final`, usd: 0.0132 },
  { name: 'claude-mcp', end: exit(0), result: 'ok', events: `session ${TOOLS} text usage final`, usd: 0.0132 },
  // One object instead of a stream: understood as far as it goes.
  { name: 'claude-json', end: exit(0), result: 'ok', answer: WROTE, events: 'usage final', usd: 0.0198 },
  // Killed by a test while it tried again and again.
  { name: 'claude-e401', end: { code: null, signal: 'SIGKILL' }, result: 'killed', events: 'session retry' },
  // "success" with an error flag.
  {
    name: 'claude-e429',
    end: exit(1),
    result: 'rate-limited',
    answer: 'API Error: Request rejected (429) · fake 429 from the fake server',
    events: 'session retry usage final',
    usd: 0,
  },
  {
    name: 'claude-usagelimit-oauth',
    end: exit(1),
    result: 'rate-limited',
    events: 'session rate-limit usage final',
    usd: 0,
  },
  // A warning of a limit is no limit; the turns were used up.
  {
    name: 'claude-rlwarn-oauth',
    end: exit(1),
    result: 'turn-limit',
    events: 'session text usage tool-started usage rate-limit denied tool-ended denied usage final',
    usd: 0.0033,
  },
  { name: 'claude-cut', end: exit(1), result: 'api-error', events: 'session retry usage final', usd: 0 },
  {
    name: 'claude-maxturns',
    end: exit(1),
    result: 'turn-limit',
    answer: 'Reached maximum number of turns (2)',
    events: `session ${TOOLS} ${TOOLS} usage final`,
    usd: 0.0132,
  },
  // `usage` leaves out the last call; the totals by model do not.
  {
    name: 'claude-budget',
    end: exit(1),
    result: 'budget',
    events: `session ${TOOLS} text usage tool-started usage final`,
    usd: 0.0132,
    tokens: [8400, 6000, 100],
  },
  // No final event: what the calls told is what is known, and the dollars are not (L37).
  {
    name: 'claude-sigterm',
    end: exit(143),
    result: 'killed',
    answer: 'Working on step 1.',
    events: `session ${TOOLS}`,
    tokens: [4200, 3000, 1],
  },
  {
    name: 'claude-res1',
    end: exit(0),
    result: 'ok',
    events: 'session text usage final',
    usd: 0.0066,
    tokens: [4200, 3000, 50],
  },
  {
    name: 'codex-happy',
    end: exit(0),
    result: 'ok',
    answer: WROTE,
    events: 'session text tool-started tool-ended text tool-started tool-ended text usage final',
    tokens: [12600, 9000, 150],
  },
  // The patch that its sandbox refused is not in the stream at all; the tree has to tell.
  {
    name: 'codex-ro-happy',
    end: exit(0),
    result: 'ok',
    events: 'session text tool-started tool-ended text usage final',
  },
  { name: 'codex-mcp', end: exit(0), result: 'ok', events: 'session text usage final', tokens: [4200, 3000, 50] },
  { name: 'codex-schema', end: exit(0), result: 'ok', events: 'session text usage final' },
  { name: 'codex-e401', end: exit(1), result: 'auth', events: 'session retry notice final' },
  {
    name: 'codex-e429',
    end: exit(1),
    result: 'rate-limited',
    answer: 'exceeded retry limit, last status: 429 Too Many Requests',
    events: 'session notice rate-limit final',
  },
  { name: 'codex-usagelimit', end: exit(1), result: 'rate-limited', events: 'session notice rate-limit final' },
  { name: 'codex-e500', end: exit(1), result: 'api-error', events: 'session retry notice final' },
  { name: 'codex-cut', end: exit(1), result: 'api-error', events: 'session retry notice final' },
  { name: 'codex-res1', end: exit(0), result: 'ok', events: 'session text usage final', tokens: [4200, 3000, 50] },
]

test.each(ROWS)('$name is $result (L14)', (row) => {
  const events = eventsOf(row.name)
  const kinds = events.map(({ type }) => type)
  expect(kinds.filter((kind, index) => kind !== kinds[index - 1]).join(' ')).toBe(row.events)
  const fold = foldEvents(events)
  expect(resultOf(fold, row.end, false)).toBe(row.result)
  expect(resultOf(fold, row.end, true)).toBe(row.judge ?? row.result)
  expect(answerOf(fold)).toBe(row.answer ?? answerOf(fold))
  const usage = usageOf(fold)
  const [input = 0, cached = 0, output = 0] = [usage?.inputTokens, usage?.cachedTokens, usage?.outputTokens]
  expect([input, cached, output]).toEqual(row.tokens ?? [input, cached, output])
  // Dollars that nobody told are unknown, not nothing (L37).
  expect(usage?.usd === undefined).toBe(row.usd === undefined)
  expect(usage?.usd ?? 0).toBeCloseTo(row.usd ?? 0, 6)
})

describe('what the events carry', () => {
  test('tools: name, what it is about, exit code', () => {
    expect(eventsOf('claude-default').filter(({ type }) => type.startsWith('tool'))).toEqual([
      { type: 'tool-started', id: 'toolu_fake_1', tool: 'Write', about: '/home/dev/project' },
      { type: 'tool-ended', id: 'toolu_fake_1', ok: false },
      { type: 'tool-started', id: 'toolu_fake_2', tool: 'Bash', about: 'cat hello.txt && pwd' },
      { type: 'tool-ended', id: 'toolu_fake_2', ok: false, exitCode: 1 },
    ])
    expect(eventsOf('codex-ro-happy').filter(({ type }) => type.startsWith('tool'))).toEqual([
      { type: 'tool-started', id: 'item_2', tool: 'shell', about: "/bin/bash -lc 'cat hello.txt && pwd'" },
      { type: 'tool-ended', id: 'item_2', ok: false, exitCode: 1 },
    ])
  })

  test('a denial told twice is one', () => {
    expect([...foldEvents(eventsOf('claude-default')).denied]).toEqual([['toolu_fake_1', 'Write']])
  })

  test('a reset time, where the program tells one', () => {
    expect(foldEvents(eventsOf('claude-usagelimit-oauth')).limit).toMatchObject({ resetsAt: 1794728208_000 })
    expect(foldEvents(eventsOf('claude-rlwarn-oauth')).limit).toBeNull()
    expect(foldEvents(eventsOf('codex-usagelimit')).limit).toMatchObject({ resetsClock: '7:42 AM' })
    expect(foldEvents(eventsOf('codex-e429')).limit).toEqual({ type: 'rate-limit', reached: true })
  })

  test.each(['claude', 'codex'])('what a resumed session of %s used before is not counted again', (name) => {
    const [first, second] = [foldEvents(eventsOf(`${name}-res1`)), foldEvents(eventsOf(`${name}-res2`))]
    expect(second.session).toBe(first.session)
    const before = usageOf(first) ?? NO_USAGE
    expect(before.inputTokens).toBe(4200)
    const { usd, ...tokens } = usageOf(second, before) ?? {}
    expect(tokens).toEqual({ inputTokens: 4200, cachedTokens: 3000, outputTokens: 50 })
    expect(usd ?? 0).toBeCloseTo(before.usd ?? 0, 9)
  })
})
