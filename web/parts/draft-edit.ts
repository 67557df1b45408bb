/**
 * A draft while somebody edits it. Tasks have internal keys here, so that dependencies stay correct when tasks are
 * moved or removed; numbers are assigned when the draft is sent. Pure.
 */
import type { Draft } from '../api/types.ts'

type StoryDraft = NonNullable<Draft['draft']>
type DraftTask = StoryDraft['tasks'][number]

export interface EditTask {
  key: string
  name: string
  instructions: string
  criteria: readonly string[]
  checks: readonly string[]
  /** Keys, or words that name no task. */
  after: readonly string[]
  /** Nobody edits it; it stays with its task. */
  specRef?: string | undefined
  subtasks: readonly EditTask[]
}

export interface EditDraft {
  name: string
  tasks: readonly EditTask[]
  /** How many keys were given out. */
  given: number
}

/** As it is sent to be checked and approved. */
export interface SentTask {
  name: string
  instructions: string
  acceptance_criteria: string[]
  checks: string[]
  depends_on: string[]
  spec_ref?: string
  subtasks?: SentTask[]
}

export function fromDraft({ name, tasks }: StoryDraft): EditDraft {
  const numbered = tasks.flatMap((task, index): [string, Omit<DraftTask, 'subtasks'>][] => {
    const below = (task.subtasks ?? []).map((sub, at): [string, DraftTask] => [`${index + 1}.${at + 1}`, sub])
    return [[String(index + 1), task], ...below]
  })
  const keys = new Map(numbered.map(([number], index) => [number, `t${index + 1}`]))
  const named = Map.groupBy(numbered, ([, task]) => task.name)
  /** As the server reads it: a number, else a name that only one has. */
  const keyOf = (word: string): string => {
    const [one, another] = keys.has(word) ? [] : (named.get(word) ?? [])
    return keys.get(one === undefined || another !== undefined ? word : one[0]) ?? word
  }
  const edit = (number: string, task: DraftTask): EditTask => ({
    key: keys.get(number) ?? number,
    name: task.name,
    instructions: task.instructions,
    criteria: linesOf(task.acceptance_criteria),
    checks: task.checks,
    after: task.depends_on.map(keyOf),
    specRef: task.spec_ref,
    subtasks: (task.subtasks ?? []).map((sub, at) => edit(`${number}.${at + 1}`, sub)),
  })
  return { name, tasks: tasks.map((task, index) => edit(String(index + 1), task)), given: numbered.length }
}

/** One statement a line, with or without a bullet before it. */
function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.replace(/^\s*(?:[-*•]|\d+[.)])\s+/, '').trim())
    .filter((line) => line !== '')
}

/** The numbers that tasks have in their present order, by key. */
export function numbersOf({ tasks }: EditDraft): Map<string, string> {
  const all = new Map<string, string>()
  for (const [index, { key, subtasks }] of tasks.entries()) {
    all.set(key, String(index + 1))
    for (const [at, sub] of subtasks.entries()) all.set(sub.key, `${index + 1}.${at + 1}`)
  }
  return all
}

export function toStory(draft: EditDraft): { name: string; tasks: SentTask[] } {
  const numbers = numbersOf(draft)
  const send = (task: EditTask): SentTask => ({
    name: task.name.trim(),
    instructions: task.instructions,
    acceptance_criteria: task.criteria.map((line) => line.trim()).filter((line) => line !== ''),
    checks: [...task.checks],
    depends_on: task.after.map((key) => numbers.get(key) ?? key),
    ...(task.specRef === undefined ? {} : { spec_ref: task.specRef }),
  })
  const tasks = draft.tasks.map((task) =>
    task.subtasks.length === 0 ? send(task) : { ...send(task), subtasks: task.subtasks.map(send) },
  )
  return { name: draft.name.trim(), tasks }
}

type Change = Partial<Omit<EditTask, 'key'>>

export function change(draft: EditDraft, key: string, by: Change): EditDraft {
  return mapTasks(draft, (task) => (task.key === key ? { ...task, ...by } : task))
}

/** At the end, or below a task. */
export function add(draft: EditDraft, below: string | null): EditDraft {
  const given = draft.given + 1
  const task: EditTask = {
    key: `t${given}`,
    name: '',
    instructions: '',
    criteria: [''],
    checks: [],
    after: [],
    subtasks: [],
  }
  if (below === null) return { ...draft, given, tasks: [...draft.tasks, task] }
  const tasks = draft.tasks.map((one) => (one.key === below ? { ...one, subtasks: [...one.subtasks, task] } : one))
  return { ...draft, given, tasks }
}

/** With its subtasks; nobody waits for them any more. */
export function remove(draft: EditDraft, key: string): EditDraft {
  const found = draft.tasks.find((task) => task.key === key)
  const gone = new Set([key, ...(found?.subtasks ?? []).map((sub) => sub.key)])
  const tasks = draft.tasks
    .filter((task) => task.key !== key)
    .map((task) => ({ ...task, subtasks: task.subtasks.filter((sub) => sub.key !== key) }))
  return mapTasks({ ...draft, tasks }, (task) => ({ ...task, after: task.after.filter((one) => !gone.has(one)) }))
}

/** Up or down among its like. */
export function move(draft: EditDraft, key: string, by: -1 | 1): EditDraft {
  return {
    ...draft,
    tasks: swapped(draft.tasks, key, by).map((task) => ({ ...task, subtasks: swapped(task.subtasks, key, by) })),
  }
}

function swapped(tasks: readonly EditTask[], key: string, by: -1 | 1): EditTask[] {
  const all = [...tasks]
  const from = all.findIndex((task) => task.key === key)
  const [one, other] = [all[from], all[from + by]]
  if (one === undefined || other === undefined) return all
  all[from] = other
  all[from + by] = one
  return all
}

function mapTasks(draft: EditDraft, by: (task: EditTask) => EditTask): EditDraft {
  return { ...draft, tasks: draft.tasks.map((task) => by({ ...task, subtasks: task.subtasks.map(by) })) }
}

/** The line that a criterion has in what is sent: empty ones are left out there. */
export function lineSent({ criteria }: EditTask, index: number): number | null {
  if (criteria[index]?.trim() === '') return null
  return criteria.slice(0, index).filter((line) => line.trim() !== '').length
}

export function isSame(a: EditDraft, b: EditDraft): boolean {
  return JSON.stringify(toStory(a)) === JSON.stringify(toStory(b))
}
