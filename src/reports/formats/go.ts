/**
 * Parses the events of `go test -json`, one per line, between other lines. A package that fails although none of its
 * tests does could not be built, or crashed: the package itself is reported as failed.
 */
import type { TestStatus } from '../../domain/verdict/test-report.ts'
import { Refused, type TestList } from './tests.ts'

export interface GoTest {
  status: TestStatus | null
  output: string
}

export const ENDS: Readonly<Record<string, TestStatus>> = { pass: 'passed', fail: 'failed', skip: 'skipped' }
/** What it says about the run, not about the test. */
const FRAME = /^\s*(?:=== (?:RUN|PAUSE|CONT|NAME)|--- (?:PASS|FAIL|SKIP):)/
const UNBUILT = /^FAIL\t(\S+) \[(?:build|setup) failed\]/
export const outputCharsMax = 20_000

type Packages = Map<string, Map<string, GoTest>>

export function readGo(text: string, tests: TestList): void {
  const packages: Packages = new Map()
  const unbuilt = new Set<string>()
  let module = ''
  let told = ''
  for (const line of text.split('\n')) {
    if (line.startsWith('{')) {
      takeEvent(JSON.parse(line) as Record<string, unknown>, packages, unbuilt)
      continue
    }
    module ||= /^module ["`]?([^\s"`]+)/.exec(line)?.[1] ?? ''
    const name = UNBUILT.exec(line)?.[1]
    if (name !== undefined) unbuilt.add(name)
    else told = (told + line + '\n').slice(-outputCharsMax)
  }
  if (packages.size === 0 && unbuilt.size === 0) throw new Refused('it has no events of go test')
  for (const [name, of] of packages) addPackage(name, of, module, unbuilt, tests)
  for (const name of unbuilt) tests.add({ path: [name], status: 'failed', message: told, load: true })
}

/** An event without a test is its package's own. */
function takeEvent(event: Record<string, unknown>, packages: Packages, unbuilt: Set<string>): void {
  const { Package: name, Action: action, Test: key, Output: output } = event
  if (typeof name !== 'string' || typeof action !== 'string') return
  const test = testIn(packages, name, typeof key === 'string' ? key : '')
  if (typeof output === 'string') {
    if (UNBUILT.test(output)) unbuilt.add(name)
    if (!FRAME.test(output) && test.output.length < outputCharsMax) test.output += output
  }
  test.status = ENDS[action] ?? test.status
}

function testIn(packages: Packages, name: string, key: string): GoTest {
  const of = packages.get(name) ?? new Map<string, GoTest>()
  packages.set(name, of)
  const test = of.get(key) ?? { status: null, output: '' }
  of.set(key, test)
  return test
}

export function addPackage(
  name: string,
  of: ReadonlyMap<string, GoTest>,
  module: string,
  unbuilt: ReadonlySet<string>,
  tests: TestList,
): void {
  const folder = module !== '' && name.startsWith(`${module}/`) ? `${name.slice(module.length + 1)}/` : ''
  // go names files from their package's folder.
  const placed = (text: string): string => text.replace(/(^|[\s(])([\w.-]+\.go:\d+)/g, `$1${folder}$2`)
  let failed = false
  for (const [key, { status, output }] of of) {
    if (key === '') continue
    // One that never ended was running when the package was given up.
    failed ||= status === 'failed' || status === null
    tests.add({ path: [name, key], status: status ?? 'failed', message: placed(output) })
  }
  const whole = of.get('')
  if (whole?.status === null) throw new Refused(`it was cut off: ${name} did not finish`)
  if (whole?.status === 'failed' && !failed && !unbuilt.has(name)) {
    tests.add({ path: [name], status: 'failed', message: placed(whole.output), load: true })
  }
}
