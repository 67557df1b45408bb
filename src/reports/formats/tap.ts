/**
 * Parses TAP 13 and 14, with subtests before their test point (node:test, TAP 14) or after it in braces (vitest, older
 * runners). A point with subtests is a suite, not a test: it counts only if it failed and none of its subtests did.
 */
import type { TestStatus } from '../../domain/verdict/test-report.ts'
import { reportDepthMax, reportTestsMax } from '../../domain/limits.ts'
import { Refused, type TestList } from './tests.ts'

interface Point {
  /** It has no line that announces it, though others have: node-tap's assertions. */
  assertion?: boolean
  /** Suites and the name; the suites are put in front as they become known. */
  path: string[]
  status: TestStatus
  diagnostic: string[]
}

/** The points of one suite, which have one indentation. */
interface Level {
  indent: number
  points: number
  plan: number | null
  tests: Point[]
  /** Tests of one level deeper that wait for the point they belong to. */
  subtests: Point[] | null
  /** A point whose subtests follow in braces. */
  open: Point | null
  /** A comment has said that the next point is a test of its own. */
  announced: boolean
}

const HEADER = /^TAP version 1[34]\s*$/m
/** tape: the points are assertions, and a comment in front of them names the test. It closes with counts of its own. */
const TAPE = /^1\.\.\d+\n# tests \d+\n# pass +\d+$/m
const POINT = /^ *(not )?ok\b *(\d*) *(?:- *)?(.*)$/
const PLAN = /^ *1\.\.(\d{1,9})\b/
const DIRECTIVE = /(?<!\\)# *(?:(skip|todo)|time=)/i
/** Lines of a diagnostic that say nothing to a reader. */
const NOISE = /^\s*(?:duration_ms|type|failureType|code|name|operator):/

/** Where TAP stands among other output, only its first line says that it is. */
export function hasTapHeader(text: string): boolean {
  return HEADER.test(text)
}

export function isTap(text: string): boolean {
  return hasTapHeader(text) || (/^1\.\.\d+/m.test(text) && /^(?:not )?ok\b/m.test(text))
}

/** Fills the list from the text of a report; throws if it is cut off or contradicts itself. */
export function readTap(text: string, tests: TestList): void {
  // One command may run several programs that print it.
  const [before = '', ...documents] = text.replaceAll('\r\n', '\n').split(/^(?=TAP version 1[34]\s*$)/m)
  for (const document of documents.length === 0 ? [before] : documents) readDocument(document, tests)
}

function readDocument(text: string, tests: TestList): void {
  const announces = /^ *# Subtest: /m.test(text)
  const reader = new TapReader(TAPE.test(text) && !announces, announces)
  for (const line of text.split('\n')) reader.line(line)
  for (const { path, status, diagnostic } of reader.end()) {
    if (isFileOnly(path, status, diagnostic)) continue
    tests.add({ path, status, message: diagnostic.filter((line) => !NOISE.test(line)).join('\n') })
  }
}

class TapReader {
  readonly #root = newLevel(0)
  readonly #levels = [this.#root]
  #points = 0
  readonly #isTape: boolean
  readonly #announces: boolean
  /** The test that a comment has opened. */
  #named: Point | null = null
  #last: Point | null = null
  /** The indentation of the diagnostic that is being read. */
  #diagnostic: number | null = null

  constructor(isTape: boolean, announces: boolean) {
    this.#isTape = isTape
    this.#announces = announces
  }

  line(line: string): void {
    const word = line.trim()
    const indent = line.length - line.trimStart().length
    if (this.#diagnostic !== null) {
      // Whatever a test printed may stand here, even lines that look like points.
      if (word === '...' && indent === this.#diagnostic) this.#diagnostic = null
      else this.#last?.diagnostic.push(line.slice(Math.min(indent, this.#diagnostic)))
    } else if (word === '---') this.#diagnostic = indent
    else if (word === '}') this.#closeBraces(indent)
    else if (this.#isTape && /^# ./.test(line) && this.#root.plan === null) this.#open(line.slice(2))
    else if (word.startsWith('# Subtest: ')) this.#levelAt(indent).announced = true
    else if (word.startsWith('Bail out!')) throw new Refused(`the run was aborted: ${word.slice(0, 200)}`)
    else {
      const plan = PLAN.exec(line)
      const point = POINT.exec(line)
      if (plan !== null) this.#levelAt(indent).plan = Number(plan[1])
      else if (point !== null) this.#point(this.#levelAt(indent), point)
    }
  }

  end(): Point[] {
    const root = this.#levelAt(0)
    checkPlan(root)
    if (this.#diagnostic !== null) throw new Refused('it ends in the middle of a diagnostic')
    if (root.plan === null) throw new Refused('it has no plan: it, or the run, was cut off')
    if (root.subtests !== null || root.open !== null) throw new Refused('it ends in the middle of a suite')
    return root.tests
  }

  #point(level: Level, [, notOk, number, text = '']: RegExpExecArray): void {
    this.#points += 1
    if (this.#points > reportTestsMax) throw new Refused(`it has more than ${reportTestsMax} tests`)
    const braces = /(?:^| )\{ *$/.test(text)
    const whole = braces ? text.slice(0, text.lastIndexOf('{')) : text
    const directive = DIRECTIVE.exec(whole)
    const name = whole.slice(0, directive?.index).replace(/\\(.)/g, '$1').trim()
    // A test that is still to do may fail.
    const status = directive?.[1] !== undefined ? 'skipped' : notOk !== undefined ? 'failed' : 'passed'
    const point: Point = { path: [name || `test ${number}`], status, diagnostic: [] }
    point.assertion = this.#announces && !level.announced && status !== 'skipped'
    level.announced = false
    if (this.#named !== null && level === this.#root) return this.#assertion(this.#named, point)
    level.points += 1
    this.#last = point
    if (braces) level.open = point
    else settle(level, point)
  }

  /** What tape calls a test: the worst of its assertions counts. */
  #open(text: string): void {
    const directive = /^(SKIP|TODO) /.exec(text)?.[0] ?? ''
    this.#named = { path: [text.slice(directive.length)], status: 'skipped', diagnostic: [] }
    this.#root.tests.push(this.#named)
  }

  #assertion(named: Point, point: Point): void {
    this.#root.points += 1
    this.#last = point
    if (point.status === 'failed' && named.status !== 'failed') {
      named.status = 'failed'
      named.diagnostic.push(point.path.join(' '))
      // Only what the first failure says: the rest follows from it as often as not.
      point.diagnostic = named.diagnostic
    } else if (point.status === 'passed' && named.status === 'skipped') named.status = 'passed'
  }

  #closeBraces(indent: number): void {
    const level = this.#levelAt(indent)
    if (level.open !== null) settle(level, level.open)
    level.open = null
  }

  /** The level of that indentation: deeper ones are over, or a new one begins, between others if need be. */
  #levelAt(indent: number): Level {
    for (;;) {
      const top = this.#levels.at(-1) ?? this.#root
      if (top.indent === indent) return top
      if (top.indent < indent) return this.#begin(indent)
      checkPlan(top)
      this.#levels.pop()
      const below = this.#levels.at(-1) ?? this.#root
      const outer = below.indent < indent ? this.#begin(indent) : below
      outer.subtests ??= []
      for (const test of top.tests) outer.subtests.push(test)
    }
  }

  #begin(indent: number): Level {
    if (this.#levels.length >= reportDepthMax) throw new Refused(`it is nested deeper than ${reportDepthMax} levels`)
    const level = newLevel(indent)
    this.#levels.push(level)
    return level
  }
}

function newLevel(indent: number): Level {
  return { indent, points: 0, plan: null, tests: [], subtests: null, open: null, announced: false }
}

function checkPlan({ plan, points }: Level): void {
  if (plan !== null && plan !== points) throw new Refused(`it plans ${plan} tests but has ${points}`)
}

function settle(level: Level, point: Point): void {
  // At the outermost level a point is a file, and what it asserts itself are its tests.
  const subtests = level.indent === 0 ? (level.subtests ?? []) : folded(level.subtests ?? [], point)
  level.subtests = null
  const [name = ''] = point.path
  for (const test of subtests) {
    test.path.unshift(name)
    level.tests.push(test)
  }
  const blamed = point.status === 'failed' && !subtests.some(({ status }) => status === 'failed')
  if (subtests.length === 0 || blamed) level.tests.push(point)
}

/** Without what the point itself asserts: the first of that which failed says why it did. */
function folded(subtests: Point[], point: Point): Point[] {
  const blamed = subtests.find(({ assertion, status }) => assertion === true && status === 'failed')
  if (blamed !== undefined) point.diagnostic.unshift(...blamed.path, ...blamed.diagnostic)
  return subtests.filter(({ assertion }) => assertion !== true)
}

/** node:test reports a file in which there is no test as a test that passed. */
function isFileOnly(path: string[], status: TestStatus, diagnostic: string[]): boolean {
  const byNode = diagnostic.some((line) => line.startsWith('duration_ms:'))
  return byNode && status === 'passed' && path.length === 1 && /^\S+\.[cm]?[jt]s$/.test(path[0] ?? '')
}
