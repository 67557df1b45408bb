/** Which tests a mutant has to meet: those that run through its place, the likely and the fast ones first, within a budget. */
import { dirname } from 'node:path'
import type { Coverage } from './coverage.ts'
import type { Chosen } from './tests.ts'

/** About what it takes to load a test file. */
const loadMs = 500
/** So many are asked whatever they take: a busy machine must not make a mutant look better than it is. */
const testsMin = 12

interface Candidate {
  file: string
  name: string
  ms: number
  rank: number
}

export interface Choice {
  tests: Chosen[]
  /** What they took when nothing was wrong. */
  ms: number
  slowestMs: number
}

/** Unit tests of the file itself, then of its folder, then others, then tests through the whole engine. */
function rankOf(test: string, source: string): number {
  if (!test.startsWith('src/')) return 3
  if (test === source.replace(/\.ts$/, '.test.ts')) return 0
  return dirname(test) === dirname(source) ? 1 : 2
}

/** The steps in which a mutant of the source is tried: unit tests, then the others. */
export function chooseTests(coverage: Coverage, source: string, probe: number, budgetMs: number): Choice[] {
  const candidates = coverage.files.flatMap(({ file, load, tests }) => {
    const through = load.includes(probe) ? tests : tests.filter(({ hits }) => hits.includes(probe))
    return through.map(({ name, ms }): Candidate => ({ file, name, ms, rank: rankOf(file, source) }))
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
  for (const { file, name, ms } of candidates) {
    const names = byFile.get(file)
    const costMs = ms + (names === undefined ? loadMs : 0)
    if (count >= testsMin && spentMs + costMs > budgetMs) continue
    count += 1
    byFile.set(file, [...(names ?? []), name])
    spentMs += costMs
    slowestMs = Math.max(slowestMs, ms)
  }
  if (byFile.size === 0) return []
  return [{ tests: [...byFile].map(([file, names]) => ({ file, names })), ms: spentMs, slowestMs }]
}
