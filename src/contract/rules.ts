/**
 * What a project's rules require for each file. Where globs overlap, the most specific one that sets a field wins,
 * equally specific ones add up, and `skip` never cancels `immediate` (E-10).
 */
import picomatch from 'picomatch'
import type { CodeRule, E2eRule, FileRule, Rules, WideRule } from '../domain/contract/rules.ts'

export interface RuleBook {
  /** Of one file, in the words of the rules; `code`: what its new lines ask for is added. */
  ofFile(path: string, code?: readonly FileRule[]): Required<FileRule>
  /** What new lines ask for. */
  code: readonly CodeRule[]
  /** Critics that a change asks for as a whole. */
  criticsOf(paths: readonly string[]): readonly string[]
}

type Matcher = (path: string) => boolean

/** Compiles the globs once, for many files. */
export function ruleBook(rules: Rules): RuleBook {
  const patterns = rules.patterns
    .map(({ glob, rule }) => ({ rule, fits: matcher([glob]), rank: specificity(glob) }))
    .toSorted((a, b) => compareRanks(b.rank, a.rank))
  const wide = rules.wide.map((rule) => ({ rule, fits: matcher(rule.touches ?? ['**']) }))
  return {
    ofFile(path, code = []) {
      const fitting = patterns.filter(({ fits }) => fits(path))
      const own = fitting.length === 0 ? complete([[rules.defaults]]) : complete(byRank(fitting))
      return code.length === 0 ? own : complete([[own, ...code]])
    },
    code: rules.code ?? [],
    criticsOf: (paths) => wide.flatMap(({ rule, fits }) => (isWide(rule, fits, paths) ? rule.critics : [])),
  }
}

function matcher(globs: readonly string[]): Matcher {
  return picomatch([...globs], { dot: true, flags: 's' })
}

/** Rules in groups of equal rank, the most specific group first. */
function byRank(fitting: readonly { rule: FileRule; rank: Rank }[]): FileRule[][] {
  const groups: { rank: Rank; rules: FileRule[] }[] = []
  for (const { rule, rank } of fitting) {
    const last = groups.at(-1)
    if (last !== undefined && compareRanks(last.rank, rank) === 0) last.rules.push(rule)
    else groups.push({ rank, rules: [rule] })
  }
  return groups.map(({ rules }) => rules)
}

const STRENGTH: readonly E2eRule[] = ['skip', 'deferred', 'immediate']

function complete(groups: readonly FileRule[][]): Required<FileRule> {
  const e2e =
    said(groups, (rule) => rule.e2e).toSorted((a, b) => STRENGTH.indexOf(b) - STRENGTH.indexOf(a))[0] ?? 'skip'
  const isImmediate = groups.flat().some((rule) => rule.e2e === 'immediate')
  return {
    unit: said(groups, (rule) => rule.unit).includes(true),
    e2e: e2e === 'skip' && isImmediate ? 'immediate' : e2e,
    critics: [...new Set(said(groups, (rule) => rule.critics).flat())],
  }
}

/** What the most specific rules say that say anything about a field. */
function said<T>(groups: readonly FileRule[][], field: (rule: FileRule) => T | undefined): T[] {
  const values = groups.map((rules) => rules.map(field).filter((value) => value !== undefined))
  return values.find((some) => some.length > 0) ?? []
}

// Whole folder or file names first, then letters: **/auth/** before **/*.tsx.
type Rank = readonly [names: number, letters: number]

function specificity(glob: string): Rank {
  const segments = glob.split('/').map((segment) => segment.replace(/\{([^,{}]*),[^{}]*\}/g, '$1'))
  const letters = segments.join('').replace(/[*?]|\[[^\]]*\]/g, '').length
  return [segments.filter((segment) => !/[*?[(]/.test(segment)).length, letters]
}

function compareRanks(a: Rank, b: Rank): number {
  return a[0] - b[0] || a[1] - b[1]
}

function isWide(rule: WideRule, fits: Matcher, paths: readonly string[]): boolean {
  if (rule.touches !== undefined && !paths.some(fits)) return false
  const folders = new Set(paths.map((path) => path.slice(0, Math.max(0, path.lastIndexOf('/')))))
  return folders.size >= (rule.foldersMin ?? 0)
}
