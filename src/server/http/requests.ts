/** Requests of the API: one zod type each, for checks, for TypeScript and for the OpenAPI document. */
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
  .describe('true, 1 or empty; false or 0')
const limit = z.coerce.number().int().min(1).max(pageItemsMax).default(pageItems).describe('at most this many')
const seq = z.coerce.number().int().min(0)

export const nothing = z.strictObject({})
export const storyQuery = z.strictObject({ story: id.optional().describe('only this story') })
export const taskListQuery = z.strictObject({
  story: id.optional().describe('only tasks of this story'),
  open: flag.optional().describe('only tasks that are not over'),
  after: id.optional().describe('start after this id: next of the page before'),
  limit,
})
export const statusQuery = taskListQuery
  .omit({ open: true })
  .extend({ all: flag.optional().describe('include finished tasks') })
export const storyListQuery = z.strictObject({
  after: id.optional(),
  limit,
  all: flag.optional().describe('include archived stories'),
})
export const storyTasksQuery = z.strictObject({ after: id.optional(), open: flag.optional(), limit })
export const historyQuery = z.strictObject({
  after: seq.default(0).describe('start after this n'),
  limit,
})
export const diffQuery = z.strictObject({
  attempt: seq.min(1).optional().describe('the result of this attempt, instead of the last'),
  since: seq.min(1).optional().describe('only what changed after the result of that attempt'),
})
export const logQuery = z.strictObject({
  raw: flag.optional().describe('the raw bytes, including escape sequences'),
  offset: seq.default(0).describe('skip this many bytes'),
  timeline: flag.optional().describe('in a stream of an agent program: what it did, as entries instead of text'),
  part: z
    .string()
    .max(idCharsMax)
    .optional()
    .describe('the end of what one command of a verification printed: the second half of log in its evidence'),
})
export const eventsQuery = z.strictObject({
  after: seq.optional().describe('continue after this seq; Last-Event-ID takes precedence'),
  story: id.optional(),
  task: id.optional(),
  output: flag
    .optional()
    .describe('also send what agents print, and other events that are not stored; they have no id'),
})

export const cardsQuery = z.strictObject({
  ids: z
    .string()
    .max(cardsMax * idCharsMax)
    .transform((text) => text.split(',').filter(Boolean))
    .pipe(z.array(id).max(cardsMax))
    .describe(`ids of tasks, separated by commas, at most ${cardsMax}`),
})

const decision = z.strictObject({
  message: text.optional().describe('your comment; a rejection needs one'),
  reason: text.optional().describe('the same; use it to say why you accept the task despite what was found'),
})

const comment = z.strictObject({
  file: z.string().min(1).max(commentFileCharsMax).describe('its path in the repository'),
  line: z.int().min(1).max(commentLineMax),
  message: text.min(1).max(findingCharsMax),
})
const rejection = decision.extend({
  comments: z.array(comment).max(findingsMax).optional().describe('what must change, line by line: each is a finding'),
})

const commit = z.string().regex(/^[0-9a-f]{40,64}$/, 'is not a full commit id')
const ship = z.strictObject({
  how: z
    .enum(['ship', 'resume', 'deployed'])
    .default('ship')
    .describe(
      'resume: continue a Ship that stopped halfway; deployed: confirm that a deploy with unknown outcome succeeded',
    ),
  message: text.default('').describe('with deployed: what you saw'),
  expect: z
    .strictObject({ head: commit, base: commit.optional() })
    .optional()
    .describe('the heads of its branch and of its base as you saw them; Ship is refused if one has moved'),
})
const goal = z.strictObject({ goal: text.describe('the goal') })
const approval = z.strictObject({
  draft: id.describe('the task that elaborated it'),
  story: storyRequest.optional().describe('the draft as you edited it; without it, the draft is taken unchanged'),
  revision: id.optional().describe('the revision of the draft that you saw; refused if there is a newer one'),
})
const edited = z.strictObject({
  story: z.record(z.string(), z.unknown()).describe('a draft while it is edited: the answer lists every problem'),
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
