/**
 * What has landed, written down beside the database before a branch moves. A database that is older than its repository (a
 * backup that was put back, the end of a log that a power cut took) does not know of its last landings: without this, work
 * that is on its branch would be done again, and nothing would come of it.
 */
import { rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { TaskSpec, TaskState } from '../domain/task.ts'
import { appendDurably, readAppended } from '../durable.ts'
import type { Store } from '../ports/store.ts'
import type { Engine } from './engine.ts'

export interface Landing {
  task: string
  /** Together with the id it is this task, and none that was made again under the same name. */
  createdAt: number
  target: string
  to: string
  /** The task as it went to land, with whatever was answered by then. */
  state: TaskState
}

/** How far a start has read them. */
const READ = 'landings.read'
const bytesMax = 16 * 1024 * 1024

export const landingsFile = (dataDir: string): string => join(dataDir, 'landings.log')

export async function recordLanding(
  dataDir: string,
  { spec, state }: { spec: TaskSpec; state: TaskState },
  to: string,
): Promise<void> {
  const file = landingsFile(dataDir)
  const size = await stat(file).then(
    ({ size }) => size,
    () => 0,
  )
  if (size > bytesMax) await rename(file, `${file}.1`)
  const landing: Landing = { task: spec.id, createdAt: spec.createdAt, target: spec.target, to, state }
  await appendDurably(file, landing)
}

/** What was written down since the last start that this database knows of. */
export async function landingsSince(store: Store, dataDir: string): Promise<Landing[]> {
  const { lines } = await readAppended(landingsFile(dataDir), await readSoFar(store))
  return lines as Landing[]
}

/** Lets the tasks whose work is on its branch already go on from there. */
export async function adoptLandings({ parts, transactor }: Engine): Promise<void> {
  const { store, workspaces, dataDir } = parts
  const from = await readSoFar(store)
  const { lines, end } = await readAppended(landingsFile(dataDir), from)
  for (const { task, createdAt, target, to, state } of lines as Landing[]) {
    const stored = await store.task(task)
    if (stored === null || stored.spec.createdAt !== createdAt || stored.state.status === 'completed') continue
    if (stored.state.landed === to || !(await workspaces.isAncestor(to, target))) continue
    // One whose landing the database began to store knows by itself how to go on (actions/merge.ts).
    if (stored.state.run?.id === state.run?.id) continue
    await transactor.apply(task, { type: 'landing-found', target, to, known: state })
  }
  if (end !== from) await store.setSetting(READ, String(end))
}

const readSoFar = async (store: Store): Promise<number> => Number((await store.setting(READ)) ?? 0)
