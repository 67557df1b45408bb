/**
 * Parses the output of `go test -v`, for commands that cannot be asked for events. Names count only if every test that
 * began also ended: a test that prints past the end of its line makes the report unreadable, never different.
 */
import { addPackage, ENDS, type GoTest, outputCharsMax } from './go.ts'
import { Refused, type TestList } from './tests.ts'

const FRAME = /^=== (?:RUN|PAUSE|CONT|NAME) +(\S+)$/
const END = /^\s*--- (PASS|FAIL|SKIP): (\S+) \([\d.]+s\)$/
const PACKAGE = /^(ok {2}|FAIL)\t(\S+)(?:\t| \[(?:build|setup) failed\])/

export function isGoText(text: string): boolean {
  return /^=== RUN {3}\S+$/m.test(text) && /^(?:ok {2}|FAIL)\t\S+\t/m.test(text)
}

export function readGoText(text: string, tests: TestList): void {
  let of = new Map<string, GoTest>()
  let name = ''
  for (const line of text.split(/\r?\n/)) {
    const [, frame] = FRAME.exec(line) ?? []
    const [, word = '', ended] = END.exec(line) ?? []
    const [, result, path = ''] = PACKAGE.exec(line) ?? []
    name = frame ?? ended ?? name
    const test = of.get(name) ?? { status: null, output: '' }
    if (ended !== undefined) test.status = ENDS[word.toLowerCase()] ?? null
    else if (frame === undefined && test.output.length < outputCharsMax) test.output += `${line}\n`
    of.set(name, test)
    if (result === undefined) continue
    const open = [...of].some(([key, { status }]) => key !== '' && status === null)
    if (open && result !== 'FAIL') throw new Refused(`a test of ${path} did not finish`)
    of.set('', { status: result === 'FAIL' ? 'failed' : 'passed', output: test.output })
    addPackage(path, of, '', new Set(), tests)
    ;[of, name] = [new Map(), '']
  }
  if ([...of].some(([key]) => key !== '')) throw new Refused('its last package did not finish')
}
