/** What Codex's models cost, since it tells tokens and no dollars: list prices of one day, an estimate and no invoice. */
import type { Prices } from '../../domain/prices.ts'

/** Of 2026-11-06. The standard tier, prompts of up to 272,000 tokens. Longer prompts cost up to twice as much. */
export const prices: Prices = {
  'gpt-5.5': { input: 5, cached: 0.5, output: 30 },
  'gpt-5.6-terra': { input: 2, cached: 0.2, output: 12 },
  'gpt-6.1-sol': { input: 2, cached: 0.1, output: 10 },
  'gpt-6.1-terra': { input: 1, cached: 0.05, output: 5 },
}
