/** Every test runner that is on this machine, run for real as a check runs it: names, counts, files, lines and exit code. */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { forDisplay } from '../../src/domain/display.ts'
import { instrument } from '../../src/reports/instrument.ts'
import { judge } from '../../src/verify/judge.ts'
import { unloaded } from '../../src/verify/loading.ts'
import type { TestCase } from '../../src/domain/verdict/test-report.ts'
import { awaitReports } from '../../src/reports/reports.ts'
import { PROJECTS, type RunnerProject } from './projects.ts'

const ROOT = join(import.meta.dirname, '../..')
const installed = join(ROOT, '.runners/node_modules')
const own = join(ROOT, 'node_modules')
const folder = mkdtempSync(join(tmpdir(), 'muster-runners-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const path = [join(own, '.bin'), join(installed, '.bin'), ...(process.env['PATH'] ?? '').split(delimiter)]
const python = await ended(`python3 -c 'import pytest'`, folder)

/** A program on the path, a package of `.runners`, a Python module, or a file. */
function isThere(what: string): boolean {
  if (what.startsWith('/')) return existsSync(what)
  if (what === 'pytest') return python.code === 0
  return path.some((each) => existsSync(join(each, what))) || existsSync(join(installed, what))
}

interface Ended {
  code: number
  /** What both of its streams have printed, as a check's one log has it. */
  all: string
}

function ended(command: string, cwd: string): Promise<Ended> {
  const go = { GOCACHE: join(folder, 'go'), GOFLAGS: '-mod=mod', GOTOOLCHAIN: 'local' }
  // Rust's own starter looks for its toolchains in the home.
  const rust = { RUSTUP_HOME: join(userInfo().homedir, '.rustup'), CARGO_HOME: join(folder, 'cargo') }
  const env = { PATH: path.join(delimiter), HOME: folder, ...go, ...rust }
  return new Promise((resolve) => {
    const options = { cwd, env, maxBuffer: 64 * 1024 * 1024 }
    execFile('/bin/sh', ['-c', `exec 2>&1; ${command}`], options, (error, all) => {
      resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : 1, all })
    })
  })
}

/** Runs it as it is and as Muster would, each in a folder of its own. */
async function run(name: string, project: RunnerProject, files: Readonly<Record<string, string>>) {
  const base = join(folder, name.replaceAll(/[^a-z0-9]+/g, '-'))
  const plain = await ended(project.command, await checkoutOf(join(base, 'plain'), project, files))
  const checkout = await checkoutOf(join(base, 'asked'), project, files)
  const made = instrument(project.command, join(base, 'report'))
  if (made === null) throw new Error(`nobody in "${project.command}" was asked`)
  const reports = await awaitReports(made.asked, { dir: base, place: checkout, written: checkout, runsTests: true })
  for (const { path, text } of reports.brings) put(join(base, path), text)
  const asked = await ended(made.command, checkout)
  return { plain, asked, report: await reports.read(Buffer.from(asked.all)) }
}

function put(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

async function checkoutOf(checkout: string, project: RunnerProject, files: Readonly<Record<string, string>>) {
  const { needs, links = {}, prepare } = project
  for (const [file, text] of Object.entries(files)) put(join(checkout, file), text)
  const modules = join(checkout, 'node_modules')
  if (Object.keys(links).length > 0) mkdirSync(modules)
  for (const [link, as] of Object.entries(links)) symlinkSync(join(installed, as), join(modules, link))
  const isOwn = !existsSync(installed) || needs.includes('vitest')
  if ('package.json' in files && !existsSync(modules)) symlinkSync(isOwn ? own : installed, modules)
  if (prepare === undefined) return checkout
  const prepared = await ended(prepare, checkout)
  if (prepared.code !== 0) throw new Error(prepared.all)
  return checkout
}

const there = Object.entries(PROJECTS).filter(
  ([, { needs, slow }]) => needs.every(isThere) && (slow !== true || existsSync(installed)),
)
const missing = Object.keys(PROJECTS).filter((name) => !there.some(([other]) => other === name))
if (missing.length > 0) console.warn(`SKIPPED: ${missing.join('; ')}; npm run runners:install gets those of npm`)

/** The first start of some takes long where others work as well. */
const timeout = 240_000

const isWrong = ({ name, status }: TestCase): boolean => status === 'failed' && /wrong/i.test(name)

describe('with the real runner (S1.4, L10)', () => {
  test.each(there)(
    '%s reports its tests, and does and shows what it would have',
    { timeout },
    async (name, project) => {
      const { plain, asked, report } = await run(name, project, project.files)
      expect(report, asked.all).toMatchObject({ tests: expect.any(Array) as unknown })
      const tests = report !== null && 'tests' in report ? report.tests : []
      expect(tests.map((each) => `${each.status} ${each.name}`).toSorted()).toEqual([...project.expected].toSorted())
      expect(tests.find(isWrong) ?? {}).toMatchObject(project.wrong ?? {})
      expect(asked.code).toBe(plain.code)
      expect(asked.all).toContain(project.prints)
      expect(plain.all).toContain(project.prints)
    },
  )

  test.each(there.filter(([, { none }]) => none !== undefined))(
    '%s without any test is no pass',
    { timeout },
    async (name, project) => {
      const { plain, asked, report } = await run(`${name} none`, project, project.none ?? {})
      const end = { exitCode: asked.code, signal: null, timedOut: false, report, asked: true, output: asked.all }
      expect(judge(end, [], { tests: true, kind: 'goal' }), asked.all).toMatchObject({ outcome: 'fail' })
      expect(asked.code).toBe(plain.code)
    },
  )

  test.each(there.filter(([, { unread }]) => unread !== undefined))(
    'H-4 %s whose only tests cannot be loaded has run none',
    { timeout },
    async (name, project) => {
      const { plain, asked, report } = await run(`${name} unread`, project, project.unread ?? {})
      const output = forDisplay(asked.all, { colours: false })
      const end = { exitCode: asked.code, signal: null, timedOut: false, report, asked: true, output }
      expect(judge(end, [], { tests: true, kind: 'goal' }), output).toMatchObject({ outcome: 'fail' })
      expect(unloaded(end), output).not.toBeNull()
      expect(asked.code).toBe(plain.code)
    },
  )

  test('uvu has nothing to ask for: its closing lines are counted', async ({ skip }) => {
    skip(!isThere('uvu'), 'uvu is not installed')
    const checkout = join(folder, 'uvu')
    const head = "import { test } from 'uvu'\nimport * as assert from 'uvu/assert'\n"
    put(join(checkout, 'package.json'), '{ "private": true, "type": "module" }')
    put(
      join(checkout, 'tests/a.js'),
      `${head}test('adds', () => {})\ntest('is wrong', () => assert.is(2, 3))\ntest.skip('later', () => {})\ntest.run()\n`,
    )
    symlinkSync(installed, join(checkout, 'node_modules'))
    expect(instrument('uvu tests', folder)).toBeNull()
    const { code, all } = await ended('uvu tests', checkout)
    const output = forDisplay(all, { colours: false })
    const end = { exitCode: code, signal: null, timedOut: false, report: null, output }
    expect(judge(end, [], { tests: true, kind: 'goal' })).toMatchObject({
      outcome: 'fail',
      counts: { executed: 2, failed: 1, skipped: 1, estimate: true },
    })
  })
})
