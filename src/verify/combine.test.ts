import { expect, test } from 'vitest'
import { checkRunsMax } from '../domain/limits.ts'
import { combine } from './combine.ts'
import type { Judgement } from './judge.ts'

const counts = { executed: 3, failed: 0, skipped: 0 }
const nothing = { failing: [], excused: [], unclear: [], lost: [], reasons: [] }
const said = { ...nothing, needsPerson: false, counts, unloaded: null, vacuous: false }
const green: Judgement = { ...said, outcome: 'pass' }
const broken: Judgement = { ...said, outcome: 'error', reasons: ['it timed out'] }
const nameless: Judgement = { ...said, outcome: 'fail', reasons: ['it ended with exit code 1'] }

function red(...failing: string[]): Judgement {
  return { ...said, outcome: 'fail', failing, reasons: [`${failing.length} of 3 tests failed`] }
}

test('a green is a pass and is not run again', () => {
  expect(combine([green])).toEqual({ ...green, flaky: [], firstRed: null, runAgain: false })
})

test('a red is run again until it is sure, and red every time is a failure (L29)', () => {
  expect(combine([red('a')])).toMatchObject({ outcome: 'fail', runAgain: true, firstRed: 0 })
  expect(combine([red('a'), red('a')])).toMatchObject({ outcome: 'fail', runAgain: true })
  expect(combine(Array.from({ length: checkRunsMax }, () => red('a')))).toMatchObject({
    outcome: 'fail',
    failing: ['a'],
    flaky: [],
    runAgain: false,
  })
  expect(combine([nameless, nameless, nameless])).toMatchObject({ outcome: 'fail', flaky: [] })
})

test('red and green on the same tree is flaky: for a person, with the first red on record, and no pass (L29, E-33)', () => {
  for (const runs of [
    [red('a'), green],
    [red('a'), red('a'), green],
    [broken, red('a'), green, green, green],
  ]) {
    expect(combine(runs)).toMatchObject({
      outcome: 'error',
      needsPerson: true,
      failing: ['a'],
      flaky: ['a'],
      firstRed: runs.findIndex(({ outcome }) => outcome === 'fail'),
      runAgain: false,
    })
  }
  expect(combine([red('a'), green]).reasons).toEqual([
    'flaky: 1 of 2 runs of the same tree failed, the others passed',
    '1 of 3 tests failed',
  ])
  expect(combine([nameless, green])).toMatchObject({ outcome: 'error', needsPerson: true, flaky: [] })
})

test('of several reds only what failed every time is blamed; the rest is flaky', () => {
  expect(combine([red('a', 'b'), red('c', 'a'), red('a')])).toMatchObject({
    outcome: 'fail',
    failing: ['a'],
    flaky: ['b', 'c'],
  })
  expect(combine([red('a'), red('b')])).toMatchObject({ outcome: 'error', needsPerson: true, flaky: ['a', 'b'] })
})

test('a run that broke says nothing: it neither clears a red nor spoils a green', () => {
  expect(combine([red('a'), broken])).toMatchObject({ outcome: 'fail', failing: ['a'], runAgain: true })
  expect(combine([broken, green])).toMatchObject({ outcome: 'pass' })
  expect(combine([broken])).toMatchObject({ outcome: 'error', needsPerson: false, runAgain: false })
})
