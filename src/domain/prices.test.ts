import { expect, test } from 'vitest'
import { canPrice, priced, pricedModels } from './prices.ts'

const usage = { inputTokens: 3e6, cachedTokens: 1e6, outputTokens: 1e6 }

test('a known model has its price, tokens that were cached theirs', () => {
  const [model = ''] = pricedModels()
  const { usd = 0 } = priced(usage, model)
  const { usd: fresh = 0 } = priced({ ...usage, cachedTokens: 0 }, model)
  expect(usd).toBeGreaterThan(0)
  expect(fresh).toBeGreaterThan(usd)
})

test('what the program told itself counts, and what nobody knows is not told', () => {
  expect(priced({ ...usage, usd: 7 }, pricedModels()[0]).usd).toBe(7)
  for (const model of [undefined, 'nobody-1', 'toString']) {
    expect(canPrice(model)).toBe(false)
    expect(priced(usage, model)).toBe(usage)
  }
})
