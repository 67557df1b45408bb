import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatAge, formatDuration, parseDuration } from './duration.ts'

describe('parseDuration', () => {
  test.each([
    ['500ms', 500],
    ['90s', 90_000],
    ['30m', 1_800_000],
    ['1h30m', 5_400_000],
    [' 1h 30m ', 5_400_000],
    ['1.5h', 5_400_000],
    ['2d', 172_800_000],
    ['0s', 0],
  ])('reads %s', (text, ms) => {
    expect(parseDuration(text)).toBe(ms)
  })

  test.each(['', '90', '1x', 's', '-5s', '5s!', 'five minutes', '1h30', '1..5s', '5S', '٣s'])(
    'does not take %j for a duration',
    (text) => {
      expect(parseDuration(text)).toBeNull()
    },
  )

  test('is the sum of its parts', () => {
    const part = fc.nat(1000)
    fc.assert(
      fc.property(part, part, part, (h, m, s) => {
        expect(parseDuration(`${h}h${m}m${s}s`)).toBe(((h * 60 + m) * 60 + s) * 1000)
      }),
    )
  })
})

describe('formatDuration', () => {
  test.each([
    [0, '0ms'],
    [340, '340ms'],
    [999.7, '1s'],
    [4200, '4.2s'],
    [4000, '4s'],
    [9990, '10s'],
    [42_400, '42s'],
    [59_700, '1m'],
    [60_000, '1m'],
    [200_000, '3m20s'],
    [185_000, '3m05s'],
    [3_600_000, '1h00m'],
    [3_900_000, '1h05m'],
    [90_000_000, '25h00m'],
  ])('%d ms is %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text)
  })

  test('what it writes reads back as nearly the same time', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500_000_000 }), (ms) => {
        const back = parseDuration(formatDuration(ms)) ?? Number.NaN
        const slack = ms < 1000 ? 1 : ms < 60_000 ? 500 : ms < 3_600_000 ? 1000 : 60_000
        expect(Math.abs(back - ms)).toBeLessThanOrEqual(slack)
      }),
    )
  })
})

test.each([
  [90_000, '1m30s'],
  [172_799_999, '47h59m'],
  [172_800_000, '2d'],
  [30.9 * 86_400_000, '30d'],
])('an age of %d ms is %s', (ms, text) => {
  expect(formatAge(ms)).toBe(text)
})
