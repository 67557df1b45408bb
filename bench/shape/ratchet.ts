/**
 * What the house has and should not have, as lists that can only become shorter: `test/shape.json` keeps what is there
 * today, and test/shape.test.ts compares. What goes leaves the list by `npm run shape -- --shrink`; nothing is added.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { bigFunctions, type Counted } from './functions.ts'
import { cycles, unusedExports } from './imports.ts'
import { ROOT, houseOf, type Source } from './sources.ts'

export interface Lists {
  /** Files that import each other when the program runs: `a ⇄ b`. */
  cycles: string[]
  /** The same, where imports of types count too. */
  typeCycles: string[]
  longFunctions: string[]
  complexFunctions: string[]
  /** Nobody imports them, not even a test. */
  unusedExports: string[]
}

const FILE = join(ROOT, 'test/shape.json')
const BOTH = ' ⇄ '

export const keptLists = (): Lists => JSON.parse(readFileSync(FILE, 'utf8')) as Lists

export function listsOf(sources: readonly Source[]): Lists {
  const house = houseOf(sources)
  const { long, complex } = bigFunctions(house)
  const name = (counted: Counted) => `${counted.path} ${counted.name}`
  return {
    cycles: cycles(house, false).map((files) => files.join(BOTH)),
    typeCycles: cycles(house, true).map((files) => files.join(BOTH)),
    longFunctions: long.map(name),
    complexFunctions: complex.map(name),
    unusedExports: unusedExports(sources).nobody.map((each) => `${each.path} ${each.name}`),
  }
}

export interface Difference {
  added: string[]
  gone: string[]
}

/** A cycle that has lost a file is a smaller one, not a new one. */
export function difference(kept: readonly string[], found: readonly string[]): Difference {
  return {
    added: found.filter((one) => !kept.some((other) => isPartOf(one, other))),
    gone: kept.filter((one) => !found.includes(one)),
  }
}

function isPartOf(one: string, other: string): boolean {
  const whole = new Set(other.split(BOTH))
  return one.split(BOTH).every((file) => whole.has(file))
}

/** `list` as it reads after files were moved: a file that is gone is the only one of its name that there is now. */
export function moved(list: readonly string[], paths: readonly string[]): string[] {
  const there = new Set(paths)
  return list.map((one) =>
    one.replace(/src\/\S+\.ts/g, (path) => {
      const [found, other] = there.has(path) ? [path] : paths.filter((each) => basename(each) === basename(path))
      return found === undefined || other !== undefined ? path : found
    }),
  )
}

/** Takes out of the file what is gone, follows files that were moved, and makes cycles as small as they have become. */
export function shrink(sources: readonly Source[]): void {
  const kept = keptLists()
  const paths = houseOf(sources).map(({ path }) => path)
  const smaller = Object.entries(listsOf(sources)).map(([name, now]: [string, string[]]) => {
    const { added } = difference(moved(kept[name as keyof Lists], paths), now)
    return [name, now.filter((one) => !added.includes(one))]
  })
  writeFileSync(FILE, JSON.stringify(Object.fromEntries(smaller)))
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, 'node_modules/oxfmt/bin/oxfmt'), FILE], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`oxfmt could not format ${FILE}: ${stderr}`)
}
