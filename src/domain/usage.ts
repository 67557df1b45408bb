/** What a run used of a model: tokens, and dollars if they are known. Pure arithmetic. */

export interface Usage {
  /** All input, what came from a cache included. */
  inputTokens: number
  cachedTokens: number
  outputTokens: number
  /** As the program reported it, or by the price list. Absent when nobody knows, which is not the same as nothing. */
  usd?: number
}

export const NO_USAGE: Usage = { inputTokens: 0, cachedTokens: 0, outputTokens: 0, usd: 0 }

/** Dollars are known of a sum only if they are known of both. */
export function addUsage(a: Usage, b: Usage): Usage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    cachedTokens: a.cachedTokens + b.cachedTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    ...(a.usd === undefined || b.usd === undefined ? {} : { usd: a.usd + b.usd }),
  }
}

/** What a session used since: programs count on when they resume one. Never less than nothing. */
export function usageSince(total: Usage, before: Usage): Usage {
  const rest = (all: number, part: number): number => Math.max(0, all - part)
  return {
    inputTokens: rest(total.inputTokens, before.inputTokens),
    cachedTokens: rest(total.cachedTokens, before.cachedTokens),
    outputTokens: rest(total.outputTokens, before.outputTokens),
    ...(total.usd === undefined ? {} : { usd: rest(total.usd, before.usd ?? 0) }),
  }
}
