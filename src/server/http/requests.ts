/** What requests may say: one zod type each, for checking, for TypeScript and for the OpenAPI document. */
import { z } from 'zod'
import { storyRequest } from '../../config/story-request.ts'
import { taskRequest } from '../../config/new-task.ts'
import { text } from '../../config/fields.ts'
import { commentFileCharsMax, commentLineMax } from '../../domain/task/comment.ts'
import { findingCharsMax, findingsMax, idCharsMax } from '../../domain/limits.ts'
import { cardsMax, pageItems, pageItemsMax } from './limits.ts'

/** Ids in a request are whole: a program does not mean "the one that ends so". */
const id = z.string().min(1).max(idCharsMax)
const flag = z
  .enum(['true', 'false', '1', '0', ''])
  .transform((word) => word !== 'false' && word !== '0')
  .describe('true, 1 or nothing at all; false or 0')
const limit = z.coerce.number().int().min(1).max(pageItemsMax).default(pageItems).describe('how many at the most')
const seq = z.coerce.number().int().min(0)

export const nothing = z.strictObject({})
export const storyQuery = z.strictObject({ story: id.optional().describe('only this story') })
export const taskListQuery = z.strictObject({
  story: id.optional().describe('only tasks of this story'),
  open: flag.optional().describe('only tasks that are not over'),
  after: id.optional().describe('the id behind which the page starts: next of the page before'),
  limit,
})
export const statusQuery = taskListQuery
  .omit({ open: true })
  .extend({ all: flag.optional().describe('finished tasks too') })
export const storyListQuery = z.strictObject({
  after: id.optional(),
  limit,
  all: flag.optional().describe('archived ones too'),
})
export const storyTasksQuery = z.strictObject({ after: id.optional(), open: flag.optional(), limit })
export const historyQuery = z.strictObject({
  after: seq.default(0).describe('the n behind which the page starts'),
  limit,
})
export const diffQuery = z.strictObject({
  attempt: seq.min(1).optional().describe('what that attempt left, instead of the last'),
  since: seq.min(1).optional().describe('only what changed after the result of that attempt'),
})
export const logQuery = z.strictObject({
  raw: flag.optional().describe('the bytes as they came, escapes included'),
  offset: seq.default(0).describe('leave out so many bytes of the answer'),
  timeline: flag.optional().describe('in a stream, of agent programs: what it did, as entries instead of text'),
  part: z
    .string()
    .max(idCharsMax)
    .optional()
    .describe('the end of what one command of a verification printed: the second half of log in its evidence'),
})
export const eventsQuery = z.strictObject({
  after: seq.optional().describe('the seq to go on behind; Last-Event-ID wins'),
  story: id.optional(),
  task: id.optional(),
  output: flag.optional().describe('also what agents print and other news that is stored nowhere, without an id'),
})

export const cardsQuery = z.strictObject({
  ids: z
    .string()
    .max(cardsMax * idCharsMax)
    .transform((text) => text.split(',').filter(Boolean))
    .pipe(z.array(id).max(cardsMax))
    .describe(`ids of tasks with commas between them, at most ${cardsMax}`),
})

const decision = z.strictObject({
  message: text.optional().describe('what you want to say; a rejection needs it'),
  reason: text.optional().describe('the same: why it is fine, over what was found'),
})

const comment = z.strictObject({
  file: z.string().min(1).max(commentFileCharsMax).describe('its path in the repository'),
  line: z.int().min(1).max(commentLineMax),
  message: text.min(1).max(findingCharsMax),
})
const rejection = decision.extend({
  comments: z.array(comment).max(findingsMax).optional().describe('what must change, line by line: each is a finding'),
})

const commit = z.string().regex(/^[0-9a-f]{40,64}$/, 'is no whole id of a commit')
const ship = z.strictObject({
  how: z
    .enum(['ship', 'resume', 'deployed'])
    .default('ship')
    .describe(
      'resume: go on with one that stopped half-way; deployed: a deploy whose end nobody saw has done its work',
    ),
  message: text.default('').describe('with deployed: what you saw'),
  expect: z
    .strictObject({ head: commit, base: commit.optional() })
    .optional()
    .describe('the heads of its branch and of its base as you saw them: refused if one has moved on'),
})
const goal = z.strictObject({ goal: text.describe('what is to be achieved') })
const approval = z.strictObject({
  draft: id.describe('the task that elaborated it'),
  story: storyRequest.optional().describe('the draft as you edited it; without it, as it is'),
  revision: id.optional().describe('of the draft as you saw it: refused if there is a newer one'),
})
const edited = z.strictObject({
  story: z.record(z.string(), z.unknown()).describe('a draft as somebody edits it: whatever is wrong is told'),
})

/** The bodies, by their names in the document. */
export const REQUESTS = {
  NewTask: taskRequest,
  Decision: decision,
  Rejection: rejection,
  ContractChoice: z.strictObject({ type: z.enum(['verifiable', 'advisory', 'skip']) }),
  NewStory: storyRequest,
  Ship: ship,
  Goal: goal,
  Approval: approval,
  EditedDraft: edited,
  Enter: z.strictObject({ key: z.string().min(1).max(200) }),
}
