/** What of a forge's trouble a task waits for. */
import { because, comesByItself, wordsOf } from '../../../domain/task/reasons.ts'
import { expect, test } from 'vitest'
import { MusterError } from '../../../domain/errors.ts'
import { attempt, trouble } from './pull.ts'

test('what the forge cannot do keeps the task waiting, in its words; only what is busy ends by itself', () => {
  expect(trouble(new MusterError('busy', 'a limit'))).toEqual(
    because('forge', { said: 'a limit', hint: null, busy: true }),
  )
  const token = trouble(new MusterError('not_allowed', 'no token', { hint: 'set one' }))
  expect([wordsOf(token), comesByItself(token)]).toEqual(['no token (set one)', false])
  expect(comesByItself(trouble(new MusterError('git', 'no such ref')))).toBe(false)
})

test.each([new MusterError('storage', 'odd'), Object.assign(new Error('odd'), { code: 'busy' }), new TypeError('odd')])(
  'a mistake of Muster’s own is no trouble of the forge: %s',
  async (thrown) => {
    expect(() => trouble(thrown)).toThrow(thrown)
    await expect(attempt(() => Promise.reject(thrown))).rejects.toBe(thrown)
  },
)
