/** Which tests a mutant has to meet: those that run through its place, the likely and the fast ones first, within a budget. */
import { basename, dirname } from 'node:path'
import type { Coverage } from './coverage.ts'
import type { Chosen } from './tests.ts'

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
}

export interface Choice {
  tests: Chosen[]
  /** What they took when nothing was wrong. */
  ms: number
  slowestMs: number
}

/** Unit tests of the file itself, then of its folder, then others; then tests through the whole engine, of the like first. */
function rankOf(test: string, source: string): number {
  if (!test.startsWith('src/')) return source.split(/[/.]/).includes(basename(test, '.test.ts')) ? 3 : 4
  if (test === source.replace(/\.ts$/, '.test.ts')) return 0
  return dirname(test) === dirname(source) ? 1 : 2
}

/** The steps in which a mutant of the source is tried: unit tests, then the others. */
export function chooseTests(coverage: Coverage, source: string, probe: number, budgetMs: number): Choice[] {
  const candidates = coverage.files.flatMap(({ file, load, tests, whole }): Candidate[] => {
    const rank = rankOf(file, source)
    const through = load.includes(probe) ? tests : tests.filter(({ hits }) => hits.includes(probe))
    const groups = whole && through.length > 0 ? [tests] : through.map((test) => [test])
    return groups.map((group) => {
      return { file, names: group.map(({ name }) => name), ms: group.reduce((sum, { ms }) => sum + ms, 0), rank }
    })
  })
  candidates.sort((a, b) => a.rank - b.rank || a.ms - b.ms)
  const isUnit = ({ rank }: Candidate) => rank < 3
  // Half of the time for either, so that neither keeps the other from being asked.
  const steps = [candidates.filter(isUnit), candidates.filter((one) => !isUnit(one))]
  return steps.flatMap((step) => within(step, budgetMs / 2))
}

function within(candidates: readonly Candidate[], budgetMs: number): Choice[] {
  const byFile = new Map<string, string[]>()
  let [count, spentMs, slowestMs] = [0, 0, 0]
  for (const { file, names, ms } of candidates) {
    const taken = byFile.get(file)
    const costMs = ms + (taken === undefined ? loadMs : 0)
    if (count >= testsMin && spentMs + costMs > budgetMs) continue
    count += 1
    byFile.set(file, [...(taken ?? []), ...names])
    spentMs += costMs
    slowestMs = Math.max(slowestMs, ms)
  }
  if (byFile.size === 0) return []
  return [{ tests: [...byFile].map(([file, names]) => ({ file, names })), ms: spentMs, slowestMs }]
}
