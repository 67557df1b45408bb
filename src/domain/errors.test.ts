import { describe, expect, test } from 'vitest'
import type { ErrorCode } from './errors.ts'
import { ERROR_CODES, MusterError, assert, engineFailed, systemFailure } from './errors.ts'

describe('MusterError', () => {
  test('says what happened, what to do next, and what caused it', () => {
    const cause = new Error('disk full')
    const error = new MusterError('storage', 'the task was not stored', { hint: 'free some space', cause })
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({ name: 'MusterError', code: 'storage', hint: 'free some space', cause })
    expect(String(error)).toBe('MusterError: the task was not stored')
  })

  test('has no cause and no hint unless given', () => {
    const error = new MusterError('usage', 'no')
    expect(error.hint).toBeUndefined()
    expect('cause' in error).toBe(false)
  })

  test.each<[ErrorCode, number]>([
    ['failed', 1],
    ['usage', 2],
    ['config', 2],
    ['gate_closed', 3],
    ['conflict', 3],
    ['not_allowed', 4],
    ['not_found', 5],
    ['waiting', 8],
    ['interrupted', 130],
  ])('the code %s exits with %d', (code, exit) => {
    expect(ERROR_CODES[code].exit).toBe(exit)
  })

  test('no code exits with 0 or answers a request with success', () => {
    for (const { exit, http } of Object.values(ERROR_CODES)) {
      expect(exit).toBeGreaterThan(0)
      expect(http).toBeGreaterThanOrEqual(400)
    }
  })
})

test('an assertion that fails is a mistake in Muster, not an expected failure', () => {
  expect(() => assert(true, 'fine')).not.toThrow()
  expect(() => assert(0, 'a run has a task')).toThrow('assertion failed: a run has a task')
  expect(() => assert(null, 'x')).not.toThrow(MusterError)
})

test.each([
  ['ENOSPC', '/data/x', 'the disk is full (/data/x)'],
  ['EMFILE', undefined, 'too many files are open'],
])('what the system is out of is no mistake in Muster: %s', (code, path, message) => {
  const error = Object.assign(new Error(`${code}: words of the system`), {
    code,
    ...(path === undefined ? {} : { path }),
  })
  expect(systemFailure(error)).toMatchObject({ code: 'storage', message, cause: error })
  expect(engineFailed(error, '/log').message).toBe(`the engine failed: ${message}`)
  for (const other of [new Error('odd'), Object.assign(new Error('odd'), { code: 'ENOENT' }), 'odd', null])
    expect(systemFailure(other)).toBeNull()
})

describe('an engine that failed', () => {
  test('says why and what to do, in the words of what is known', () => {
    const full = new MusterError('storage', 'the disk is full', { hint: 'free some space' })
    expect(engineFailed(full, '/log')).toMatchObject({
      code: 'storage',
      message: 'the engine failed: the disk is full',
      hint: 'free some space\nfor details, see /log\nthen: muster run',
      cause: full,
    })
  })

  test.each([new MusterError('git', 'odd'), new TypeError('odd'), 'odd'])('has failed otherwise: %s', (error) => {
    const failed = engineFailed(error, '/log')
    expect(failed).toMatchObject({ code: 'failed', hint: 'for details, see /log\nthen: muster run' })
    expect(failed.message.includes('a bug in Muster')).toBe(!(error instanceof MusterError))
  })
})
