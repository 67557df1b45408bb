/** Finds the JSON of a story's draft in an agent's answer, and checks it like a story that a program requests. */
import type { DraftProblem, StoryDraft } from '../domain/story/draft.ts'
import type { ProjectConfig } from '../domain/config.ts'
import { MusterError } from '../domain/errors.ts'
import { problemsMax } from '../domain/limits.ts'
import type { Problem } from '../domain/problem.ts'
import { check } from './check.ts'
import { numbered, planOfStory, storyRequest } from './story-request.ts'

/** Problems in words that go back to whoever wrote it. */
export function readDraft(text: string): StoryDraft | { problems: string[] } {
  const value = lastObject(text)
  if (value === null) return { problems: ['the answer has no JSON object with "tasks"'] }
  const parsed = storyRequest.safeParse(plain(value))
  if (parsed.success) return parsed.data
  return {
    problems: parsed.error.issues
      .slice(0, 20)
      .map(({ path, message }) => `${path.join('.') || 'the answer'}: ${message}`),
  }
}

/** The plan that a draft stands for. Whoever approves it was shown what the lint says of its criteria. */
export function planOfDraft(draft: StoryDraft, config: ProjectConfig, root: string): ReturnType<typeof planOfStory> {
  return planOfStory(storyRequest.parse(draft), config, root, { vague: true })
}

/** What keeps a draft that somebody edits from being a story, each by the field it is about; the draft, if it can be read. */
export function checkDraft(
  value: unknown,
  config: ProjectConfig,
  root: string,
): { draft: StoryDraft | null; problems: DraftProblem[] } {
  let draft: StoryDraft | null = null
  try {
    draft = check({ name: 'draft', value, lineOf: () => 1 }, storyRequest, [], '')
    planOfDraft(draft, config, root)
    return { draft, problems: [] }
  } catch (error) {
    if (!(error instanceof MusterError) || !Array.isArray(error.cause)) throw error
    const numbers = draft === null ? null : numbered(draft).map(({ id }) => id)
    const problems = (error.cause as Problem[]).slice(0, problemsMax)
    return { draft, problems: problems.map((problem) => placed(problem, numbers)) }
  }
}

/** The fields of a plan's tasks that are called otherwise in a draft. */
const FIELDS: Record<string, string> = { description: 'instructions', id: 'name' }

/** `numbers`: of the tasks of the plan, which has subtasks beside the others. */
function placed({ path, message }: Problem, numbers: readonly string[] | null): DraftProblem {
  const [tasks, index, ...rest] = path
  const subject = `${path.join('.')} `
  const told = message.startsWith(subject) ? message.slice(subject.length) : message
  if (tasks !== 'tasks' || typeof index !== 'number') {
    return { task: null, field: tasks === 'tasks' ? 'tasks' : 'name', message: told }
  }
  const below = rest[0] === 'subtasks' && typeof rest[1] === 'number'
  const number = numbers?.[index] ?? String(index + 1)
  const field = String((below ? rest[2] : rest[0]) ?? 'name')
  return { task: below ? `${number}.${Number(rest[1]) + 1}` : number, field: FIELDS[field] ?? field, message: told }
}

/** The object that has tasks, whatever stands around it: a code fence, or words before and behind. */
function lastObject(text: string): Record<string, unknown> | null {
  const fenced = [...text.matchAll(/^```\w*\n(.*?)^```/gms)].map(([, inside]) => inside ?? '').toReversed()
  const end = text.lastIndexOf('}') + 1
  const begins = [...text.matchAll(/\{/g)].slice(0, triesMax).map(({ index }) => text.slice(index, end))
  for (const candidate of [...fenced, ...begins]) {
    const value = parsed(candidate)
    if (value !== null && Array.isArray(value['tasks'])) return value
  }
  return null
}

/** Words before it may have brackets too, but not many. */
const triesMax = 20

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}

/** Ids that the writer gave only serve to name dependencies: tasks are numbered in their order. */
function plain(value: Record<string, unknown>): unknown {
  const tasks = value['tasks'] as unknown[]
  const numbers = new Map<string, string>()
  for (const [index, task] of tasks.entries()) {
    const id = fieldOf(task, 'id')
    if (typeof id === 'string' || typeof id === 'number') numbers.set(String(id), String(index + 1))
  }
  return { ...value, tasks: tasks.map((task) => withoutId(task, numbers)) }
}

function withoutId(task: unknown, numbers: ReadonlyMap<string, string>): unknown {
  if (typeof task !== 'object' || task === null) return task
  const { id: _, depends_on: wanted, subtasks, ...rest } = task as Record<string, unknown>
  const depends = Array.isArray(wanted) ? wanted.map((one) => numbers.get(String(one)) ?? String(one)) : wanted
  return {
    ...rest,
    ...(depends === undefined ? {} : { depends_on: depends }),
    ...(Array.isArray(subtasks) ? { subtasks: subtasks.map((sub) => withoutId(sub, numbers)) } : {}),
  }
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined
}
