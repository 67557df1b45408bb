/**
 * The plan of a task in a terminal: an agent wrote it, so nothing in it acts there. All of it is shown, as its author
 * gets it: who approves it must see the same.
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
