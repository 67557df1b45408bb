import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { type ReportRequest, instrument } from './instrument.ts'
import { awaitReports, readConfigured } from './reports.ts'

const folder = mkdtempSync(join(tmpdir(), 'muster-reports-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const [dir, checkout, elsewhere] = ['dir', 'checkout', 'elsewhere'].map((name) => join(folder, name)) as [
  string,
  string,
  string,
]

beforeEach(() => {
  for (const each of [dir, checkout, elsewhere]) {
    rmSync(each, { recursive: true, force: true })
    mkdirSync(each)
  }
})

function put(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}

const junit = (name: string): string => `<testsuite><testcase name="${name}"/></testsuite>`
const askedBy = (command: string): ReportRequest[] => instrument(command, join(dir, 'report'))?.asked ?? []
const prepared = (command: string, runsTests = false) =>
  awaitReports(askedBy(command), { dir, place: checkout, written: checkout, runsTests })
const nothing = Buffer.from('')

test('what a runner is given names the report, and its folder comes with it', async () => {
  const { brings } = await prepared('mocha && pytest')
  expect(brings.map(({ path }) => path)).toEqual(['report/1/format', 'report/1/mocha.cjs', 'report/2/format'])
  expect(brings[1]?.text).toContain(`const REPORT = '${dir}/report/1/report'`)
})

test('the parts of several processes and of several runners are one report', async () => {
  const { read } = await prepared('mocha && pytest')
  const part = (name: string): string => `{"path":["${name}"],"status":"passed"}\n{"end":1}\n`
  put(join(dir, 'report/1/report.12'), part('a'))
  put(join(dir, 'report/1/report.13'), part('b'))
  put(join(dir, 'report/1/reporter'), 'something else')
  put(join(dir, 'report/2/report'), junit('c'))
  expect(await read(nothing)).toMatchObject({ tests: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] })
})

test('a runner that did not come to run is noticed', async () => {
  const { read } = await prepared('pytest && jest; make test')
  put(join(dir, 'report/1/report'), junit('a'))
  expect(await read(nothing)).toEqual({ tests: [{ name: 'a', status: 'passed' }], stopped: true })
  put(join(dir, 'report/2/report'), '{"testResults":[]}')
  expect(await read(nothing)).toEqual({ tests: [{ name: 'a', status: 'passed' }] })
})

test('one part that was cut off spoils the report', async () => {
  const { read } = await prepared('mocha')
  put(join(dir, 'report/1/report.12'), '{"path":["a"],"status":"passed"}\n{"end":1}\n')
  put(join(dir, 'report/1/report.13'), '{"path":["b"],"status":"passed"}\n')
  expect(await read(nothing)).toEqual({ problem: 'its end is missing' })
})

test('a report that a build tool left before the run is none; one that it wrote again is', async () => {
  const old = put(join(checkout, 'a/target/surefire-reports/TEST-old.xml'), junit('old'))
  const again = put(join(checkout, 'target/surefire-reports/TEST-again.xml'), junit('again'))
  utimesSync(old, 1, 1)
  utimesSync(again, 1, 1)
  const { read } = await prepared('mvn test')
  expect(await read(nothing)).toBeNull()
  put(again, junit('again'))
  put(join(checkout, 'b/target/surefire-reports/TEST-new.xml'), junit('new'))
  const report = await read(nothing)
  expect(report).toMatchObject({ tests: expect.any(Array) as unknown })
  const names = report !== null && 'tests' in report ? report.tests.map(({ name }) => name) : []
  expect(names.toSorted()).toEqual(['again', 'new'])
})

test('links that the tests have put in place of folders and files are not followed', async () => {
  put(join(elsewhere, 'report'), junit('a'))
  put(join(elsewhere, 'TEST-a.xml'), junit('a'))
  const { read } = await prepared('pytest; mvn test')
  mkdirSync(join(dir, 'report'))
  symlinkSync(elsewhere, join(dir, 'report/1'))
  mkdirSync(join(checkout, 'target'))
  symlinkSync(elsewhere, join(checkout, 'target/surefire-reports'))
  expect(await read(nothing)).toBeNull()
  mkdirSync(join(checkout, 'x/target/surefire-reports'), { recursive: true })
  symlinkSync(join(elsewhere, 'TEST-a.xml'), join(checkout, 'x/target/surefire-reports/TEST-b.xml'))
  expect(await read(nothing)).toBeNull()
  rmSync(join(dir, 'report/1'))
  mkdirSync(join(dir, 'report/1'))
  symlinkSync(join(elsewhere, 'report'), join(dir, 'report/1/report'))
  expect(await read(nothing)).toEqual({ problem: 'it cannot be read (ELOOP)' })
})

test('what a command prints counts where it is known to run tests, and where no runner has answered otherwise', async () => {
  const tap = Buffer.from('TAP version 13\nok 1 - a\n1..1\n')
  expect(await (await prepared('node test.js')).read(tap)).toBeNull()
  expect(await (await prepared('node test.js', true)).read(tap)).toMatchObject({ tests: [{ name: 'a' }] })
  expect(await (await prepared('make check')).read(tap)).toMatchObject({ tests: [{ name: 'a' }] })
  expect(await (await prepared('vitest run', true)).read(tap)).toBeNull()
})

test('a file that is named without its folder is found, if there is one of that name', async () => {
  put(join(checkout, 'src/test/java/org/TallyTest.java'), '')
  put(join(checkout, 'a/Twice.java'), '')
  put(join(checkout, 'b/Twice.java'), '')
  const { read } = await prepared('mvn test')
  const failed = (name: string): string =>
    `<testcase name="t" classname="org.${name}"><failure>at org.junit.Assert.fail(Assert.java:89)\n at org.${name}.t(${name}.java:4)</failure></testcase>`
  put(
    join(checkout, 'target/surefire-reports/TEST-a.xml'),
    `<testsuite>${failed('TallyTest')}${failed('Twice')}</testsuite>`,
  )
  expect(await read(nothing)).toMatchObject({
    tests: [
      { file: 'src/test/java/org/TallyTest.java', line: 4 },
      { file: 'Twice.java', line: 4 },
    ],
  })
})

test('a report that muster.yaml promises has to be there', async () => {
  expect(await readConfigured(join(checkout, 'r.xml'), checkout)).toEqual({ problem: 'it was not written' })
  expect(await readConfigured(put(join(checkout, 'r.xml'), junit('a')), checkout)).toMatchObject({
    tests: [{ name: 'a' }],
  })
})
