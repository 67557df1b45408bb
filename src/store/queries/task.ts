/** Writing one task: its row, its texts and the head of its chain. */
import type { TaskStatus } from '../../domain/task/task.ts'
import { prepare } from '../prepared.ts'
import type { Db } from '../schema.ts'

interface Head {
  chain_n: number
  chain_hash: string
}

interface Definition {
  id: string
  story_id: string | null
  title: string
  spec: string
  phases_hash: string
  definition_hash: string
  created_at: number
}

interface Standing {
  status: TaskStatus
  state: string
  updated_at: number
}

interface Checks {
  checker_for: string | null
  checked_attempt: number | null
  works_for: string | null
}

interface Texts {
  task_id: string
  instructions: string
  acceptance_criteria: string
}

/** Changes no row when the id is taken. */
export const insertTask = prepare((db, p: Definition & Standing & Head & { sort_key: string } & Checks) =>
  db
    .insertInto('tasks')
    .values({
      id: p.id,
      sort_key: p.sort_key,
      story_id: p.story_id,
      status: p.status,
      version: 1,
      title: p.title,
      spec: p.spec,
      state: p.state,
      phases_hash: p.phases_hash,
      definition_hash: p.definition_hash,
      chain_n: p.chain_n,
      chain_hash: p.chain_hash,
      created_at: p.created_at,
      updated_at: p.updated_at,
      checker_for: p.checker_for,
      checked_attempt: p.checked_attempt,
      works_for: p.works_for,
    })
    .onConflict((conflict) => conflict.column('id').doNothing()),
)

export const insertTexts = prepare((db, p: Texts) =>
  db
    .insertInto('task_texts')
    .values({ task_id: p.task_id, instructions: p.instructions, acceptance_criteria: p.acceptance_criteria }),
)

/** Changes no row when the version has moved on or the task has started. */
export const redefineTask = prepare((db, p: Definition & Standing & Head & { version: number }) =>
  db
    .updateTable('tasks')
    .set((eb) => ({
      story_id: p.story_id,
      status: p.status,
      version: eb('version', '+', 1),
      title: p.title,
      spec: p.spec,
      state: p.state,
      phases_hash: p.phases_hash,
      definition_hash: p.definition_hash,
      chain_n: p.chain_n,
      chain_hash: p.chain_hash,
      created_at: p.created_at,
      updated_at: p.updated_at,
    }))
    .where('id', '=', p.id)
    .where('version', '=', p.version)
    .where('status', '=', 'not-started'),
)

export const rewriteTexts = prepare((db, p: Texts) =>
  db
    .updateTable('task_texts')
    .set({ instructions: p.instructions, acceptance_criteria: p.acceptance_criteria })
    .where('task_id', '=', p.task_id),
)

type Step = Omit<Standing, 'status'> & Head & { id: string; version: number }

/** What every step writes; no row changes when the version has moved on. */
function stepped(db: Db, p: Step, more: Partial<Pick<Standing & Definition, 'status' | 'spec' | 'phases_hash'>> = {}) {
  return db
    .updateTable('tasks')
    .set((eb) => ({
      ...more,
      state: p.state,
      version: eb('version', '+', 1),
      chain_n: p.chain_n,
      chain_hash: p.chain_hash,
      updated_at: p.updated_at,
    }))
    .where('id', '=', p.id)
    .where('version', '=', p.version)
}

export const moveTask = prepare((db, p: Step & Pick<Standing, 'status'>) => stepped(db, p, { status: p.status }))

/** The same for a task that works under another configuration from now on. */
export const reconfigureTask = prepare(
  (db, p: Step & Pick<Standing, 'status'> & { spec: string; phases_hash: string }) =>
    stepped(db, p, { status: p.status, spec: p.spec, phases_hash: p.phases_hash }),
)

/** The same for a task whose status stays: most steps, and naming the status would rewrite three indices. */
export const stepTask = prepare((db, p: Step) => stepped(db, p))

export const taskHead = prepare((db, p: { id: string }) =>
  db.selectFrom('tasks').select(['version', 'status', 'chain_n', 'chain_hash']).where('id', '=', p.id),
)

export const taskHeadAndState = prepare((db, p: { id: string }) =>
  db.selectFrom('tasks').select(['id', 'status', 'state', 'chain_n', 'chain_hash']).where('id', '=', p.id),
)

/** For an event without a change of state. Changes no row when the chain has grown meanwhile. */
export const extendTask = prepare((db, p: Head & { id: string; previous: number }) =>
  db
    .updateTable('tasks')
    .set({ chain_n: p.chain_n, chain_hash: p.chain_hash })
    .where('id', '=', p.id)
    .where('chain_n', '=', p.previous),
)
