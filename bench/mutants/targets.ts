/** Which mutants are taken: of the places that tests run through, as many as asked for, by a seed. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { chooseTests, type Budget, type Choice } from './choose.ts'
import { hashOf, type Coverage } from './coverage.ts'
import { mutantsOf, type Mutant } from './mutate.ts'
import { withProbes } from './probes.ts'
import type { Tree } from './tree.ts'

export interface Target extends Mutant {
  /** What is passed whenever its place runs. */
  probe: number
  sourceHash: string
}

export class Targets {
  readonly all: Target[]
  readonly covered: Target[]
  readonly #coverage: Coverage

  constructor({ root, sources }: Tree, coverage: Coverage) {
    this.#coverage = coverage
    const passed = new Set(coverage.files.flatMap(({ load, tests }) => [load, ...tests.map(({ hits }) => hits)]).flat())
    this.all = sources.flatMap((file, index) => {
      const text = readFileSync(join(root, file), 'utf8')
      const { probeAt } = withProbes(file, text, index)
      const sourceHash = hashOf(text)
      return mutantsOf(file, text).map((one) => ({ ...one, probe: probeAt(one.start, one.end), sourceHash }))
    })
    this.covered = this.all.filter(({ probe }) => passed.has(probe))
  }

  /** Drawn by chance, but by the same chance each time, whatever else there is. */
  sample(seed: string, count: number, only: string): Target[] {
    const drawn = this.covered.filter(({ file }) => file.includes(only))
    return drawn
      .map((target) => ({ target, at: hashOf(seed, target.id) }))
      .sort((a, b) => (a.at < b.at ? -1 : 1))
      .slice(0, count)
      .map(({ target }) => target)
  }

  testsFor({ file, probe }: Target, budget: Budget): Choice[] {
    return chooseTests(this.#coverage, file, probe, budget)
  }
}
