/** What commands share: the project, a store to look at, who is asking, and whether they may. */
import { userInfo } from 'node:os'
import { openReader, systemClock } from '../app.ts'
import { MusterError } from '../domain/errors.ts'
import { findTask } from '../engine/commands.ts'
import { limitedPrograms, type Limited } from '../engine/lanes.ts'
import type { Store, StoredTask } from '../ports/store.ts'
import type { Place } from '../project.ts'
import { findPlace } from '../project.ts'
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

/** The agent programs that start nothing now. */
export function limitedNow(store: Store): Promise<Limited[]> {
  return limitedPrograms(store, systemClock.now())
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
    `${what} is refused: this is the environment of task ${task}, and agents do not decide`,
    {
      hint: 'a person runs it in a terminal of their own',
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
