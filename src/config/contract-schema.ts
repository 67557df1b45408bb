/** A contract as a person may write it, or give back as Muster printed it. */
import { z } from 'zod'
import type { WrittenContract } from '../domain/contract/contract.ts'
import { textCharsMax } from '../domain/limits.ts'
import { noNul, projectPath, word } from './fields.ts'

const phrase = z.string().min(1).max(10_000).refine(noNul, 'must not contain NUL characters')
const criterion = z.strictObject({
  description: z.string().trim().min(1).max(textCharsMax).refine(noNul, 'must not contain NUL characters'),
  activity: word.default('acceptance'),
  command: phrase.trim().min(1).optional(),
  expect: z.strictObject({ exit: z.number().int().min(0).max(255).optional(), output: phrase.optional() }).optional(),
  assertion: z
    .strictObject({
      kind: z.enum(['exists', 'absent', 'contains', 'lacks']),
      path: projectPath,
      text: phrase.optional(),
    })
    .optional(),
  pattern: phrase.optional(),
  kind: z.enum(['goal', 'guard']).optional(),
  judge: z.enum(['machine', 'checker', 'person']).optional(),
  timing: z.enum(['immediate', 'deferred']).optional(),
  skipped: phrase.optional(),
  id: word.optional(),
})

/** What a generated contract says of itself: it may be given back as it was printed, and is made anew. */
const CONTRACT_FACTS = {
  generatedFrom: z.enum(['auto', 'user', 'prd']).optional(),
  generatedAt: z.iso.datetime().optional(),
  ambiguous: z.unknown().optional(),
  couldBe: z.unknown().optional(),
  why: z.unknown().optional(),
  notices: z.unknown().optional(),
  files: z.unknown().optional(),
  taskHash: z.unknown().optional(),
  hash: z.unknown().optional(),
}

/** What a person may write in place of a generated contract, Muster's own JSON included (S3.3, S3.4). */
export const contractSchema = z
  .strictObject({
    type: z.enum(['verifiable', 'advisory', 'skip']).default('verifiable'),
    criteria: z.array(criterion).max(200).default([]),
    ...CONTRACT_FACTS,
  })
  .transform(({ type, criteria }): WrittenContract => ({
    type,
    criteria: criteria.map(({ id: _, ...written }) => written),
  }))
