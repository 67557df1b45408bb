import { describe, expect, test } from 'vitest'
import { sameWay, wordsOf } from './failure.ts'

describe('H-4 two failures of a test are the same when only what differs from run to run differs', () => {
  test.each([
    ['numbers', 'expected 3 to be 4', 'expected -17.5 to be 4'],
    ['timings', 'Test timed out in 5000ms.', 'Test timed out in 5.2 s.'],
    [
      'addresses',
      'connect ECONNREFUSED 127.0.0.1:4312 <Object at 0x7f3a>',
      'connect ECONNREFUSED 127.0.0.1:80 <Object at 0x11>',
    ],
    ['paths', "ENOENT: open '/tmp/abc-X/y.json'", "ENOENT: open '/tmp/zzz-Q/sub/y.json'"],
    [
      'ids',
      'no row 6f1c2b1e-0000-4a6b-9d4e-1234567890ab of a1b2c3d4e5',
      'no row 00000000-1111-4a6b-9d4e-1234567890ff of 99887766aa',
    ],
    ['the stack', 'Error: no\n    at add (src/a.js:3:4)\n    at b', 'Error: no\n    at sum (src/b.js:30:4)'],
    ['the source around it', 'Error: no\n  12 | add(1)\n     | ^', 'Error: no\n  14 | sum(1)\n     | ^'],
    [
      'pytest’s source',
      'def test_c():\n>   assert a() == 2\nE   assert 1 == 2',
      'def test_c():\n    b()\n>   assert a() == 2\nE   assert 3 == 2',
    ],
  ])('%s', (_, before, after) => {
    expect(wordsOf(after)).toBe(wordsOf(before))
    expect(sameWay({ message: before }, { message: after })).toBe(true)
  })

  test.each([
    ['another error', 'TypeError: x is not a function', 'AssertionError: x is not a function'],
    ['other words', 'expected true to be false', 'expected null to be false'],
    ['words where there were none', '', 'Error: no'],
    ['pytest’s words', 'E   assert 1 == 2', "E   AttributeError: 'A' has no attribute 'b'"],
  ])('but not with %s', (_, before, after) => {
    expect(sameWay({ message: before }, { message: after })).toBe(false)
  })

  test('a file that does not load and a test that fails are never the same', () => {
    expect(sameWay({ message: 'no', kind: 'load' }, { message: 'no' })).toBe(false)
    expect(sameWay({}, {})).toBe(true)
  })

  test('long messages take no long', () => {
    expect(wordsOf('a/'.repeat(100_000)).length).toBeLessThan(1000)
  })
})
