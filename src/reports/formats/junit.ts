/**
 * Parses JUnit XML, as pytest, node:test, vitest, surefire and many others write it. There is no common schema: where
 * tools differ, the worst reading counts. Only XML's five own entities are replaced, so nothing can expand.
 */
import type { TestStatus } from '../../domain/verdict/test-report.ts'
import { SaxesParser } from 'saxes'
import { reportDepthMax, testMessageCharsMax } from '../../domain/limits.ts'
import { Refused, type RawTest, type TestList } from './tests.ts'

const printedCharsMax = 4 * testMessageCharsMax

type Attributes = Record<string, string>

interface Suite {
  name: string
  file: string | undefined
}

interface Case {
  attributes: Attributes
  skipped: boolean
  /** Not yet expected to pass. */
  todo: boolean
  failed: boolean
  texts: string[]
  /** What it printed: where a failure says nothing, that may. */
  printed: string
}

/** Fills the list from the text of a report; throws if it is not well-formed or says what cannot be. */
export function readJUnit(text: string, tests: TestList): void {
  const reader = new JUnitReader(tests)
  const parser = new SaxesParser()
  parser.on('opentag', ({ name, attributes }) => reader.open(name, attributes))
  parser.on('text', (part) => reader.text(part))
  parser.on('cdata', (part) => reader.text(part))
  parser.on('closetag', ({ name }) => reader.close(name))
  parser.write(withoutControls(text.trimStart())).close()
  reader.end()
}

class JUnitReader {
  readonly #tests: TestList
  readonly #elements: string[] = []
  readonly #suites: Suite[] = []
  readonly #declared = { tests: 0, failed: 0 }
  #failures = 0
  #case: Case | null = null
  /** The text of the failure that is being read, its message first. */
  #failure: string[] | null = null
  /** Held back: what follows may belong to it. */
  #last: RawTest | null = null

  constructor(tests: TestList) {
    this.#tests = tests
  }

  open(name: string, attributes: Attributes): void {
    const depth = this.#elements.push(name)
    if (depth > reportDepthMax) throw new Refused(`it is nested deeper than ${reportDepthMax} levels`)
    const isSuite = name === 'testsuites' || name === 'testsuite'
    if (depth === 1 && !isSuite) throw new Refused(`it is XML, but starts with <${name.slice(0, 40)}>`)
    if (this.#case !== null && (isSuite || name === 'testcase')) throw new Refused(`it has a ${name} inside a test`)
    if (isSuite) this.#openSuite(name, attributes)
    else if (name === 'testcase') this.#case = newCase(attributes)
    else if (name === 'failure' || name === 'error') this.#openFailure(attributes)
    else if (name === 'skipped' && this.#case !== null) skip(this.#case, attributes)
  }

  #openSuite(name: string, attributes: Attributes): void {
    const { tests, failed } = countsOf(attributes)
    this.#declared.tests = Math.max(this.#declared.tests, tests)
    this.#declared.failed = Math.max(this.#declared.failed, failed)
    this.#suites.push({ name: name === 'testsuites' ? '' : (attributes['name'] ?? ''), file: attributes['file'] })
  }

  #openFailure(attributes: Attributes): void {
    this.#failures += 1
    this.#failure = [attributes['message'] ?? attributes['type'] ?? '']
    // Outside of a test it is the suite that failed: its setup, say.
    this.#case ??= newCase({})
    this.#case.failed = true
  }

  text(part: string): void {
    this.#failure?.push(part)
    const isPrinted = this.#case !== null && this.#elements.at(-1) === 'system-out'
    if (isPrinted && this.#case !== null) this.#case.printed = (this.#case.printed + part).slice(-printedCharsMax)
  }

  close(name: string): void {
    this.#elements.pop()
    if ((name === 'failure' || name === 'error') && this.#failure !== null) {
      this.#case?.texts.push(withoutRepetition(this.#failure))
      this.#failure = null
      if (!this.#elements.includes('testcase')) this.#endCase()
    } else if (name === 'testcase') this.#endCase()
    else if (name === 'testsuite' || name === 'testsuites') this.#suites.pop()
  }

  end(): void {
    if (this.#last !== null) this.#tests.add(this.#last)
    this.#tests.checkAgainst(this.#declared, this.#failures)
  }

  #endCase(): void {
    const ended = this.#case
    this.#case = null
    if (ended === null) return
    const test = {
      ...identity(ended.attributes, this.#suites),
      status: statusOf(ended),
      message: ended.texts.join('\n').trim() || ended.printed,
    }
    if (isFileOnly(ended, test.file)) return
    if (this.#last?.status === 'failed' && isTeardownOf(this.#last, test)) {
      this.#last.message = `${this.#last.message}\n${test.message}`
      return
    }
    if (this.#last !== null) this.#tests.add(this.#last)
    this.#last = test
  }
}

function newCase(attributes: Attributes): Case {
  return { attributes, skipped: false, todo: false, failed: false, texts: [], printed: '' }
}

function skip(test: Case, { type, message }: Attributes): void {
  test.skipped = true
  test.todo = type === 'todo'
  // ctest has no other word for a test whose program is missing.
  if (message?.startsWith('Unable to find executable') === true) test.failed = true
}

/** pytest writes a test that failed in its body and in its teardown as two. */
function isTeardownOf(test: RawTest, next: RawTest): boolean {
  const same = test.file === next.file && test.path.join('\0') === next.path.join('\0')
  return same && next.status === 'failed' && (next.message ?? '').startsWith('failed on teardown')
}

/** Runners leave the colours of what a test printed in their XML, where an escape is not allowed to be. */
function withoutControls(text: string): string {
  return (
    text
      .toWellFormed()
      .replace(/&#(?:x0*1b|0*27);/gi, '\x1b')
      // oxlint-disable-next-line no-control-regex -- these are what is taken out; none of them can be markup
      .replace(/\x1b\[[0-9;:?]*[A-Za-z]|[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '')
  )
}

function countsOf(attributes: Attributes): { tests: number; failed: number } {
  const number = (name: string): number => {
    const text = (attributes[name] ?? '').trim()
    if (text !== '' && !/^\d{1,15}$/.test(text))
      throw new Refused(`its ${name} are ${JSON.stringify(text.slice(0, 40))}`)
    return Number(text)
  }
  number('skipped')
  return { tests: number('tests'), failed: number('failures') + number('errors') }
}

function statusOf({ attributes, skipped, todo, failed }: Case): TestStatus {
  const status = attributes['status'] ?? ''
  // A test that is still to do may fail: node:test says both.
  if ((failed && !todo) || /^(?:failed|failure|error)$/i.test(status)) return 'failed'
  const result = attributes['result'] ?? ''
  const notRun = /^(?:notrun|skipped|disabled)$/i.test(status) || /^(?:skipped|suppressed)$/i.test(result)
  return skipped || notRun ? 'skipped' : 'passed'
}

/** Most tools repeat the message in the body. */
function withoutRepetition([message = '', ...rest]: string[]): string {
  const body = rest.join('').trim()
  const [firstLine = ''] = message.trim().split('\n')
  return body.includes(firstLine) ? body : `${message}\n${body}`.trim()
}

type Place = Pick<RawTest, 'file' | 'path' | 'line' | 'near'>

/** Where a test belongs: tools put the file, the suites and the class into different attributes, often twice. */
function identity(attributes: Attributes, suites: readonly Suite[]): Place {
  const { name = '', classname = '' } = attributes
  const named = attributes['file'] ?? suites.findLast((suite) => suite.file !== undefined)?.file
  const file = named ?? (/^\S+\.[cm]?[jt]sx?$/.test(classname) ? classname : undefined)
  const line = attributes['line'] === undefined ? {} : { line: Number(attributes['line']) }
  const inPython = file?.endsWith('.py') === true ? pythonPath(file, classname, name) : null
  if (file !== undefined && inPython !== null) return { file, path: inPython, ...line }
  const around = suites
    .map((suite) => suite.name)
    .filter((suite) => suite !== '' && suite !== '(empty)' && suite !== file)
  // node:test: the class is "test", or the suites again.
  const redundant = classname === file || (named !== undefined && classname === around.join('.'))
  const path = redundant || classname === 'test' ? [...around, name] : [...around, classname, name]
  const near = /^(?:[\w$]+\.)+(\w+)(?:\$\w+)*$/.exec(classname)?.[1]
  return { ...(file === undefined ? {} : { file }), path, ...line, ...(near === undefined ? {} : { near }) }
}

/** pytest: the class is the file with dots, then the test's classes. A file it cannot import is a test without a class. */
function pythonPath(file: string, classname: string, name: string): string[] | null {
  const module = file.replace(/\.py$/, '').replaceAll('/', '.')
  if (classname === '' && name === module) return []
  if (classname === module) return [name]
  return classname.startsWith(`${module}.`) ? [classname.slice(module.length + 1), name] : null
}

/** node:test reports a file in which there is no test as a test that passed. */
function isFileOnly({ attributes, failed, skipped }: Case, file: string | undefined): boolean {
  const name = attributes['name'] ?? ''
  if (failed || skipped || attributes['classname'] !== 'test' || !/\.[cm]?[jt]s$/.test(name)) return false
  return file === undefined ? name.startsWith('/') : file === name || file.endsWith(`/${name}`)
}
