/** The size and health of Muster's data of a project, for `doctor` and `clean`, and its repairs. */
import { existsSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { lockFile, openReader, systemClock } from './app.ts'
import { MusterError } from './domain/errors.ts'
import { readDurable } from './durable.ts'
import type { DiskUse } from './engine/jobs/disk.ts'
import { survey } from './engine/jobs/disk.ts'
import { mend } from './outage.ts'
import type { Golden } from './ports/workspaces.ts'
import type { Place, Project } from './project.ts'
import { takeLock } from './store/lock.ts'
import { alteredIn } from './workspace/golden.ts'
import { damageIn } from './workspace/mend.ts'
import { Mirror } from './workspace/mirror.ts'
import { ownBranches, whyKept } from './workspace/retired.ts'
import { mirrorsIn } from './workspace/submodules.ts'

/** Folders of work that was cut off: nothing reads them again. */
const LEFT_OVER = /^(?:(?:backup|restore)\.\d+|(?:mirror|submodules\/.+)\.git\.(?:mending|damaged|\d+-\d+\.new))$/

const mirrorDir = ({ dataDir }: Place): string => join(dataDir, 'mirror.git')

/** The mirror for looking: one that is not there is not made. */
function mirrorToRead(place: Place): Mirror | null {
  const dir = mirrorDir(place)
  return existsSync(dir) ? new Mirror(dir, place.repository.gitDir, { name: '', email: '' }) : null
}

/** How many refs the mirror keeps, and what git finds wrong when it looks at all of it. */
export async function mirrorHealth(place: Place): Promise<{ kept: number; damage: string[] }> {
  const mirror = mirrorToRead(place)
  if (mirror === null) return { kept: 0, damage: [] }
  const damage = await allDamage(place)
  return { kept: damage.length > 0 ? 0 : (await mirror.health()).kept, damage }
}

/** Of the mirror and of those of submodules. */
async function allDamage(place: Place): Promise<string[]> {
  const damage = existsSync(mirrorDir(place)) ? await damageIn(mirrorDir(place)) : []
  const inside = join(place.dataDir, 'submodules')
  for (const name of await mirrorsIn(inside)) {
    const found = await damageIn(join(inside, name))
    damage.push(...found.map((what) => `submodules/${name}: ${what}`))
  }
  return damage
}

/** Golden copies, and those of them that cannot be trusted: made again for the next who needs one. */
export async function goldenHealth(place: Place): Promise<{ kept: number; damaged: string[] }> {
  const top = join(place.dataDir, 'golden')
  const names = (await readdir(top).catch(() => [])).filter((name) => !name.includes('.'))
  const damaged: string[] = []
  for (const name of names) {
    const golden = readDurable(join(top, name, 'golden.json')) as Golden | null
    const altered = golden === null ? null : await alteredIn(mirrorDir(place), golden).catch(() => null)
    if (altered === null || altered.length > 0) damaged.push(name)
  }
  return { kept: names.length, damaged }
}

const branchLook = (mirror: Mirror) => ({
  ownBranches: () => ownBranches(mirror.userGitDir),
  whyKept: (branch: string, landed: string) => whyKept(mirror, branch, landed),
})

/** What Muster's data of this project takes on disk. */
export async function diskUse(project: Project): Promise<DiskUse> {
  const { dataDir, config } = project
  const store = await openReader(project)
  const mirror = mirrorToRead(project)
  const snapshots = async () => (await mirror?.snapshots()) ?? new Map<string, string>()
  const branches = mirror === null || config.keepBranches === true ? null : branchLook(mirror)
  try {
    return (await survey({ dataDir, store, snapshots, look: branches }, config.retention, systemClock.now())).use
  } finally {
    await store.close()
  }
}

interface Repair {
  /** In words: what it does, and after that what came of it. */
  what: string
  carryOut(): Promise<string>
}

/** What can be mended, without mending it. */
export async function repairsOf(place: Place): Promise<Repair[]> {
  const { dataDir } = place
  const names = await readdir(dataDir).catch((): string[] => [])
  const inside = await readdir(join(dataDir, 'submodules')).catch((): string[] => [])
  const all = [...names, ...inside.map((name) => `submodules/${name}`)]
  const left = all.filter((name) => LEFT_OVER.test(name) && !isAtWork(name))
  const golden = (await goldenHealth(place)).damaged
  const damaged = (await allDamage(place)).length > 0
  return [
    ...left.map((name) => removal(dataDir, name, 'left behind by interrupted work')),
    ...golden.map((name) => removal(dataDir, join('golden', name), 'a damaged copy; the setup makes a new one')),
    ...(damaged
      ? [
          {
            what: 'rebuild the mirror from your repository and what is left of it',
            carryOut: () => mirrorAgain(place),
          },
        ]
      : []),
  ]
}

function removal(dataDir: string, name: string, why: string): Repair {
  return {
    what: `remove ${name}, ${why}`,
    async carryOut() {
      await rm(join(dataDir, name), { recursive: true, force: true })
      return `removed ${name}`
    },
  }
}

/** A backup takes no lock; its folder names its process. */
function isAtWork(name: string): boolean {
  const pid = Number(/^(?:backup|restore)\.(\d+)$/.exec(name)?.[1])
  try {
    return pid > 0 && process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Nobody else is at work meanwhile. */
export async function carryOut(place: Place, repairs: readonly Repair[]): Promise<string[]> {
  const lock = takeLock(lockFile(place))
  if (lock === null) {
    throw new MusterError('busy', 'Muster is at work here', {
      hint: 'stop it with Ctrl-C, then: muster doctor --repair',
    })
  }
  try {
    const done: string[] = []
    for (const repair of repairs) done.push(await repair.carryOut())
    return done
  } finally {
    lock.release()
  }
}

async function mirrorAgain(place: Place): Promise<string> {
  const lost = (await mend(place)) ?? []
  const all = 'rebuilt the mirror; the old one is beside it, with the suffix .damaged'
  if (lost.length === 0) return `${all}. Nothing was lost`
  return `${all}. ${lost.length} refs are lost, for example ${lost[0]}; work that was not on its branch yet is done again`
}
