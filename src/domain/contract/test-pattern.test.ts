import { expect, test } from 'vitest'
import { fitsPattern, testPattern } from './test-pattern.ts'

test('a test pattern tells files apart', () => {
  expect(testPattern('src/a.ts', ['src/a.ts'])).toBe('src/a')
  expect(testPattern('src/cart.ts', ['src/cart.ts'])).toBe('cart')
  expect(testPattern('index.ts', ['index.ts'])).toBe('index')
  expect(testPattern('.env', ['.env'])).toBe('.env')
})

test('H-3 a pattern fits the file it was made for, whatever the others are', () => {
  for (const [path, ...others] of [
    ['src/a.ts'],
    ['src/cart.ts', 'lib/cart.ts'],
    ['src/cart/index.ts', 'src/shop/index.ts'],
    ['.env'],
    ['index.ts'],
  ] as const) {
    const pattern = testPattern(path, [path, ...others])
    expect(fitsPattern(path, pattern), path).toBe(true)
    for (const other of others) expect(fitsPattern(other, pattern), other).toBe(false)
  }
  expect(fitsPattern('src/art.ts', 'rt')).toBe(false)
})
