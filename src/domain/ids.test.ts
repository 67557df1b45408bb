import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MusterError } from './errors.ts'
import { compareNatural, isId, naturalKey, resolveId, slug } from './ids.ts'
import { idCharsMax } from './limits.ts'

describe('natural order', () => {
  test('S2.27 E-26 task-2 comes before task-10', () => {
    const ids = ['task-10', 'task-2', 'task-1', 'task-2.1', 'task-2.10', 'task-2.9', 'a', 'B']
    expect(ids.toSorted(compareNatural)).toEqual([
      'a',
      'B',
      'task-1',
      'task-2',
      'task-2.1',
      'task-2.9',
      'task-2.10',
      'task-10',
    ])
  })

  test('leading zeros do not count, yet different ids never tie', () => {
    expect(compareNatural('t-007', 't-8')).toBe(-1)
    expect(compareNatural('t-01', 't-1')).not.toBe(0)
    expect(compareNatural('A', 'a')).not.toBe(0)
    expect(compareNatural('a', 'a')).toBe(0)
  })

  test('equals the comparison of the numeric parts, however long they are', () => {
    const number = fc.oneof(fc.bigInt({ min: 0n, max: 2000n }), fc.bigInt({ min: 0n, max: 10n ** 99n }))
    const parts = fc.array(number, { minLength: 1, maxLength: 3 })
    fc.assert(
      fc.property(parts, parts, fc.constantFrom('-', '.', '_'), (a, b, joint) => {
        const id = (numbers: bigint[]) => ['t', ...numbers].join(joint)
        expect(compareNatural(id(a), id(b))).toBe(compareParts(a, b))
      }),
    )
  })

  test('is a total order on ids that plain string order on naturalKey repeats', () => {
    const id = fc.stringMatching(/^[A-Ca-c0-2._-]{1,8}$/)
    fc.assert(
      fc.property(id, id, id, (a, b, c) => {
        expect(compareNatural(a, b)).toBe(compareNatural(b, a) === 0 ? 0 : -compareNatural(b, a))
        expect(compareNatural(a, b) === 0).toBe(a === b)
        expect(compareNatural(a, b) < 0).toBe(naturalKey(a) < naturalKey(b))
        const sorted = [a, b, c].toSorted(compareNatural)
        expect(compareNatural(sorted[0] ?? '', sorted[2] ?? '')).toBeLessThanOrEqual(0)
      }),
    )
  })
})

function compareParts(a: readonly bigint[], b: readonly bigint[]): number {
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const [x, y] = [a[index], b[index]]
    if (x === undefined || y === undefined) return x === undefined ? -1 : 1
    if (x !== y) return x < y ? -1 : 1
  }
  return 0
}

describe('isId', () => {
  test.each(['a', '1', 'task-1', 'Task_1.2', 'a.b-c', 'x-', 'a'.repeat(idCharsMax)])('takes %s', (id) => {
    expect(isId(id)).toBe(true)
  })

  test.each(['', '-a', '.a', 'a.', 'a..b', 'a.lock', 'a b', 'a/b', 'ä', 'a\n', 'a~1', '@', 'a'.repeat(idCharsMax + 1)])(
    'refuses %j: it cannot name a branch',
    (id) => {
      expect(isId(id)).toBe(false)
    },
  )
})

describe('slug', () => {
  test.each([
    ['Add a Login Form!', 'add-a-login-form'],
    ['Crème brûlée, twice', 'creme-brulee-twice'],
    ['日本語', 'story'],
    ['', 'story'],
    ['x'.repeat(60), 'x'.repeat(40)],
    ['one two three four five six seven eight nine', 'one-two-three-four-five-six-seven-eight'],
  ])('of %j is %s', (text, expected) => {
    expect(slug(text)).toBe(expected)
  })

  test('is an id, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(isId(slug(text))).toBe(true)
      }),
    )
  })
})

describe('resolveId', () => {
  const ids = ['auth-1', 'auth-14', 'shop-14', 'shop-3', 'shop-3.check.1', 'api-x4']

  test('an id itself wins over everything that ends with it', () => {
    expect(resolveId('auth-1', [...ids, 'x-auth-1'], 'task')).toBe('auth-1')
  })

  test.each([
    ['3', 'shop-3'],
    ['x4', 'api-x4'],
    ['th-14', 'auth-14'],
    ['check.1', 'shop-3.check.1'],
  ])('%s is enough for %s', (wanted, id) => {
    expect(resolveId(wanted, ids, 'task')).toBe(id)
  })

  test('a part after a hyphen or dot wins over letters that happen to end so', () => {
    expect(resolveId('4', ['auth-14', 'shop-4'], 'task')).toBe('shop-4')
  })

  test('what fits several is refused, naming them in natural order', () => {
    const many = Array.from({ length: 8 }, (_, index) => `s${index + 4}-14`)
    expect(() => resolveId('14', ids, 'task')).toThrow('"14" matches more than one task: auth-14, shop-14')
    expect(() => resolveId('14', many, 'task')).toThrow(': s4-14, s5-14, s6-14, s7-14, s8-14 and 3 more')
  })

  test.each(['nope', '', '-'])('what fits none (%j) is not found, even among one', (wanted) => {
    const error = caught(() => resolveId(wanted, ['auth-1'], 'task'))
    expect(error).toMatchObject({ code: 'not_found', message: `there is no task "${wanted}"` })
    expect(error.hint).toBe('muster status lists them')
  })
})

function caught(act: () => unknown): MusterError {
  try {
    act()
  } catch (error) {
    if (error instanceof MusterError) return error
    throw error
  }
  throw new Error('nothing was refused')
}
