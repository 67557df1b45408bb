/**
 * The account of an agent program, as runs in bubblewrap see it. The folder is the user's own and stays writable,
 * because a renewed login must last. But the program would run some of its files for the user, outside of any sandbox:
 * no run may change those, or add new ones.
 */
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, extname, join, resolve } from 'node:path'
import { isWithin, type Rule } from '../../process/view.ts'
import type { AgentAdapter } from '../stream/adapter.ts'
import { forgetRun, noteRun, plantedMeanwhile } from './under-way.ts'

type Env = Readonly<Record<string, string>>

/** How it was before the run. */
interface Before {
  /** The user's links among its settings, and where they lead: a link cannot be made read-only. */
  links: Readonly<Record<string, string>>
  /** What was not there, and must not be there because of the run. */
  absent: readonly string[]
}

/** What a settings file says when nobody has written any; other settings are folders. */
const EMPTY: Readonly<Record<string, string>> = { '.json': '{}\n', '.toml': '', '.md': '' }

const keptIn = (dir: string): string => join(dir, 'account')
const beforeFile = (dir: string): string => join(keptIn(dir), 'before.json')

/** What a run sees of it; `dir` is the run's folder. Makes what has to be there to be read-only. */
export function accountRules(adapter: AgentAdapter, env: Env, dir: string, dataDir: string): Rule[] {
  const home = env['HOME'] ?? '/'
  const folder = resolve(home, adapter.homes(env)[0])
  rmSync(keptIn(dir), { recursive: true, force: true })
  if (!existsSync(folder)) return []
  mkdirSync(keptIn(dir), { recursive: true, mode: 0o700 })
  const [settings, scratch, foreign] = [adapter.settings, adapter.scratch, adapter.foreign].map((names) =>
    names.map((name) => join(folder, name)),
  ) as [string[], string[], string[]]
  for (const path of [...settings, ...scratch]) makeEmpty(path)
  const planted = plantedMeanwhile(dataDir)
  const absent = foreign.filter((path) => planted.has(path) || entryAt(path) === undefined)
  noteRun(dataDir, dir, absent)
  const there = [...settings, ...foreign].filter((path) => !absent.includes(path) && entryAt(path) !== undefined)
  const links = there.flatMap((path) => (entryAt(path)?.isSymbolicLink() === true ? [[path, readlinkSync(path)]] : []))
  const before: Before = { links: Object.fromEntries(links) as Before['links'], absent }
  writeFileSync(beforeFile(dir), JSON.stringify(before), { mode: 0o600 })
  const copied = adapter.state?.(env)
  return [
    ...there.map((path): Rule => ({ path, access: 'read' })),
    ...scratch.filter((path) => existsSync(path)).map((path): Rule => ({ path, access: 'hide' })),
    ...(copied === undefined ? [] : [copyOf(resolve(home, copied), folder, dir)]),
  ]
}

/** After a run, or when one is found again: what it has planted is taken away, and kept with the run. */
export function clearPlanted(dir: string, dataDir: string): void {
  const before = readBefore(dir)
  const replaced = Object.entries(before.links).filter(([path, target]) => !leadsTo(path, target))
  for (const path of [...before.absent, ...replaced.map(([path]) => path)]) {
    if (entryAt(path) !== undefined) renameAway(path, join(keptIn(dir), basename(path)))
  }
  for (const [path, target] of replaced) symlinkSync(target, path)
  forgetRun(dataDir, dir)
}

/** The run's own, with what the user's says; what it makes of it is gone with the run. */
function copyOf(path: string, folder: string, dir: string): Rule {
  const from = join(keptIn(dir), `own-${basename(path)}`)
  // Something has to be there for the copy to lie over; in the home that is hidden nothing has.
  if (isWithin(path, folder)) makeEmpty(path)
  if (existsSync(path)) copyFileSync(path, from)
  else writeFileSync(from, '{}\n', { mode: 0o600 })
  return { path, access: 'write', from }
}

/** Another Muster may make it too; and where nobody can, no run can plant anything either. */
function makeEmpty(path: string): void {
  if (entryAt(path) !== undefined) return
  const text = EMPTY[extname(path)]
  try {
    if (text === undefined) mkdirSync(path, { mode: 0o700 })
    else writeFileSync(path, text, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if (!['EEXIST', 'EROFS', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

const entryAt = (path: string) => lstatSync(path, { throwIfNoEntry: false })

const leadsTo = (path: string, target: string): boolean =>
  entryAt(path)?.isSymbolicLink() === true && readlinkSync(path) === target

/** Another file system may be in between. */
function renameAway(path: string, to: string): void {
  try {
    rmSync(to, { recursive: true, force: true })
    renameSync(path, to)
  } catch {
    rmSync(path, { recursive: true, force: true })
  }
}

function readBefore(dir: string): Before {
  try {
    return JSON.parse(readFileSync(beforeFile(dir), 'utf8')) as Before
  } catch {
    return { links: {}, absent: [] }
  }
}
