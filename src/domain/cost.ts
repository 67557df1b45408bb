/**
 * What work has cost, summed over runs, failed ones and judges included. Unknown costs stay unknown: the sum says that
 * it is partial, and never counts them as zero.
 */
import type { RunFacts } from './run.ts'

/** The sum over some runs. */
export interface Spent {
  /** Runs of agents that really ran. */
  runs: number
  /** Of these, the ones whose dollars are known. */
  priced: number
  /** Null: none of them told. */
  usd: number | null
  inputTokens: number | null
  outputTokens: number | null
}

/** As it is shown. `partial`: of some runs it is not known what they cost. */
export interface Cost {
  usd: number | null
  inputTokens: number | null
  outputTokens: number | null
  partial: boolean
}

export function spentBy({ program, usage }: RunFacts): Spent | null {
  if (program === undefined) return null
  const { usd = null, inputTokens = null, outputTokens = null } = usage ?? {}
  return { runs: 1, priced: usd === null ? 0 : 1, usd, inputTokens, outputTokens }
}

export function costOf(spent: Iterable<Spent | null>): Cost {
  const cost: Cost = { usd: null, inputTokens: null, outputTokens: null, partial: false }
  for (const part of spent) {
    if (part === null) continue
    cost.usd = sum(cost.usd, part.usd)
    cost.inputTokens = sum(cost.inputTokens, part.inputTokens)
    cost.outputTokens = sum(cost.outputTokens, part.outputTokens)
    cost.partial ||= part.priced < part.runs
  }
  return cost
}

function sum(a: number | null, b: number | null): number | null {
  return a === null ? b : a + (b ?? 0)
}

/** For people: "$1.25", "at least $1.25, 3200 tokens in, 40 out"; null when nothing is known. */
export function describeCost({ usd, inputTokens, outputTokens, partial }: Cost): string | null {
  const dollars = usd === null ? [] : [`${partial ? 'at least ' : ''}${describeUsd(usd)}`]
  const tokens = inputTokens === null ? [] : [`${inputTokens} tokens in, ${outputTokens ?? 0} out`]
  return [...dollars, ...tokens].join(', ') || null
}

/** Small sums keep the digits that say something. */
export function describeUsd(usd: number): string {
  return `$${usd.toFixed(usd > 0 && usd < 1 ? 4 : 2)}`
}

const dayMs = 24 * 60 * 60 * 1000

/** Days are counted from 1970, in UTC like every time that Muster shows. */
export const dayOf = (at: number): number => Math.floor(at / dayMs)
export const startOfDay = (day: number): number => day * dayMs
