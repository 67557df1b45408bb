/** Fields that many answers share. */
import { z } from 'zod'
import { CRITERION_STATUSES } from '../../domain/verdict/evidence.ts'
import { STAGES } from '../../domain/task/stage.ts'

export const at = z.iso.datetime()
export const texts = z.array(z.string())
export const count = z.int()

export const status = z.enum(['not-started', 'in-progress', 'completed', 'failed', 'cancelled'])
export const stage = z.enum(STAGES)
export const criterionStatus = z.enum(CRITERION_STATUSES)
export const storyState = z.enum([
  'OPEN',
  'SHIPPABLE',
  'SHIPPING',
  'DEPLOYED',
  'VALIDATING',
  'REVIEW_READY',
  'NEEDS_FIX',
  'CANCELLED',
])
export const workKind = z.enum(['deferred', 'ship', 'validation'])
