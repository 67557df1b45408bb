/**
 * What tokens cost, for programs that report tokens only: list prices of one day, an estimate and no invoice. A model
 * that is not listed has no price, and a budget for it is refused, since nobody could keep it.
 */
import type { Usage } from './usage.ts'

/** Dollars per million tokens. */
interface Price {
  input: number
  cached: number
  output: number
}

/** Of 2026-11-06. The standard tier, prompts of up to 272,000 tokens. Longer prompts cost up to twice as much. */
const PRICES: Readonly<Record<string, Price>> = {
  'gpt-5.5': { input: 5, cached: 0.5, output: 30 },
  'gpt-5.6-terra': { input: 2, cached: 0.2, output: 12 },
  'gpt-6.1-sol': { input: 2, cached: 0.1, output: 10 },
  'gpt-6.1-terra': { input: 1, cached: 0.05, output: 5 },
}

export const pricedModels = (): string[] => Object.keys(PRICES)

export function canPrice(model: string | undefined): boolean {
  return model !== undefined && Object.hasOwn(PRICES, model)
}

/** The usage with its dollars, unless the program told them itself or nobody knows the price. */
export function priced(usage: Usage, model: string | undefined): Usage {
  const price = model === undefined || !canPrice(model) ? undefined : PRICES[model]
  if (usage.usd !== undefined || price === undefined) return usage
  const fresh = Math.max(0, usage.inputTokens - usage.cachedTokens)
  const usd = (fresh * price.input + usage.cachedTokens * price.cached + usage.outputTokens * price.output) / 1e6
  return { ...usage, usd }
}
