/**
 * The criteria that files and words can require: unit tests, end-to-end tests, critics, and the guards of every change.
 */
import type { Timing } from '../domain/contract/contract.ts'
import type { Part, ProjectFacts } from '../tools/facts.ts'
import type { ToolName } from '../domain/tool.ts'
import type { FileRule } from '../domain/contract/rules.ts'
import { testPattern } from '../domain/contract/test-pattern.ts'
import type { DraftCriterion } from './criteria.ts'
import { isProse } from './files.ts'
import type { RuleBook } from './rules.ts'
import { hasNoun, tokensOf } from './sentence.ts'
import { INTERFACE_PARTS } from './words.ts'

/** Beyond this many files their unit tests are one criterion. */
const unitFilesMax = 20

const GUARDS: Readonly<Record<ToolName, string>> = {
  typecheck: 'No type errors',
  lint: 'No lint errors',
  'unit-test': 'The unit tests pass',
  build: 'The project builds',
  e2e: 'The end-to-end tests pass',
}

/** A tool the project does not have now is no reason to fail later; the criterion says so and does not count. */
function guard(name: ToolName, facts: ProjectFacts, description = GUARDS[name]): DraftCriterion {
  const tool = facts.tools[name]
  const base = { activity: name, description, kind: 'guard', judge: 'machine' } as const
  if (tool !== undefined) return { ...base, command: tool.command }
  const why = facts.off.includes(name) ? `${name} is switched off in muster.yaml` : `the project has no ${name} tool`
  return { ...base, skipped: why }
}

/** What every change must pass, prose too. */
export function guards(facts: ProjectFacts): DraftCriterion[] {
  const parts = facts.parts.filter(({ tool }) => tool !== 'unit-test')
  return [guard('typecheck', facts), guard('lint', facts), ...parts.map(checkGuard)]
}

/** Those that do not concern a change are left out when it is verified. */
export function checkGuard({ name, command }: Pick<Part, 'name' | 'command'>): DraftCriterion {
  return { activity: name, description: `The check "${name}" passes`, command, kind: 'guard', judge: 'machine' }
}

/**
 * `text`: the task's title where the files are a guess, so that work on an interface is seen without any file. `code`:
 * what the new lines of files ask for.
 */
export function fileCriteria(
  paths: readonly string[],
  text: string,
  facts: ProjectFacts,
  rules: RuleBook,
  code: ReadonlyMap<string, readonly FileRule[]> = new Map(),
): DraftCriterion[] {
  const files = paths.map((path) => ({ path, ...rules.ofFile(path, code.get(path)) }))
  const tested = files.filter(({ path, unit }) => unit && !isProse(path)).map(({ path }) => path)
  // Rules for everything are not meant for prose, unless they say so.
  const timings = files.flatMap(({ path, e2e }) => {
    return e2e === 'skip' || (e2e === 'deferred' && isProse(path)) ? [] : [{ path, e2e }]
  })
  const critics = new Set([...files.flatMap((file) => file.critics), ...rules.criticsOf(paths)])
  return [
    ...unitCriteria(tested, facts),
    ...e2eCriteria(timings, isAboutInterface(text), facts),
    ...[...critics].map((critic): DraftCriterion => ({
      activity: 'critic',
      description: `Review by ${critic}`,
      pattern: critic,
      kind: 'guard',
      judge: 'checker',
    })),
  ]
}

/** The suite is run as a whole; the pattern says which of its tests speak for a file. */
function unitCriteria(paths: readonly string[], facts: ProjectFacts): DraftCriterion[] {
  const parts = facts.parts.filter(({ tool }) => tool === 'unit-test')
  const all = parts.map(checkGuard)
  const whole = facts.tools['unit-test'] !== undefined || parts.length === 0
  if (paths.length > 0 && paths.length <= unitFilesMax) {
    const each = paths.map((path) => ({ ...unitGuard(path, parts, facts), pattern: testPattern(path, paths) }))
    return [...each, ...all]
  }
  if (!whole) return all
  const description = paths.length === 0 ? undefined : `The unit tests of ${paths.length} files pass`
  return [guard('unit-test', facts, description), ...all]
}

/** By the tests of the part that the file lies in, the innermost if there are several; else by those of the whole. */
function unitGuard(path: string, parts: readonly Part[], facts: ProjectFacts): DraftCriterion {
  const description = `Unit tests for ${path} pass`
  const around = parts.filter(({ cwd }) => cwd !== '' && path.startsWith(`${cwd}/`))
  const [part] = around.toSorted((a, b) => b.cwd.length - a.cwd.length)
  if (part !== undefined) return { ...checkGuard(part), description }
  const whole = guard('unit-test', facts, description)
  const none = whole.skipped !== undefined && parts.length > 0
  return none ? { ...whole, skipped: `no check of muster.yaml runs the tests of ${path}` } : whole
}

function e2eCriteria(
  files: readonly { path: string; e2e: Timing }[],
  byWords: boolean,
  facts: ProjectFacts,
): DraftCriterion[] {
  const immediate = files.filter(({ e2e }) => e2e === 'immediate')
  const first = immediate[0] ?? files[0]
  if (first === undefined && !byWords) return []
  const timing = immediate.length > 0 || first === undefined ? 'immediate' : 'deferred'
  const more = files.length > 1 ? ` and ${files.length - 1} more` : ''
  const description = first === undefined ? GUARDS.e2e : `End-to-end tests for ${first.path}${more} pass`
  return [{ ...guard('e2e', facts, description), timing }]
}

function isAboutInterface(text: string): boolean {
  return tokensOf(text.slice(0, 500)).some(({ kind, word }) => kind === 'word' && hasNoun(INTERFACE_PARTS, word))
}

/** The same thing is asked for once; of two the goal stays, and the one that is said first. */
export function uniqueCriteria(criteria: readonly DraftCriterion[]): DraftCriterion[] {
  const found = new Map<string, DraftCriterion>()
  for (const criterion of criteria) {
    const key = criterionKey(criterion)
    const isBetter = criterion.kind === 'goal' && found.get(key)?.kind === 'guard'
    if (!found.has(key) || isBetter) found.set(key, criterion)
  }
  return [...found.values()]
}

/** What makes two criteria the same: who does what about which tests or files, and when. */
export function criterionKey({
  activity,
  command,
  pattern,
  timing,
  assertion,
  expect,
  description,
}: DraftCriterion): string {
  const said =
    pattern === undefined && assertion === undefined && !(activity in GUARDS) ? description.toLowerCase() : null
  return JSON.stringify([activity, activity in GUARDS ? null : command, pattern, timing, assertion, expect, said])
}
