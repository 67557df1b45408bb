/**
 * Changed tests. A failing test can be made to pass by fixing the code, or by changing the test until it checks
 * nothing. No report can tell these apart, but the old test can: Muster runs it on the new code (E-19). It also finds
 * tests that are gone, which can no longer fail.
 */
import { excerptNamesMax } from '../domain/limits.ts'
import type { Combined } from './combine.ts'
import type { JobResult } from '../ports/executor.ts'
import type { Judgement } from './judge.ts'
import { isTest, type Placed, type Trusted } from './script-file.ts'
import type { Tree } from './shown.ts'
import { cut } from '../reports/text.ts'

/** The tests that failed before and do not any more. */
export function mended(before: readonly JobResult[], { excused }: Judgement): string[] {
  const still = new Set(excused)
  return [...new Set(before.flatMap((run) => testsWith(run, 'failed')))].filter((name) => !still.has(name))
}

/** The changed tests as they were; of those that the change adds there is nothing to compare. */
export async function asTheyWere(changed: readonly string[], { read }: Trusted): Promise<Placed[]> {
  const tests = changed.filter((path) => isTest(path) || path.endsWith('.snap'))
  const texts = await Promise.all(tests.map(async (path) => ({ path, text: await read(path) })))
  return texts.flatMap(({ path, text }) => (text === null ? [] : [{ path, text }]))
}

/** What was found of a check that is green, once these tests have run as they were. */
export function compared(said: Combined, tests: readonly string[], was: readonly JobResult[]): Combined {
  const passed = was.flatMap((run) => testsWith(run, 'passed'))
  // A file that could not be loaded is no test any more when its tests run.
  const doubtful = tests.filter((test) => !passed.some((name) => name === test || name.startsWith(`${test} > `)))
  if (doubtful.length === 0) return said
  const names = cut(doubtful.slice(0, excerptNamesMax).join(', '), 300)
  const words = `it was made green by changing its tests: as they are on the attempt base, these still fail: ${names}`
  return {
    ...said,
    outcome: 'error',
    needsPerson: true,
    reasons: [`${words}; a person has to say whether that is right`],
  }
}

/** Files of tests that the target has and the work has not, of a green check that does not name its tests. */
export async function removedTests(changed: readonly string[], target: Trusted, tree: Tree): Promise<string[]> {
  const tests = new Set(changed.filter(isTest)).difference(new Set(await tree.files()))
  return tests.size === 0 ? [] : [...tests.intersection(new Set(await target.files()))]
}

/** Where nothing names the tests that ran, nobody knows whether those of a removed file still do. */
export function withoutNames(said: Combined, removed: readonly string[]): Combined {
  const names = cut(removed.slice(0, excerptNamesMax).join(', '), 300)
  const words = `it removes tests (${names}), and the command does not name the tests that it runs`
  return {
    ...said,
    outcome: 'error',
    needsPerson: true,
    reasons: [`${words}: a person has to say whether that is right`],
  }
}

function testsWith({ report }: JobResult, status: 'passed' | 'failed'): string[] {
  const tests = report !== null && 'tests' in report ? report.tests : []
  return tests.filter((test) => test.status === status).map(({ name }) => name)
}
