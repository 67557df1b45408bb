/**
 * Which files of an account must not exist while runs are under way, of this Muster or of another one on this machine:
 * what one run plants must not look like the user's file to the next. Each run has a file in its project's data, named
 * after its process. Muster ignores files of dead processes; their own Muster removes them when it starts again.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { lives, readStat } from '../../process/group.ts'

const placeOf = (dataDir: string): string => join(dataDir, 'accounts')
const endOf = (dir: string): string => `-${createHash('sha256').update(dir).digest('hex').slice(0, 16)}.json`

/** Before it starts: whoever starts after it finds this. `dir` is the run's folder. */
export function noteRun(dataDir: string, dir: string, absent: readonly string[]): void {
  mkdirSync(placeOf(dataDir), { recursive: true, mode: 0o700 })
  const owner = `${process.pid}-${readStat(process.pid)?.startTime ?? 0}`
  writeFileSync(join(placeOf(dataDir), `${owner}${endOf(dir)}`), JSON.stringify(absent), { mode: 0o600 })
}

/** Once it is over, whichever process sees that. */
export function forgetRun(dataDir: string, dir: string): void {
  for (const name of namesIn(placeOf(dataDir)).filter((each) => each.endsWith(endOf(dir)))) {
    rmSync(join(placeOf(dataDir), name), { force: true })
  }
}

export function plantedMeanwhile(dataDir: string): Set<string> {
  const parent = dirname(dataDir)
  const records = namesIn(parent).flatMap((name) => {
    const place = placeOf(join(parent, name))
    return namesIn(place)
      .filter(isOfLiving)
      .flatMap((file) => pathsIn(join(place, file)))
  })
  return new Set(records)
}

/** Without /proc only those of this process are known to live. */
function isOfLiving(name: string): boolean {
  const [, pid, startTime = ''] = /^(\d+)-(\d+)-/.exec(name) ?? []
  return Number(pid) === process.pid || lives({ pid: Number(pid), startTime })
}

function pathsIn(file: string): string[] {
  try {
    const paths: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return Array.isArray(paths) ? paths.filter((path) => typeof path === 'string') : []
  } catch {
    return []
  }
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir)
  } catch {
    return []
  }
}
