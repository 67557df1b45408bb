/** Which tests a mutant has to meet: those that run through its place, the likely and the fast ones first, within a budget. */
import { dirname } from 'node:path'
import type { Coverage } from './coverage.ts'
import type { Chosen } from './tests.ts'

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
  const steps: Choice[] = []
  let spentMs = 0
  for (const ranks of [[0, 1, 2], [3]]) {
    const taken: Candidate[] = []
    for (const one of candidates.filter(({ rank }) => ranks.includes(rank))) {
      if (taken.length > 0 && spentMs + one.ms > budgetMs) break
      taken.push(one)
      spentMs += one.ms
    }
    if (taken.length > 0) steps.push(together(taken))
  }
  return steps
}

function together(taken: readonly Candidate[]): Choice {
  const byFile = Map.groupBy(taken, ({ file }) => file)
  return {
    tests: [...byFile].map(([file, tests]) => ({ file, names: tests.map(({ name }) => name) })),
    ms: taken.reduce((sum, { ms }) => sum + ms, 0),
    slowestMs: Math.max(...taken.map(({ ms }) => ms)),
  }
}
