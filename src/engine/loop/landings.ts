/**
 * The log of landings, written beside the database before a branch moves. A database that is older than its repository
 * (a restored backup, or a log that lost its end in a power cut) does not know its last landings. Without this log
 * Muster would do work again that is already on its branch.
 */
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { TaskSpec, TaskState } from '../../domain/task/task.ts'
import { appendDurably, readAppended } from '../../durable.ts'
import type { Store } from '../../ports/store.ts'
import type { EngineCore } from './core.ts'

export interface Landing {
  task: string
  /** Together with the id it is this task, and none that was made again under the same name. */
  createdAt: number
  target: string
  to: string
  /** The task as it went to land, with whatever was answered by then. */
  state: TaskState
}

/** How far a start has read them, and in which file: its first line, a colon, its length. */
const READ = 'landings.read'
const bytesMax = 16 * 1024 * 1024

export const landingsFile = (dataDir: string): string => join(dataDir, 'landings.log')
const olderFile = (dataDir: string): string => `${landingsFile(dataDir)}.1`

export function recordLanding(
  dataDir: string,
  { spec, state }: { spec: TaskSpec; state: TaskState },
  to: string,
): Promise<void> {
  const landing: Landing = { task: spec.id, createdAt: spec.createdAt, target: spec.target, to, state }
  return appendDurably(landingsFile(dataDir), landing)
}

/** What was written down since the last start that this database knows of. */
export async function landingsSince(store: Store, dataDir: string): Promise<Landing[]> {
  return (await readNew(store, dataDir)).landings
}

/** Lets the tasks whose work is on its branch already go on from there. */
export async function adoptLandings({ parts, transactor }: EngineCore): Promise<void> {
  const { store, workspaces, dataDir } = parts
  const { landings, read, end } = await readNew(store, dataDir)
  for (const { task, createdAt, target, to, state } of landings) {
    const stored = await store.task(task)
    if (stored === null || stored.spec.createdAt !== createdAt || isDecided(stored.state)) continue
    if (stored.state.landed === to || !(await workspaces.isAncestor(to, target))) continue
    // A landing whose run the database knows is no news to it: it has gone on from there (actions/merge.ts).
    if (state.run !== null && (await store.run(state.run.id)) !== null) continue
    await transactor.apply(task, { type: 'landing-found', target, to, known: state })
  }
  if (landings.length > 0) await store.setSetting(READ, read)
  // Nobody writes to it now; what comes next begins a new one.
  if (end > bytesMax) await rename(landingsFile(dataDir), olderFile(dataDir))
}

/** A database that knows another file, or none, reads all that there is. */
async function readNew(store: Store, dataDir: string): Promise<{ landings: Landing[]; read: string; end: number }> {
  const [first = '', length = '0'] = ((await store.setting(READ)) ?? '').split(':')
  const behind = await readAppended(landingsFile(dataDir), Number(length))
  const same = behind.first === first
  const { lines, end } = same ? behind : await readAppended(landingsFile(dataDir), 0)
  const older = same ? [] : (await readAppended(olderFile(dataDir), 0)).lines
  return { landings: [...older, ...lines] as Landing[], read: `${behind.first}:${end}`, end }
}

/** A person who has cancelled it since is not overruled. */
const isDecided = ({ status }: TaskState): boolean => status === 'completed' || status === 'cancelled'
