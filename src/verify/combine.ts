/**
 * Combines several runs of one check on the same tree. A failed check is run again, to tell a failure from a flake: if
 * it fails every time, it is a failure; if it fails and passes, it is flaky and says nothing about the work. A flaky
 * check never passes, however often it passed: a person must look, or the test must be fixed.
 */
import { checkRunsMax } from '../domain/limits.ts'
import { assert } from '../domain/errors.ts'
import type { Judgement } from './judge.ts'

export interface Combined extends Judgement {
  /** Tests that were red in some runs and not in others. */
  flaky: string[]
  /** The index of the first red run, which stays on record whatever followed. */
  firstRed: number | null
  /** Whether another run of the same tree would tell more. */
  runAgain: boolean
}

/** In the order they ran. The order decides which red is on record, and nothing else. */
export function combine(runs: readonly Judgement[]): Combined {
  const reds = runs.filter(({ outcome }) => outcome === 'fail')
  const green = runs.find(({ outcome }) => outcome === 'pass')
  const [red] = reds
  if (red === undefined) {
    const said = green ?? runs.at(-1)
    assert(said !== undefined, 'a check is judged after it ran')
    return { ...said, flaky: [], firstRed: null, runAgain: false }
  }
  const firstRed = runs.indexOf(red)
  const blockers = reds.map((run) => new Set(blockersOf(run)))
  const all = new Set(blockers.flatMap((names) => [...names]))
  const always = new Set([...all].filter((name) => green === undefined && blockers.every((names) => names.has(name))))
  const flaky = [...all].filter((name) => name !== WHOLE && !always.has(name)).toSorted()
  if (always.size === 0) {
    const words = `flaky: ${reds.length} of ${runs.length} runs of the same tree failed, ${green === undefined ? 'each with different failures' : 'the others passed'}`
    return {
      ...red,
      outcome: 'error',
      needsPerson: true,
      reasons: [words, ...red.reasons],
      flaky,
      firstRed,
      runAgain: false,
    }
  }
  return {
    ...red,
    failing: red.failing.filter((name) => always.has(name)),
    lost: red.lost.filter(({ name }) => always.has(name)),
    reasons:
      flaky.length === 0 ? red.reasons : [...red.reasons, `also flaky: ${flaky.length} failed only in some runs`],
    flaky,
    firstRed,
    runAgain: green === undefined && runs.length < checkRunsMax,
  }
}

/** Stands for a red run that names nothing. */
const WHOLE = ''

function blockersOf({ failing, lost }: Judgement): string[] {
  const names = [...failing, ...lost.map(({ name }) => name)]
  return names.length === 0 ? [WHOLE] : names
}
