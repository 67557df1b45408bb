import { expect, test } from 'vitest'
import { prices } from '../agents/codex/prices.ts'
import { canPrice, priced } from './prices.ts'

const usage = { inputTokens: 3e6, cachedTokens: 1e6, outputTokens: 1e6 }

test('a known model has its price, tokens that were cached theirs', () => {
  const [model = ''] = Object.keys(prices)
  const { usd = 0 } = priced(usage, model, prices)
  const { usd: fresh = 0 } = priced({ ...usage, cachedTokens: 0 }, model, prices)
  expect(usd).toBeGreaterThan(0)
  expect(fresh).toBeGreaterThan(usd)
})

test('what the program told itself counts, and what nobody knows is not told', () => {
  expect(priced({ ...usage, usd: 7 }, Object.keys(prices)[0], prices).usd).toBe(7)
  for (const model of [undefined, 'nobody-1', 'toString']) {
    expect(canPrice(prices, model)).toBe(false)
    expect(priced(usage, model, prices)).toBe(usage)
  }
})
