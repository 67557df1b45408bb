/** What commands share: the project, a store to read from, who is asking, and whether they may. */
import { userInfo } from 'node:os'
import { openReader, systemClock } from '../app.ts'
import type { ProjectConfig } from '../domain/config.ts'
import { forDisplay } from '../domain/display.ts'
import { MusterError } from '../domain/errors.ts'
import { findStory, findTask } from '../engine/meant.ts'
import { limitedPrograms, type Limited } from '../engine/loop/rate-limits.ts'
import type { Store, StoredTask } from '../ports/store.ts'
import type { Place } from '../project.ts'
import { findPlace, openProject } from '../project.ts'
import type { Io } from './io.ts'

/** Looks at the store and closes it again. */
export async function reading<T>(io: Io, look: (store: Store, place: Place) => Promise<T>): Promise<T> {
  const place = await findPlace(io.cwd, io.env)
  const store = await openReader(place)
  try {
    return await look(store, place)
  } finally {
    await store.close()
  }
}

export async function requireTask(store: Store, wanted: string): Promise<StoredTask> {
  const task = await store.task(await findTask(store, wanted))
  if (task === null)
    throw new MusterError('not_found', `there is no task "${wanted}"`, { hint: 'muster status lists them' })
  return task
}

/** What muster.yaml says now; null where it cannot be read: whoever only looks is not stopped by that. */
export async function presentConfig(io: Io, { configPath }: Place): Promise<ProjectConfig | null> {
  if (configPath === null) return null
  try {
    return (await openProject(io.cwd, io.env)).config
  } catch (error) {
    if (!(error instanceof MusterError)) throw error
    io.say(`${io.paint.yellow('note:')} ${forDisplay(error.message.split('\n')[0] ?? '')} (muster doctor)\n`)
    return null
  }
}

/** The agent programs that start nothing now. */
export function limitedNow(store: Store): Promise<Limited[]> {
  return limitedPrograms(store, systemClock.now())
}

/** The story that `--story` names, by any part of its id. */
export async function storyOption(store: Store, { story }: Record<string, unknown>): Promise<string | undefined> {
  return typeof story === 'string' ? findStory(store, story) : undefined
}

export function person(io: Io): string {
  return io.env['USER'] || io.env['LOGNAME'] || userInfo().username
}

/** Decisions are people's: an agent at work on a task may not take them. */
export function refuseInsideTask(io: Io, what: string): void {
  const task = io.env['MUSTER_TASK_ID']
  if (!task) return
  throw new MusterError(
    'not_allowed',
    `${what} is refused: this terminal belongs to the agent of task ${task}, and agents may not decide`,
    {
      hint: 'run it in a terminal of your own',
    },
  )
}

/** `a, b` as a list. */
export function commaList(value: unknown): string[] {
  return typeof value === 'string'
    ? value
        .split(',')
        .map((part) => part.trim())
        .filter(Boolean)
    : []
}
