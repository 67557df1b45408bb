/**
 * Answers of the API: the engine's views as zod types, for the OpenAPI document. The compiler checks that a view fits
 * its type where it is answered (`Shape`), and tests check real answers.
 */
import { CODES } from '../../domain/task/reasons.ts'
import { z } from 'zod'
import { SANDBOX_KINDS } from '../../domain/config.ts'
import { NEED_ACTIONS, NEED_KINDS } from '../../domain/task/need.ts'
import { at, count, criterionStatus, stage, status, storyState, texts, workKind } from './answers-common.ts'
import { cost, spent, stats } from './answers-figures.ts'
import { draft, draftCheck, shipping } from './answers-shipping.ts'
import { PROBLEM_CODES } from './problems.ts'
import type { ProblemCode } from './problems.ts'

/** What a handler must return for a type. */
export type Shape<S extends z.ZodType> = Frozen<z.infer<S>>
type Frozen<T> = T extends readonly (infer U)[]
  ? readonly Frozen<U>[]
  : T extends object
    ? { readonly [K in keyof T]: Frozen<T[K]> }
    : T

const counts = z.object({
  'not-started': count,
  'in-progress': count,
  completed: count,
  failed: count,
  cancelled: count,
})
const contractType = z.enum(['verifiable', 'advisory', 'skip'])

const contract = z.object({
  type: contractType,
  criteria: z.array(
    z.object({
      id: z.string(),
      activity: z.string(),
      description: z.string(),
      pattern: z.string().optional(),
      timing: z.enum(['immediate', 'deferred']).optional(),
      command: z.string().optional(),
      expect: z.object({ exit: count.optional(), output: z.string().optional() }).optional(),
      assertion: z
        .object({
          kind: z.enum(['exists', 'absent', 'contains', 'lacks']),
          path: z.string(),
          text: z.string().optional(),
        })
        .optional(),
      kind: z.enum(['goal', 'guard']),
      judge: z.enum(['machine', 'checker', 'person']),
      skipped: z.string().optional(),
      origin: z
        .object({ task: z.string(), id: z.string() })
        .optional()
        .describe('the subtask that could not answer it'),
    }),
  ),
  generatedFrom: z.enum(['auto', 'user', 'prd']),
  generatedAt: at,
  ambiguous: z.boolean(),
  couldBe: contractType.nullable(),
  why: z.string(),
  notices: texts,
  files: z.array(z.object({ path: z.string(), from: z.enum(['expected', 'predicted']), why: z.string().optional() })),
  taskHash: z.string(),
  hash: z.string(),
})

const evidence = z.object({
  command: z.string(),
  commit: z.string(),
  tree: z.string(),
  exit: count.nullable(),
  durationMs: z.number(),
  counts: z.object({ executed: count, failed: count, skipped: count, estimate: z.literal(true).optional() }).nullable(),
  failing: texts,
  excused: texts,
  unclear: texts.optional(),
  flaky: texts,
  runs: count,
  logDigest: z.string().nullable(),
  log: z.string().nullable(),
  sandbox: z.enum(SANDBOX_KINDS).nullable(),
  reused: z.boolean(),
  base: z.enum(['green', 'red']).nullable(),
  vacuous: z.boolean(),
  mend: z.string().optional(),
  at,
})
const results = z.object({
  overall: z.enum(['pass', 'fail', 'error']),
  contract: z.string(),
  commit: z.string(),
  tree: z.string(),
  base: z.string(),
  criteria: z.array(
    z.object({
      id: z.string(),
      activity: z.string(),
      status: criterionStatus,
      error: z.string().nullable(),
      attempts: count,
      evidence: evidence.nullable(),
      note: z.string().optional(),
      warning: z.string().optional(),
    }),
  ),
  unchanged: z.boolean().optional().describe('the attempt changed nothing'),
  tally: z.partialRecord(criterionStatus, count).describe('how many criteria have each status'),
  protectedPaths: texts,
  completedAt: at,
})

const finding = z.object({
  round: count,
  source: z.string(),
  severity: z.enum(['FAIL', 'WARN']),
  message: z.string(),
  file: z.string().optional(),
  line: count.optional(),
  criterion: z.string().optional(),
  command: z.string().optional(),
  replay: z.enum(['same', 'different', 'ran', 'not-run']).optional(),
  since: count.optional().describe('the round in which it was first found, if that was an earlier one'),
})

const reason = z
  .object({
    code: z.enum(CODES),
    params: z.record(z.string(), z.unknown()),
    text: z.string().describe('the same as a sentence for people; its words may change'),
    toPerson: z.boolean().describe('a person must act'),
  })
  .describe('why a task is where it is, as a value')

const line = z.object({
  id: z.string(),
  title: z.string(),
  status,
  phase: z.string().nullable(),
  stage,
  round: count,
  attempt: count,
  story: z.string().nullable(),
  agent: z.string().nullable().describe('the role that it names'),
  dependsOn: texts,
  parent: z.string().nullable(),
  reason: reason.nullable(),
  waitingFor: z.string().nullable(),
  needsPerson: z.boolean(),
  next: texts.describe('if it failed or needs a person: commands that answer it'),
  failureReason: z.string().nullable(),
  caveats: texts.describe('reservations about a good result: excused tests, waived criteria'),
  updatedAt: at,
  version: count,
})

const plan = z.object({
  run: z.string().describe('the run that wrote it'),
  digest: z.string().describe('SHA-256 of its text; the decision on it is in the history with the same'),
  text: z.string(),
  writtenAt: at,
  approvedBy: z.string().nullable().describe('null: nobody has, or a newer one exists'),
})

const task = line.omit({ needsPerson: true }).extend({
  instructions: z.string(),
  acceptanceCriteria: z.string(),
  checks: texts,
  branch: z.string(),
  target: z.string(),
  pr: z.string().nullable(),
  specRef: z.string().nullable().describe('where its specification is'),
  checkerFor: z.string().nullable().describe('of a checker: the task it checks'),
  contract: contract.nullable(),
  plans: z.array(plan).describe('the plans of its planner, newest last; only the last ones of many'),
  results: results.nullable(),
  findings: z.array(finding),
  checker: z.object({
    status: z.enum(['none', 'pending', 'running', 'passed', 'warned', 'failed', 'error']),
    taskId: z.string().optional(),
  }),
  checkerReport: z.object({ kind: z.enum(['failed', 'error']), text: z.string() }).nullable(),
  warnings: texts,
  remarks: z.array(finding).describe('the warnings, each with who said it and when'),
  waiver: z.object({ commit: z.string(), criteria: texts, reason: z.string(), by: z.string() }).nullable(),
  cost,
  commit: z.string().nullable(),
  createdAt: at,
  next: texts.describe('commands that a person can type about it now'),
  lands: z.string().nullable().describe('the branch that accepting it now lets it land on'),
  outdated: texts.describe('what changed in muster.yaml since this task got its configuration; retry uses the new one'),
  actions: z.array(z.enum(NEED_ACTIONS)).describe('what a person can do to it now'),
})

const card = line.extend({
  by: z.string().nullable().describe('the program or role that worked on it last'),
  since: at.nullable().describe('when the current run started'),
  checker: task.shape.checker.shape.status,
  criteria: z.array(z.object({ id: z.string(), activity: z.string(), status: criterionStatus })),
  cost,
  findings: count,
  warnings: count,
  overruled: z.string().nullable().describe('why a person accepted it despite what was found'),
  blockers: z
    .array(z.object({ id: z.string(), title: z.string(), status }))
    .describe('if one of them failed or was cancelled, it can never start'),
})

const need = z.object({
  kind: z.enum(NEED_KINDS),
  id: z.string().describe('of the task, of the story, or the name of the program; empty for the whole project'),
  title: z.string(),
  story: z.object({ id: z.string(), name: z.string() }).nullable(),
  reason: z.string(),
  report: z.string().nullable().describe('what the checker found wrong'),
  request: z.string().nullable().describe('why an agent asks for the decision'),
  pr: z.string().nullable().describe('the address of its pull request'),
  since: at,
  round: count,
  version: count.nullable(),
  actions: z.array(z.enum(NEED_ACTIONS)),
  lands: z.string().nullable().describe('the branch that accepting it lets it land on'),
  reasonNeeded: z.boolean().describe('accepting it overrules somebody, and needs a reason'),
})

const attempt = z.object({
  id: z.string(),
  taskId: z.string(),
  kind: z.enum(['agent', 'check', 'action']),
  name: z.string(),
  phase: z.string(),
  attempt: count,
  round: count,
  contract: z.string().nullable(),
  startedAt: at,
  endedAt: at.nullable(),
  outcome: z.string().nullable(),
  verdict: z.string().nullable(),
  detail: z.string().nullable(),
  commit: z.string().nullable(),
  exit: z.string().nullable(),
  sandbox: z.enum(SANDBOX_KINDS).nullable(),
  unsandboxed: z.boolean(),
  output: z.string().nullable(),
  results: results.nullable(),
  program: z.string().nullable(),
  cost: cost.nullable(),
  session: z.string().nullable(),
})

const story = z.object({
  id: z.string(),
  name: z.string(),
  state: storyState,
  message: z.string().nullable().describe('a message for people about its state'),
  archived: z.boolean().describe('hidden from lists, unless all are requested'),
  work: z
    .object({
      id: z.string(),
      kind: workKind,
      stage,
      reason: reason.nullable(),
      waitingFor: z.string().nullable(),
    })
    .nullable()
    .describe('the task that works for the story as a whole, or the last one'),
  landed: z.string().nullable().describe('the commit that Ship made on the base'),
  validated: z.boolean().nullable().describe('for REVIEW_READY: whether the deployment was validated'),
  branch: z.string(),
  base: z.string(),
  tasks: counts,
  cost,
  createdAt: at,
})

const event = z.object({
  seq: count.describe('grows over all events: the id in a stream'),
  n: count.describe('its place among the events of its task or story'),
  type: z.string(),
  task: z.string().nullable(),
  story: z.string().nullable().describe("the task's story, or the story it is about"),
  actor: z.string().describe('muster, or a person'),
  at,
  data: z.record(z.string(), z.unknown()),
})

const explanation = z.object({
  id: z.string(),
  stage,
  phase: z.string().nullable(),
  round: count,
  attempt: count,
  why: z.string(),
  waitingFor: z.string().nullable(),
  caveats: texts.describe('reservations about a good result'),
  next: texts.describe('commands that would move it on'),
  plan: plan.nullable().describe('its newest plan, if it has one'),
  phases: z.array(z.object({ name: z.string(), run: z.string() })).describe('its phase map'),
  history: z.array(z.object({ at, type: z.string(), actor: z.string(), text: z.string() })),
})

const next = z.string().nullable().describe('pass it as after; null: this is the last page')
const page = <T extends z.ZodType>(items: T) => z.object({ items: z.array(items), next })

/** The answers, by their names in the document. */
export const ANSWERS = {
  Cost: cost,
  Reason: reason,
  Counts: counts,
  Contract: contract,
  Results: results,
  Finding: finding,
  Task: task,
  TaskLine: line,
  TaskPage: page(line),
  Cards: z.object({ items: z.array(card) }),
  Needs: z.object({ items: z.array(need), more: z.boolean().describe('there are more') }),
  Attempt: attempt,
  Attempts: page(attempt),
  Changes: z.object({
    task: z.string(),
    from: z.string(),
    to: z.string(),
    stat: z.string(),
    patch: z.string(),
    cut: z.array(count).describe('the files that are cut off, by their index in the patch'),
    leftOut: count.describe('how many files are missing at the end of the patch; muster diff shows all'),
  }),
  Event: event,
  History: page(event),
  Explanation: explanation,
  Story: story,
  Shipping: shipping,
  Draft: draft,
  DraftCheck: draftCheck,
  Taken: z.object({ news: z.boolean().describe('false: it was accepted before') }),
  Fixes: z.object({ id: z.string(), tasks: texts }),
  StoryPage: page(story),
  StoryWithTasks: story.extend({
    page: page(line),
    stuck: z
      .array(z.object({ id: z.string(), title: z.string(), stage, reason: z.string(), next: texts }))
      .describe('tasks that failed or need a person, the longest waiting first, at most ten'),
  }),
  Submitted: z.object({
    story,
    created: z.boolean().describe('false: it existed already and continues'),
    added: texts,
    changed: texts,
    removed: texts,
    notices: z.array(z.object({ id: z.string(), notice: z.string() })),
    advisory: z.array(z.object({ id: z.string(), title: z.string() })),
    over: z.boolean(),
  }),
  Status: z.object({
    counts,
    paused: z.boolean(),
    limited: z.array(z.object({ program: z.string(), until: at })),
    stories: z.array(story),
    tasks: z.array(line),
    next,
    unsaved: count,
    unpushed: z.array(
      z.object({
        branch: z.string(),
        commit: z.string(),
        why: z.string().describe("why its remote refused it, in the remote's words"),
        next: z.string().describe('what to type'),
      }),
    ),
    older: z
      .object({ count, tasks: texts, changes: texts })
      .nullable()
      .describe('open tasks that work under an older muster.yaml, and what changed'),
  }),
  Spent: spent,
  Stats: stats,
  Paused: z.object({ paused: z.boolean() }),
  Session: z.object({ session: z.string().describe('send it with each request, like the token') }),
  Link: z.object({ link: z.string().describe('opens the board in a browser: once, within ten minutes') }),
  Notes: z.object({ notes: texts }),
  Health: z.object({ ok: z.literal(true) }),
  Problem: z.object({
    type: z.literal('about:blank'),
    title: z.string(),
    status: count,
    code: z.enum(PROBLEM_CODES as [ProblemCode, ...ProblemCode[]]),
    detail: z.string().describe('what happened, and why'),
    hint: z.string().nullable().describe('what to do next'),
  }),
}

export type AnswerName = keyof typeof ANSWERS
