/**
 * The plan of a task in a terminal. An agent wrote it, so it is made safe to show. It is never shortened: who approves
 * it must see the same text as its author.
 */
import { visible } from '../domain/display.ts'
import type { PlanView } from '../engine/steps/planning.ts'
import { oneLine } from './io.ts'

export const planText = ({ text }: PlanView): string => `${visible(text).trimEnd()}\n`

/** Which it is, and whether anybody approved it. */
export function planName({ run, digest, approvedBy }: PlanView): string {
  const stands = approvedBy === null ? 'not approved' : `approved by ${oneLine(approvedBy)}`
  return `${run}, ${digest.slice(0, 12)}, ${stands}`
}

export function planLines(plan: PlanView): string {
  return `\nPlan (${planName(plan)})\n  ${planText(plan).trimEnd().replaceAll('\n', '\n  ')}\n`
}
