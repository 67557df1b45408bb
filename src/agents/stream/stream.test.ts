import { describe, expect, test } from 'vitest'
import fc from 'fast-check'
import { VERDICTS } from '../../domain/verdict/verdict.ts'
import { claude } from '../claude/adapter.ts'
import { codex } from '../codex/adapter.ts'
import { emptyFold, foldEvents } from './fold.ts'
import { lineSplitter } from './lines.ts'
import { timeOfClock } from './reset.ts'
import { resultOf, VERDICTS_OF } from './result.ts'

const adapters = [claude, codex]
const init = '{"type":"system","subtype":"init","session_id":"s"}'
const result = (fields: string): string => `{"type":"result","subtype":"success","is_error":false${fields}}`

describe('a parser', () => {
  test.each(adapters)(
    'of $name throws at nothing: any text, any JSON, any object with its words in it',
    ({ parse }) => {
      const words = fc.constantFrom('type', 'subtype', 'message', 'content', 'usage', 'item', 'error', 'modelUsage')
      const kinds = fc.constantFrom('system', 'assistant', 'user', 'result', 'item.completed', 'turn.failed', 'error')
      const value = fc.letrec((tie) => ({
        value: fc.oneof(
          kinds,
          fc.jsonValue(),
          fc.dictionary(words, tie('value')),
          fc.array(tie('value'), { maxLength: 3 }),
        ),
      })).value
      const lines = fc
        .tuple(kinds, fc.dictionary(words, value))
        .map(([type, fields]) => JSON.stringify({ ...fields, type }))
      const understood = (line: string): void => {
        expect(parse(line)).toBeInstanceOf(Array)
      }
      fc.assert(fc.property(fc.oneof(fc.string(), lines), understood), { numRuns: 500 })
    },
  )

  test.each(adapters)('of $name takes garbage, cut lines and megabytes for what they are', ({ parse }) => {
    for (const line of [
      '',
      '{',
      'null',
      '[1]',
      '{"type":"result"',
      '{"type":null}',
      `{"type":"x","y":"${'y'.repeat(2e6)}"}`,
    ]) {
      expect(parse(line)).toEqual([])
    }
  })

  test('takes no time of reset that is none', () => {
    for (const resetsAt of [-1, 0, 1e300, 'soon', null]) {
      const line = JSON.stringify({ type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt } })
      expect(claude.parse(line)).toEqual([{ type: 'rate-limit', reached: true }])
    }
  })

  test('takes no session id that could be an option, or worse', () => {
    for (const id of ['--dangerous', '', 'a b', '../x', 7]) {
      expect(claude.parse(JSON.stringify({ type: 'system', subtype: 'init', session_id: id }))).toEqual([])
      expect(codex.parse(JSON.stringify({ type: 'thread.started', thread_id: id }))).toEqual([])
    }
  })

  test('hands over what is told to tools of Muster, and of nobody else', () => {
    const input = { verdict: 'PASS', nonce: 'n' }
    const told = { type: 'told', call: { tool: 'submit_verdict', input } }
    const use = (name: string) =>
      JSON.stringify({ type: 'assistant', message: { content: [{ type: 'tool_use', id: 't1', name, input }] } })
    expect(claude.parse(use('mcp__muster__submit_verdict'))).toMatchObject([
      { type: 'tool-started' },
      { ...told, id: 't1' },
    ])
    expect(claude.parse(use('mcp__other__submit_verdict'))).toMatchObject([{ type: 'tool-started' }])
    const item = (type: string, server: string) => {
      const call = { id: 'item_1', type: 'mcp_tool_call', server, tool: 'submit_verdict', arguments: input }
      return JSON.stringify({ type, item: { ...call, result: null, error: null, status: 'in_progress' } })
    }
    const lines = ['item.started', 'item.completed'].map((type) => item(type, 'muster'))
    expect(codex.parse(lines[0] ?? '')).toMatchObject([{ type: 'tool-started' }, { ...told, id: 'item_1' }])
    expect([...foldEvents(lines.flatMap((line) => codex.parse(line))).told.values()]).toEqual([told.call])
    expect(foldEvents(codex.parse(item('item.completed', 'other'))).told.size).toBe(0)
  })

  test('finds the type wherever it stands in the line', () => {
    expect(claude.parse('{"is_error":false,"result":"hi","subtype":"success","type":"result"}')).toMatchObject([
      { type: 'final', end: 'ok' },
    ])
  })

  test('a result without an error flag that says it is none is a failure', () => {
    expect(claude.parse('{"type":"result","subtype":"success"}')).toMatchObject([{ end: 'failed' }])
    expect(claude.parse(result(',"terminal_reason":"aborted_tools"'))).toMatchObject([{ end: 'failed' }])
    expect(claude.parse('{"type":"result","subtype":"error_during_execution","is_error":false}')).toMatchObject([
      { end: 'failed' },
    ])
  })

  test("an older program's limit has its time in the text", () => {
    const text = 'Claude AI usage limit reached|1794728208'
    const line = JSON.stringify({ type: 'result', subtype: 'success', is_error: true, result: text })
    expect(claude.parse(line)).toMatchObject([{ reached: true, resetsAt: 1794728208_000 }, { end: 'rate-limited' }])
  })
})

describe('a result', () => {
  const fold = (...lines: string[]) => foldEvents(lines.flatMap((line) => claude.parse(line)))
  const ended = { code: 0, signal: null }

  test('the final event told twice: the last counts', () => {
    const failed = '{"type":"result","subtype":"success","is_error":true}'
    expect(resultOf(fold(init, failed, result('')), ended, false)).toBe('ok')
    expect(resultOf(fold(init, result(''), failed), ended, false)).toBe('failed')
  })

  test('without a final event it never is ok, whatever the exit code (E-1)', () => {
    expect(resultOf(fold(init), ended, false)).toBe('failed')
    expect(resultOf(fold(init), { code: 1, signal: null }, false)).toBe('failed')
    expect(resultOf(fold(init), { code: null, signal: 'SIGKILL' }, false)).toBe('killed')
    expect(resultOf(fold('garbage'), ended, false)).toBe('protocol-error')
    expect(resultOf(emptyFold(), { code: 1, signal: null }, true)).toBe('protocol-error')
  })

  test('a failure before there was a session is none of the work', () => {
    const failed = '{"type":"result","subtype":"error_during_execution","is_error":true,"errors":["no such session"]}'
    expect(resultOf(fold(failed), { code: 1, signal: null }, false)).toBe('protocol-error')
    expect(resultOf(fold(init, failed), { code: 1, signal: null }, false)).toBe('failed')
  })

  test('a good final event and a bad exit code are a failure', () => {
    expect(resultOf(fold(init, result('')), { code: 1, signal: null }, false)).toBe('failed')
  })

  test('what Muster ended has the reason it was ended for, unless it had told its end', () => {
    const cut = (cut: 'budget' | 'turn-limit' | 'stalled' | 'lingered') => ({ code: 143, signal: null, cut })
    expect(resultOf(fold(init), cut('stalled'), false)).toBe('stalled')
    expect(resultOf(fold(init), cut('turn-limit'), false)).toBe('turn-limit')
    expect(resultOf(fold(init, result('')), cut('budget'), false)).toBe('budget')
    expect(resultOf(fold(init, result('')), cut('lingered'), false)).toBe('ok')
  })

  test('each has a verdict; only ok passes, and only for an author (L33)', () => {
    const rows = Object.entries(VERDICTS_OF)
    expect(rows.filter(([, { author }]) => author === 'PASS').map(([name]) => name)).toEqual(['ok'])
    expect(rows.every(([, { judge }]) => judge === 'ERROR')).toBe(true)
    expect(rows.every(([, { author }]) => VERDICTS.includes(author))).toBe(true)
  })
})

describe('lines', () => {
  test('come whole however the chunks fall, in the middle of a character too', () => {
    const bytes = Buffer.from('één\n\nzwei ß\nrest')
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length)), (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), bytes.length]
        const splitter = lineSplitter()
        const lines = at.flatMap((start, index) => splitter.add(bytes.subarray(start, at[index + 1] ?? bytes.length)))
        expect([...lines, ...splitter.rest()]).toEqual(['één', 'zwei ß', 'rest'])
      }),
    )
  })

  test('that are too long are left out, and the next one is whole', () => {
    const splitter = lineSplitter(10)
    expect(splitter.add(Buffer.from('12345678901'))).toEqual([])
    expect(splitter.add(Buffer.from('2\nok\n'))).toEqual(['ok'])
    expect(splitter.rest()).toEqual([])
  })
})

describe("a wall clock's time", () => {
  const now = new Date(2026, 10, 15, 7, 0).getTime()
  test.each([
    ['7:42 AM', new Date(2026, 10, 15, 7, 42)],
    ['6:59 AM', new Date(2026, 10, 16, 6, 59)],
    ['12:05 PM', new Date(2026, 10, 15, 12, 5)],
    ['12:05 AM', new Date(2026, 10, 16, 0, 5)],
    ['Nov 20th, 2026 7:42 PM', new Date(2026, 10, 20, 19, 42)],
    ['Dec 1st, 2026 1:00 AM', new Date(2026, 11, 1, 1, 0)],
  ])('%s', (text, at) => {
    expect(timeOfClock(text, now)).toBe(at.getTime())
  })

  test('is null if it is none', () => {
    for (const text of ['soon', '', '25 o’clock', 'later. 7:42 AM']) expect(timeOfClock(text, now)).toBeNull()
  })
})
