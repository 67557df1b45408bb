/**
 * Contracts in the engine: every new task gets one before it can start, a person can write or choose it until then, and
 * the files that an attempt changed can add to it. Nothing here judges work.
 */
import { because, type Reason } from '../../domain/task/reasons.ts'
import { createHash } from 'node:crypto'
import type { ProjectConfig } from '../../domain/config.ts'
import type { Contract, ContractType, Criterion, WrittenContract } from '../../domain/contract/contract.ts'
import { openQuestion } from '../../domain/contract/contract-question.ts'
import { unanswered, unasked } from '../../domain/task/gate.ts'
import type { TaskSpec } from '../../domain/task/task.ts'
import type { NewEvent, NewTask, Store } from '../../ports/store.ts'
import type { EngineParts } from './parts.ts'

export interface Wish {
  type: ContractType | null
  written: WrittenContract | null
  /** It is part of a story that somebody planned; a task without one never is. */
  planned?: boolean
}

/** A new task with its contract; held from the start if a person has to say first what kind of task it is. */
export type Sealed<T extends NewTask = NewTask> = T & { contract: Contract }

export async function sealTask<T extends NewTask>(
  { contracts }: EngineParts,
  config: ProjectConfig,
  task: T,
  commit: string,
  wish: Wish,
): Promise<Sealed<T>> {
  const { type, written, planned = task.spec.story !== null } = wish
  const story = planned ? task.spec.story : null
  const contract = await contracts.seal({ ...texts(task.spec), story, type, written }, commit, config)
  const held = question({ ...task.spec, story }, contract, config)
  return { ...task, contract, state: { ...task.state, held } }
}

/** What whoever brings in these tasks should hear: what nothing will verify, and what their contracts remark. */
export function wordsOn(tasks: readonly Sealed[]) {
  const advisory = tasks.filter(({ contract, state }) => contract.type === 'advisory' && state.held === null)
  return {
    advisory: advisory.map(({ spec }) => ({ id: spec.id, title: spec.title })),
    notices: tasks.flatMap(({ spec, contract }) =>
      [...contract.notices, ...unaskedNotice(spec, contract)].map((notice) => ({ id: spec.id, notice })),
    ),
  }
}

/** What nobody on the way is asked about is said when the task comes in, not when everything else is done (H-1). */
function unaskedNotice({ id, parent, phases }: TaskSpec, contract: Contract): string[] {
  const ids = parent === null ? unasked(contract, phases).map((one) => one.id) : []
  if (ids.length === 0) return []
  return [`no phase answers ${ids.join(', ')}, so the task will need your answer before it lands (muster accept ${id})`]
}

export function texts({ title, instructions, acceptanceCriteria, expectedFiles, checks, story }: TaskSpec) {
  return { title, instructions, acceptanceCriteria, expectedFiles, checks, story }
}

export function question({ id, story }: TaskSpec, contract: Contract, config: ProjectConfig): Reason | null {
  const why = openQuestion(contract, { story, promptForAdvisory: config.contract.promptForAdvisory })
  return why && because('contract-question', { task: id, why })
}

/** What is written down with a new task, or with one that is written anew. */
export function createdEvent({ spec, definitionHash }: NewTask, type = 'task-created'): NewEvent {
  const { id, title, dependsOn, target } = spec
  return {
    chain: `task:${id}`,
    type,
    actor: 'muster',
    data: { title, dependsOn, target, definition: definitionHash },
  }
}

/** What is written down with a contract: enough to notice later that it was edited. */
export function sealedEvent(taskId: string, contract: Contract, actor = 'muster'): NewEvent {
  const { type, criteria, generatedFrom, hash, why } = contract
  const digest = createHash('sha256').update(JSON.stringify(contract)).digest('hex')
  const data = { contract: hash, digest, type, criteria: criteria.length, generatedFrom, why }
  return { chain: `task:${taskId}`, type: 'contract-sealed', actor, data }
}

/**
 * The contract's claim against what was really changed: a contract with more criteria, or null when it stands as it is.
 * What a person or an author changed between two commits counts, whoever of them it was.
 */
export async function confirmChange(
  { store, workspaces, contracts }: EngineParts,
  taskId: string,
  config: ProjectConfig,
  from: string,
  commit: string,
  instead?: Contract,
): Promise<Contract | null> {
  const contract = instead ?? (await store.contracts(taskId)).at(-1)
  if (contract === undefined || from === commit) return null
  const patch = () => workspaces.diff(from, commit, { stat: false, color: false })
  return contracts.confirm(contract, { commit, paths: await workspaces.changed(from, commit), patch }, config)
}

/** What the completed subtasks of a task left to it: criteria for a judge or a person that nobody has answered. */
export async function handedUp(
  store: Store,
  { id, dependsOn }: Pick<TaskSpec, 'id' | 'dependsOn'>,
): Promise<Criterion[]> {
  const handed: Criterion[] = []
  for (const dependency of dependsOn) {
    const task = await store.task(dependency)
    if (task === null || task.spec.parent !== id || task.state.status !== 'completed') continue
    const contract = (await store.contracts(dependency)).at(-1) ?? null
    const open = unanswered(task.state, { contract, handsUp: false })
    // What a subtask was itself left keeps the origin it had.
    handed.push(...open.map((one) => ({ ...one, origin: one.origin ?? { task: dependency, id: one.id } })))
  }
  return handed
}
