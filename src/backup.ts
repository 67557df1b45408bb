/**
 * Saves a project's data to one file and restores it: the database at one moment, the log of landings, and the refs of
 * the mirrors with all their objects. It contains neither unfinished work nor logs of runs.
 */
import { existsSync, statSync } from 'node:fs'
import { copyFile, mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { databaseFile, lockFile, requireWhole, systemClock } from './app.ts'
import { MusterError } from './domain/errors.ts'
import { syncFolder, writeWhole } from './durable.ts'
import type { Landing } from './engine/loop/landings.ts'
import { landingsFile, landingsSince } from './engine/loop/landings.ts'
import type { Store } from './ports/store.ts'
import type { Place, Project } from './project.ts'
import { requireFolder } from './data-folder.ts'
import { keyFile, readKey } from './history-key.ts'
import { prove } from './proof.ts'
import { takeLock } from './store/lock.ts'
import { copyDatabase } from './store/sqlite.ts'
import { openStore } from './store/store.ts'
import { version } from './version.ts'
import { rootsOf } from './workspace/repository.ts'
import { filesOf, openBundle, refsOf, repositoriesIn, writeBundle } from './workspace/bundle.ts'

export interface BackupReport {
  file: string
  bytes: number
  events: number
  refs: number
}

export interface RestoreReport {
  /** When the backup was made, and by which Muster. */
  madeAt: string
  version: string
  events: number
  /** How many events the database had that it replaced; null: there was none. */
  replaced: number | null
  /** Where that database is now. */
  kept: string | null
  /** What has landed since, of tasks that the backup knows: they go on from there. */
  landed: { task: string; target: string; commit: string }[]
  /** The same, of tasks that it does not know. */
  unknown: { task: string; target: string; commit: string }[]
}

interface About extends Pick<RestoreReport, 'madeAt' | 'version' | 'events'> {
  /** The first commits of the repository: what it is known by, wherever it is. */
  roots: string[]
}

const MAIN = 'main'
const DATABASE = 'muster.db'
const LANDINGS = 'landings.log'
const ABOUT = 'backup.json'

export async function backup(place: Place, wanted: string): Promise<BackupReport> {
  const file = resolve(wanted)
  const { dataDir } = place
  if (!existsSync(databaseFile(place))) {
    throw new MusterError('not_found', 'nothing to back up: Muster has stored nothing for this project yet')
  }
  if (existsSync(file)) {
    throw new MusterError('conflict', `${file} already exists`, {
      hint: 'use another name, or remove the file first',
    })
  }
  const scratch = join(dataDir, `backup.${process.pid}`)
  await rm(scratch, { recursive: true, force: true })
  await mkdir(scratch, { mode: 0o700 })
  try {
    // First the database: whatever it names is in the mirrors already.
    const copy = join(scratch, DATABASE)
    copyDatabase(databaseFile(place), copy)
    const key = keyFile(dataDir)
    const events = await eventsIn(copy, place, readKey(dataDir))
    const about = join(scratch, ABOUT)
    const madeAt = new Date(systemClock.now()).toISOString()
    const roots = await rootsOf(place.repository)
    await writeFile(about, JSON.stringify({ madeAt, version, events, roots } satisfies About))
    const landings = landingsFile(dataDir)
    const files = {
      [ABOUT]: about,
      [DATABASE]: copy,
      ...(existsSync(landings) ? { [LANDINGS]: landings } : {}),
      ...(existsSync(key) ? { [basename(key)]: key } : {}),
    }
    const refs = await writeBundle(file, { files, repositories: await mirrorsOf(dataDir) }, join(scratch, 'bundle.git'))
    return { file, bytes: statSync(file).size, events, refs }
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

export async function restore(project: Project, wanted: string): Promise<RestoreReport> {
  await prove(project, { pid: process.pid }, systemClock.now())
  const file = resolve(wanted)
  if (!existsSync(file)) throw new MusterError('not_found', `there is no file ${file}`)
  const { dataDir } = project
  requireFolder(dataDir)
  const lock = takeLock(lockFile(project))
  if (lock === null) {
    throw new MusterError('busy', 'Muster is at work here', { hint: 'stop it with Ctrl-C, then restore' })
  }
  const scratch = join(dataDir, `restore.${process.pid}`)
  await rm(scratch, { recursive: true, force: true })
  try {
    await mkdir(scratch, { mode: 0o700 })
    const bundle = join(scratch, 'bundle.git')
    await openBundle(file, bundle)
    const files = join(scratch, 'files')
    await filesOf(bundle, files)
    const key = readKey(files)
    await eventsIn(join(files, DATABASE), project, key)
    const { roots, ...about } = JSON.parse(await readFile(join(files, ABOUT), 'utf8')) as About
    const here = await rootsOf(project.repository)
    if (!roots.some((root) => here.includes(root))) {
      throw new MusterError('conflict', 'the backup is of another repository: the two have no common history', {
        hint: 'run the command in the repository of the backup, or in a clone of it',
      })
    }
    for (const name of await repositoriesIn(bundle)) await refsOf(bundle, name, mirrorAt(dataDir, name))
    const { replaced, kept } = await replaceDatabase(project, join(files, DATABASE))
    // Its seal is under the key that it was made with.
    if (key !== undefined) await writeWhole(keyFile(dataDir), `${key}\n`)
    // What landed since is only in the log that is here; it goes on from where the backup's ended.
    if (!existsSync(landingsFile(dataDir)) && existsSync(join(files, LANDINGS))) {
      await copyFile(join(files, LANDINGS), landingsFile(dataDir))
    }
    return { ...about, replaced, kept, ...(await sinceThen(project)) }
  } finally {
    await rm(scratch, { recursive: true, force: true })
    lock.release()
  }
}

/** Throws unless it is whole, by SQLite's word and by the history's own. */
async function eventsIn(file: string, place: Place, key: string | undefined): Promise<number> {
  const store = await openStore({ file, key })
  try {
    await requireWhole(store, place, true)
    const { events, bad } = await store.verifyHistory()
    if (bad === null) return events
    throw new MusterError('storage', `event ${bad.n} of ${bad.chain} is damaged: ${bad.what}`, {
      hint: 'the history was changed; muster doctor shows more',
    })
  } finally {
    await store.close()
  }
}

/** The old one, whatever state it is in, stays beside it. At every moment there is one at its place. */
async function replaceDatabase(place: Place, fresh: string): Promise<Pick<RestoreReport, 'replaced' | 'kept'>> {
  const file = databaseFile(place)
  const there = existsSync(file)
  const replaced = there ? await eventsIn(file, place, readKey(place.dataDir)).catch(() => null) : null
  const kept = there ? join(place.dataDir, `before-restore-${systemClock.now()}`) : null
  if (kept !== null) {
    await mkdir(kept, { mode: 0o700 })
    for (const end of ['', '-wal', '-shm']) {
      if (existsSync(file + end)) await copyFile(file + end, join(kept, `${DATABASE}${end}`))
    }
  }
  const handle = await open(fresh, 'r+')
  await handle.sync()
  await handle.close()
  // They are the old one's, and would be taken for the new one's.
  for (const end of ['-wal', '-shm']) await rm(file + end, { force: true })
  await rename(fresh, file)
  await syncFolder(place.dataDir)
  return { replaced, kept }
}

async function sinceThen(place: Place): Promise<Pick<RestoreReport, 'landed' | 'unknown'>> {
  const store: Store = await openStore({ file: databaseFile(place) })
  try {
    const landed = []
    const unknown = []
    for (const { task, target, to, createdAt } of await landingsSince(store, place.dataDir)) {
      const stored = await store.task(task)
      const line = { task, target, commit: to }
      if (stored?.spec.createdAt !== createdAt) unknown.push(line)
      else if (stored.state.status !== 'completed') landed.push(line)
    }
    return { landed: lastOf(landed), unknown: lastOf(unknown) }
  } finally {
    await store.close()
  }
}

/** One line for each task: it may have tried more than once. */
const lastOf = <T extends Pick<Landing, 'task'>>(lines: T[]): T[] => [
  ...new Map(lines.map((line) => [line.task, line])).values(),
]

async function mirrorsOf(dataDir: string): Promise<Record<string, string>> {
  const folder = join(dataDir, 'submodules')
  const names = await readdir(folder).catch(() => [])
  const all = [MAIN, ...names.map((name) => `submodule/${Buffer.from(name).toString('hex')}`)]
  return Object.fromEntries(
    all.map((name) => [name, mirrorAt(dataDir, name)]).filter(([, dir]) => existsSync(dir ?? '')),
  )
}

function mirrorAt(dataDir: string, name: string): string {
  if (name === MAIN) return join(dataDir, 'mirror.git')
  const folder = Buffer.from(name.slice('submodule/'.length), 'hex').toString()
  if (folder === '' || folder.includes('/') || folder.startsWith('.')) {
    throw new MusterError('usage', 'the backup contains a folder that Muster never creates')
  }
  return join(dataDir, 'submodules', folder)
}
