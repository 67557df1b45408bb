/**
 * A story as a program requests it: tasks in order, with subtasks inside, and dependencies by name or number. It is
 * turned into the text of a plan and checked like one.
 */
import { z } from 'zod'
import type { ProjectConfig } from '../domain/config.ts'
import type { DraftTask, StoryDraft } from '../domain/story/draft.ts'
import { planTasksMax, titleCharsMax } from '../domain/limits.ts'
import type { Plan } from '../domain/story/plan.ts'
import { definitionsIn } from './definitions.ts'
import { castPlan, type PlanReading } from './plan.ts'
import { lines, specRef, text, title, words } from './fields.ts'

const reference = z.string().trim().min(1).max(titleCharsMax)

const subtask = z.strictObject({
  name: title,
  instructions: text.default(''),
  acceptance_criteria: lines.default(''),
  checks: words.default([]),
  depends_on: z.array(reference).max(1000).default([]),
  spec_ref: specRef.optional(),
})

export const storyRequest = z.strictObject({
  name: title,
  /** What its tasks' ids begin with; without it, made from the name. */
  id: reference.optional(),
  tasks: z
    .array(subtask.extend({ subtasks: z.array(subtask).max(1000).default([]) }))
    .min(1)
    .max(planTasksMax),
})
type StoryRequest = z.infer<typeof storyRequest>

/** Throws `config`, with the number of the task that is wrong, where a plan of that kind would be refused. */
export function planOfStory(
  request: StoryDraft & Pick<StoryRequest, 'id'>,
  config: ProjectConfig,
  root: string,
  reading?: PlanReading,
): { plan: Plan; config: ProjectConfig } {
  const placed = numbered(request)
  const ids = new Set(placed.map(({ id }) => id))
  const named = Map.groupBy(placed, ({ task }) => task.name)
  const idOf = (wanted: string): string => {
    const [one, another] = ids.has(wanted) ? [] : (named.get(wanted) ?? [])
    return one === undefined || another !== undefined ? wanted : one.id
  }
  const tasks = placed.map(({ id, parent, task: { name, instructions, depends_on, spec_ref, ...rest } }) => ({
    id,
    name,
    description: instructions,
    acceptance_criteria: rest.acceptance_criteria,
    checks: rest.checks,
    depends_on: depends_on.map(idOf),
    ...(parent === undefined ? {} : { parent }),
    ...(spec_ref === undefined ? {} : { spec_ref }),
  }))
  const meta = { name: request.name, ...(request.id === undefined ? {} : { id: request.id }) }
  const lineOf = ([, index]: readonly PropertyKey[]): number => (typeof index === 'number' ? index + 1 : 1)
  return castPlan({ name: 'tasks', value: { meta, tasks }, lineOf }, config, request.name, definitionsIn(root), reading)
}

interface Numbered {
  id: string
  parent?: string
  task: DraftTask
}

/** Tasks are 1, 2, 3; the subtasks of 2 are 2.1, 2.2. */
export function numbered({ tasks }: StoryDraft): Numbered[] {
  return tasks.flatMap((task, index): Numbered[] => {
    const id = String(index + 1)
    const below = (task.subtasks ?? []).map((sub, at) => ({ id: `${id}.${at + 1}`, parent: id, task: sub }))
    return [{ id, task }, ...below]
  })
}
