/** Answers with figures: costs, and how often judges were right. See answers.ts. */
import { z } from 'zod'
import { count } from './answers-common.ts'

export const cost = z.object({
  usd: z.number().nullable(),
  inputTokens: count.nullable(),
  outputTokens: count.nullable(),
  partial: z.boolean().describe('the cost of some runs is unknown'),
})
const verdicts = z.object({ role: z.string(), PASS: count, WARN: count, FAIL: count, ERROR: count })
const rate = z.object({ verdicts: count, overruled: count, rate: z.number().nullable() })

export const spent = z.object({
  total: cost.extend({ runs: count, workMs: count.describe('the total time of the runs') }),
  lines: z.array(
    cost.extend({
      day: z.iso.date(),
      story: z.string().nullable(),
      role: z.string(),
      program: z.string(),
      runs: count,
      workMs: count,
    }),
  ),
})

export const stats = z.object({
  judges: z.array(verdicts),
  verdicts: z
    .array(verdicts.extend({ program: z.string().nullable() }))
    .describe('verdicts of agents, and results of verifications, by role and program'),
  overruled: z.object({ pass: rate, fail: rate }),
  rounds: z.object({
    tasks: count,
    mean: z.number().nullable(),
    max: z.number().nullable(),
    none: count,
    by: z
      .array(z.object({ rounds: count, tasks: count }))
      .describe('how many tasks took how many rounds, fewest rounds first'),
  }),
  roles: z.array(cost.extend({ role: z.string(), runs: count })),
})
