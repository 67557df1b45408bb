/** Which tests a mutant has to meet: those that run through its place, the likely ones first, within a budget. */
import { basename, dirname } from 'node:path'
import type { Coverage, Covering } from './coverage.ts'
import { isOfSameFile } from './probes.ts'
import type { Chosen, TestSeen } from './tests.ts'

/** About what it takes to load a test file. */
const loadMs = 500
/** So many are asked whatever they take: a busy machine must not make a mutant look better than it is. */
const testsMin = 12

interface Candidate {
  file: string
  /** One test, or all of a file that needs them all. */
  names: string[]
  ms: number
  rank: number
  /** How much the test is about the place: the more, the likelier it notices. */
  about: number
}

export interface Choice {
  tests: Chosen[]
  /** What they took when nothing was wrong. */
  ms: number
  slowestMs: number
}

/** How long the tests of one mutant may take, as long as they do when nothing is wrong. */
export interface Budget {
  firstMs: number
  /** Once more, for a mutant that survived the first ones. */
  moreMs: number
}

/** Unit tests of the file itself, then of its folder, then others; then tests through the whole engine, of the like first. */
function rankOf(test: string, source: string): number {
  if (!test.startsWith('src/')) return source.split(/[/.]/).includes(basename(test, '.test.ts')) ? 3 : 4
  if (test === source.replace(/\.ts$/, '.test.ts')) return 0
  return dirname(test) === dirname(source) ? 1 : 2
}

/**
 * The steps in which a mutant of the source is tried: unit tests, then the others, with half of `firstMs` each, so that
 * neither keeps the other from being asked. A mutant that survives them meets the next likely ones, for `moreMs`.
 */
export function chooseTests({ files }: Coverage, source: string, probe: number, { firstMs, moreMs }: Budget): Choice[] {
  const candidates = files.flatMap((file) => candidatesOf(file, source, probe))
  candidates.sort((a, b) => a.rank - b.rank || b.about - a.about || a.ms - b.ms)
  const isUnit = ({ rank }: Candidate) => rank < 3
  const units = within(candidates.filter(isUnit), firstMs / 2)
  const others = within(
    candidates.filter((one) => !isUnit(one)),
    firstMs / 2,
  )
  const asked = new Set([...units, ...others])
  const rest = within(
    candidates.filter((one) => !asked.has(one)),
    moreMs,
  )
  return [units, others, rest].filter((step) => step.length > 0).map(choiceOf)
}

/**
 * Most tests of a file that is about the place pass it, and a test that is about it passes more of the source around it
 * than one that passes it on the way to something else.
 */
function candidatesOf({ file, load, tests, whole }: Covering, source: string, probe: number): Candidate[] {
  const through = load.includes(probe) ? tests : tests.filter(({ hits }) => hits.includes(probe))
  if (through.length === 0) return []
  const groups = whole ? [tests] : through.map((test) => [test])
  const aroundOf = ({ hits }: TestSeen) => hits.filter((hit) => isOfSameFile(hit, probe)).length
  return groups.map((group) => ({
    file,
    names: group.map(({ name }) => name),
    ms: group.reduce((sum, { ms }) => sum + ms, 0),
    rank: rankOf(file, source),
    about: (through.length / tests.length) * Math.max(...group.map(aroundOf)),
  }))
}

function within(candidates: readonly Candidate[], budgetMs: number): Candidate[] {
  const taken: Candidate[] = []
  const loaded = new Set<string>()
  let spentMs = 0
  for (const one of candidates) {
    const costMs = one.ms + (loaded.has(one.file) ? 0 : loadMs)
    if (taken.length >= testsMin && spentMs + costMs > budgetMs) continue
    taken.push(one)
    loaded.add(one.file)
    spentMs += costMs
  }
  return taken
}

function choiceOf(taken: readonly Candidate[]): Choice {
  const byFile = Map.groupBy(taken, ({ file }) => file)
  return {
    tests: [...byFile].map(([file, of]) => ({ file, names: of.flatMap(({ names }) => names) })),
    ms: taken.reduce((sum, { ms }) => sum + ms, byFile.size * loadMs),
    slowestMs: Math.max(...taken.map(({ ms }) => ms)),
  }
}
