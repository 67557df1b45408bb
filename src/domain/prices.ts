/**
 * Prices of tokens, for programs that report only tokens; each program has its own list. A model that is not listed has
 * no price, and Muster refuses a budget for it, because it could not enforce it.
 */
import type { Usage } from './usage.ts'

/** Dollars per million tokens. */
interface Price {
  input: number
  cached: number
  output: number
}

/** By model. */
export type Prices = Readonly<Record<string, Price>>

export function canPrice(prices: Prices, model: string | undefined): boolean {
  return model !== undefined && Object.hasOwn(prices, model)
}

/** The usage with its dollars, unless the program told them itself or nobody knows the price. */
export function priced(usage: Usage, model: string | undefined, prices: Prices): Usage {
  const price = model === undefined || !canPrice(prices, model) ? undefined : prices[model]
  if (usage.usd !== undefined || price === undefined) return usage
  const fresh = Math.max(0, usage.inputTokens - usage.cachedTokens)
  const usd = (fresh * price.input + usage.cachedTokens * price.cached + usage.outputTokens * price.output) / 1e6
  return { ...usage, usd }
}
