/** Answers about drafts and Ship. See answers.ts. */
import { z } from 'zod'
import { at, count, criterionStatus, stage, status, storyState, texts, workKind } from './answers-common.ts'

const command = z.object({ run: z.string(), timeoutMs: count })

export const shipping = z.object({
  id: z.string(),
  state: storyState,
  head: z.string().nullable().describe('what would be shipped; null: its branch is gone'),
  landed: z
    .string()
    .nullable()
    .describe('the commit that is already on the base and still to be deployed: continuing lands nothing more'),
  base: z.string().nullable().describe('the head of the base'),
  baseMoved: z.boolean().describe('the base has commits that the story does not'),
  tasks: z.object({ open: count, completed: count, failed: count, cancelled: count }).describe('top-level tasks'),
  deferred: z.object({
    open: z.boolean().describe('criteria still wait for the story as a whole'),
    work: z.string().nullable().describe('the task that ran them last'),
    at: at.nullable().describe('when'),
    criteria: z.array(
      z.object({
        description: z.string(),
        activity: z.string(),
        task: z.string().describe('the task to read, with its evidence'),
        status: criterionStatus,
        error: z.string().nullable(),
      }),
    ),
  }),
  merge: z
    .object({
      work: z.string().describe('the task that has the evidence'),
      overall: z.enum(['pass', 'fail', 'error']),
      activities: texts,
      tests: count,
      at,
      current: z.boolean().describe('of story and base as they are now'),
    })
    .nullable()
    .describe('the last verification of the story together with its base'),
  deploy: command.nullable(),
  postDeploy: command.nullable(),
  judged: z.boolean().describe('an agent validates the deployment'),
  works: z
    .array(
      z.object({
        id: z.string(),
        kind: workKind,
        status,
        stage,
        phase: z.string().nullable(),
        waitingFor: z.string().nullable(),
        phases: texts,
        runs: z.array(
          z.object({
            id: z.string().describe('of the attempt, for its log'),
            phase: z.string(),
            startedAt: at,
            endedAt: at.nullable(),
            verdict: z.string().nullable(),
            detail: z.string().nullable(),
          }),
        ),
        findings: texts,
        createdAt: at,
        updatedAt: at,
      }),
    )
    .describe('the tasks that worked for the story as a whole, newest first'),
  sync: z.string().nullable().describe('the sync task that merges it with its base, while that is open'),
  movedAt: at,
})

const draftTask = z.object({
  name: z.string(),
  instructions: z.string(),
  acceptance_criteria: z.string(),
  depends_on: texts,
  checks: texts,
  spec_ref: z.string().optional(),
})
const lint = z.object({
  task: z.string().describe('its number, such as 2 or 2.1'),
  line: count.nullable().describe('which line of its criteria; null: it has none'),
  criterion: z.string(),
  problem: z.string(),
  rewording: z.string(),
})

export const draft = z.object({
  id: z.string().describe('the task that elaborates it'),
  goal: z.string(),
  status: z.enum(['elaborating', 'waiting', 'approved', 'failed', 'cancelled']),
  draft: z
    .object({ name: z.string(), tasks: z.array(draftTask.extend({ subtasks: z.array(draftTask).optional() })) })
    .nullable(),
  revision: z.string().nullable().describe('the run that wrote the draft'),
  warnings: texts.describe('criteria that nobody else could verify, with a better wording'),
  lint: z.array(lint).describe('the same, by task and criterion'),
  story: z.string().nullable().describe('the story that it became'),
})

export const draftCheck = z.object({
  problems: z
    .array(z.object({ task: z.string().nullable(), field: z.string().nullable(), message: z.string() }))
    .describe('why it cannot become a story; task: its number, null: the draft as a whole'),
  lint: z.array(lint),
})
