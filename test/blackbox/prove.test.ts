/** `init` and `doctor` try what they speak of: the setup and each check, on the base, in a clean checkout. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Repo, RepoOptions, RunDocument } from '../support/muster.ts'
import { exited, makeRepo } from '../support/muster.ts'

/** A repository with these files committed, and nothing of Muster's. */
function projectOf(files: Record<string, string>, options: RepoOptions = {}): Repo {
  const repo = makeRepo(options)
  repo.git('clean', '--quiet', '--force')
  for (const [path, text] of Object.entries(files)) repo.write(path, text)
  repo.git('add', '.')
  repo.git('commit', '-qm', 'Files')
  return repo
}

const scripts = (scripts: Record<string, string>, more = {}) => JSON.stringify({ scripts, ...more })
const TESTS = "const test = require('node:test')\ntest('one', () => {})\ntest('two', () => {})\n"
const RED = `${TESTS}test('three', () => { throw new Error('it is red') })\n`

interface Doctor {
  ok: boolean
  findings: { what: string; ok: boolean; warns?: true; detail: string; hint?: string }[]
}

interface Status {
  setups: { log: string }[]
  tasks: { id: string }[]
}

const doctorOf = async (repo: Repo, ...args: string[]) =>
  (await repo.muster('doctor', '--json', ...args)).json<Doctor>()

describe.concurrent('init proves what it writes', () => {
  test('a green check says how many tests it ran; setup and its time are there', async () => {
    const packages = { dependencies: { own: 'file:./own' } }
    const repo = projectOf({
      'package.json': scripts({ test: 'node --test' }, packages),
      'own/package.json': '{"name":"own","version":"1.0.0"}',
      'a.test.js': `${TESTS}require('own/package.json')\n`,
    })
    const said = exited(await repo.here('init', '--agent', 'true'), 0).stderr
    expect(said).toMatch(/✓ setup, \d+\.\d s\n✓ unit-test: 2 tests, \d+\.\d s, passed\nnext: muster run/)
    const text = repo.read('muster.yaml')
    expect(text).toMatch(/^setup: "npm install .*" {3}# \d+\.\d s$/m)
    expect(text).toMatch(/^ {2}unit-test: "npm test" {3}# 2 tests, \d+\.\d s, passed$/m)
  })

  test('what is no plain file is not read: a link to an endless one keeps nobody waiting', async () => {
    const repo = projectOf({ 'a.test.js': TESTS })
    symlinkSync('/dev/zero', join(repo.dir, 'package.json'))
    symlinkSync('/dev/stdin', join(repo.dir, 'Makefile'))
    repo.git('add', '.')
    repo.git('commit', '-qm', 'Links')
    expect(exited(await repo.muster('init', '--agent', 'true', '--no-try'), 0).stderr).toContain('wrote ')
  })

  test('a check that never ends is skipped by Ctrl-C, which names it; the file is there', async () => {
    const repo = projectOf({ 'package.json': scripts({ test: 'node -e "setInterval(() => {}, 1000)"' }) })
    const init = repo.start('init', '--agent', 'true')
    await init.saw(/running unit-test/)
    init.signal('SIGINT')
    expect(exited(await init.ended, 0).stderr).toContain('stopped at unit-test: muster.yaml has the rest untested')
    expect(repo.read('muster.yaml')).toContain('unit-test: "npm test"')
  })

  test('what is red or cannot start is a comment with its reason, and switched off; named red tests stay', async () => {
    const repo = projectOf({
      'package.json': scripts({ test: 'node --test', lint: 'no-such-linter .', types: 'false' }),
      'a.test.js': RED,
    })
    const said = exited(await repo.here('init', '--agent', 'true', '--json'), 0)
    const { tried } = said.json<{ tried: { checks: { name: string; result: string }[] } }>()
    expect(Object.fromEntries(tried.checks.map(({ name, result }) => [name, result]))).toEqual({
      typecheck: 'red',
      lint: 'unclear',
      'unit-test': 'red',
    })
    const text = repo.read('muster.yaml')
    expect(text).toMatch(/^ {2}# lint: "npm run lint"\n {2}# On main: .*could not run: .*\n {2}lint: false$/m)
    expect(text).toMatch(/^ {2}# typecheck: .*\n {2}# On main: .*failed.*\n {2}typecheck: false$/m)
    expect(text).toMatch(/^ {2}unit-test: "npm test" {3}# 3 tests, 1 failed, .* s, failed/m)
    // A check that is off is not found again by another way.
    const contract = (await repo.here('add', 'Change a.js', '--json')).json<{
      contract: { criteria: { activity: string; skipped?: string }[] }
    }>()
    const { criteria } = contract.contract
    const asked = criteria.flatMap(({ activity, skipped }) => (skipped === undefined ? [activity] : []))
    expect(asked).toEqual(['unit-test'])
    expect(criteria.find(({ activity }) => activity === 'lint')?.skipped).toBe('lint is switched off in muster.yaml')
    expect(exited(await repo.here('add', 'Other', '--checks', 'lint'), 2).stderr).toContain('"lint"')
  })

  test('of a test script that is red as a whole, the parts that are green stay, and the others are told', async () => {
    const repo = projectOf({
      'package.json': scripts({ pretest: 'node build.js', test: 'no-such-linter . && node --test' }),
      'build.js': "require('fs').writeFileSync('built.js', '')\n",
      'a.test.js': `${TESTS}require('./built.js')\n`,
    })
    const left = 'node build.js && node --test'
    const said = exited(await repo.here('init', '--agent', 'true', '--json'), 0)
    const without = ['no-such-linter .']
    expect(said.json()).toMatchObject({
      checks: { 'unit-test': left },
      tried: {
        checks: [{ command: left, result: 'green', counts: { executed: 2 }, leftOf: { command: 'npm test', without } }],
      },
    })
    expect(repo.read('muster.yaml')).toMatch(
      /unit-test: "node build.*" {3}# 2 tests, .* s, passed; npm test without what fails here: no-such-linter \.$/m,
    )
  })

  test('a test script whose tests are red without names is not taken for its linter', async () => {
    const files = { 'lint.js': '', 'test.js': 'process.exit(1)\n' }
    const repo = projectOf({ 'package.json': scripts({ test: 'node lint.js && node test.js' }), ...files })
    exited(await repo.here('init', '--agent', 'true'), 0)
    expect(repo.read('muster.yaml')).toMatch(/# unit-test: "npm test"\n.*\n {2}unit-test: false$/m)
  })

  test('a setup that fails is told with its last words, and nothing is called passed', async () => {
    const tests = { 'package.json': scripts({ test: 'node --test' }), 'a.test.js': TESTS }
    const repo = projectOf({ ...tests, 'package-lock.json': '{' })
    const said = exited(await repo.here('init', '--agent', 'true'), 0).stderr
    expect(said).toMatch(/✗ setup: setup failed \(exit 1\): npm /)
    expect(said).not.toContain('passed')
    expect(said).toContain('next: fix setup: in muster.yaml, then muster doctor')
    expect(repo.read('muster.yaml')).toMatch(/# It failed: .*\nsetup: "npm ci"/)
  })

  test('a setup that does not reach its registry says so, and does not send people to the command alone', async () => {
    const repo = projectOf({
      'package.json': scripts({ test: 'node --test' }, { dependencies: { 'is-odd': '3.0.1' } }),
      '.npmrc': 'registry=http://127.0.0.1:1/\nfetch-retries=0\n',
      'a.test.js': TESTS,
    })
    const said = exited(await repo.here('init', '--agent', 'true'), 0).stderr
    expect(said).toContain(
      'next: make sure this machine can reach the host that the setup uses, or fix setup: in muster.yaml',
    )
    const { findings } = await doctorOf(repo)
    expect(findings.find(({ what }) => what === 'setup')?.hint).toContain('make sure this machine can reach the host')
  })

  test('tests that cannot run are told with what was printed, and that nothing runs them now', async () => {
    const repo = projectOf({
      'package.json': scripts({ test: 'sh test.sh' }),
      'test.sh': 'echo "ERROR: cannot find the libraries"; echo bye; exit 3\n',
    })
    const said = exited(await repo.here('init', '--agent', 'true'), 0).stderr
    expect(said).toMatch(/✗ unit-test: .*it ended with exit code 3: ERROR: cannot find the libraries\n/)
    expect(said).toContain('no test command works here yet, so Muster runs no tests')
    expect(repo.read('muster.yaml')).toContain('exit code 3: ERROR: cannot find the libraries. When it passes there')
  })

  test('status and logs show a setup that is under way: its clock, its last line and where the rest is', async () => {
    const repo = projectOf({ 'a.txt': 'a\n' })
    const gate = join(repo.home, 'gate')
    execFileSync('mkfifo', [gate])
    repo.write(
      'muster.yaml',
      `version: 1
phases: direct
protected: []
sandbox: off
decisions: scripted
setup: echo compiling; cat ${gate} >made
agents: { implementer: { runtime: command, run: 'cp made b.txt', verdict: exit } }
`,
    )
    const run = repo.start('run', 'Write b.txt')
    await expect
      .poll(async () => (await repo.here('status')).stdout, { timeout: 30_000 })
      .toMatch(/\n\nsetup, for .+ now: compiling\n {4}\/.*\/run\/log\n$/)
    const { setups, tasks } = (await repo.here('status', '--json')).json<Status>()
    expect(readFileSync(setups[0]?.log ?? '', 'utf8')).toBe('compiling\n')
    expect((await repo.here('logs', tasks[0]?.id ?? '')).stderr).toContain('now: compiling')
    execFileSync('sh', ['-c', `echo open >${gate}`], { timeout: 30_000 })
    exited(await run.ended, 0)
    expect((await repo.here('status')).stdout).not.toContain('setup')
  })

  test('doctor names the paths of checks that fit no file, and only those', async () => {
    const repo = projectOf({ 'docs/a.md': 'a\n' })
    repo.write(
      'muster.yaml',
      `version: 1
agents: { implementer: { runtime: command, run: 'true', verdict: exit } }
checks:
  links: { run: 'true', paths: [docs/**, doc/**] }
  style: { run: 'true', paths: [styles] }
  words: { run: 'true', paths: [docs, '!docs/old/**'] }
`,
    )
    const { ok, findings } = await doctorOf(repo, '--no-try')
    expect(ok).toBe(true)
    expect(findings.find(({ what }) => what === 'paths')).toMatchObject({
      warns: true,
      detail:
        'links: doc/** under paths matches no file: fix or remove that path\nstyle: styles under paths matches no file: no change to an existing file runs this check',
    })
  })

  test('tests that find no display are told how to get one', async () => {
    const repo = projectOf({
      'package.json': scripts({ test: 'node --test' }),
      'a.test.js': `${TESTS}test('three', () => { throw new Error('cannot open display: :0') })\n`,
    })
    const said = exited(await repo.here('init', '--agent', 'true'), 0).stderr
    expect(said).toMatch(/! unit-test: .*the tests need a display: run them with xvfb-run -a\n/)
  })

  test('a check may name a program that only the setup makes', async () => {
    const repo = projectOf({ 'a.txt': 'a\n' })
    repo.write(
      'muster.yaml',
      `version: 1
phases: direct
protected: []
setup: mkdir -p .venv/bin && printf '#!/bin/sh\\nls a.txt b.txt\\n' >.venv/bin/look && chmod +x .venv/bin/look
agents: { implementer: { runtime: command, run: 'echo b >b.txt', verdict: exit } }
checks: { look: .venv/bin/look }
`,
    )
    exited(await repo.here('run', 'Write b.txt', '--checks', 'look'), 0)
    repo.write('muster.yaml', repo.read('muster.yaml').replace('.venv/bin/look }', './look.sh }'))
    expect(exited(await repo.here('run', 'Write c.txt', '--checks', 'look'), 2).stderr).toContain('there is no ')
  })

  test('a program that this machine has not is named, with how to get it', async () => {
    const repo = projectOf({ Gemfile: "gem 'rspec'\n" })
    const bin = join(repo.home, 'bin')
    mkdirSync(bin)
    for (const name of ['sh', 'git'])
      symlinkSync(execFileSync('which', [name], { encoding: 'utf8' }).trim(), join(bin, name))
    const init = await repo.musterWith({ env: { PATH: bin } }, 'init', '--agent', 'true', '--no-try')
    expect(exited(init, 0).stderr).toContain('bundle is not on this machine: gem install bundler')
  })

  test('--no-try writes what was found and runs nothing; no tests at all are told', async () => {
    const repo = projectOf({ 'package.json': scripts({ lint: 'no-such-linter' }) })
    const said = exited(await repo.here('init', '--agent', 'true', '--no-try'), 0).stderr
    expect(said).not.toContain('running')
    expect(said).toContain('no test command was found')
    expect(repo.read('muster.yaml')).toContain('lint: "npm run lint"\n')
    expect(existsSync(repo.musterHome)).toBe(false)
  })
})

describe.concurrent('doctor tries, or says that it did not', () => {
  const counting = (repo: Repo): string => `echo x >>${join(repo.home, 'count')}; [ -z "$(ls red 2>/dev/null)" ]`
  const count = (repo: Repo): number => readFileSync(join(repo.home, 'count'), 'utf8').split('\n').length - 1

  test('what it found out is not paid for again: not by itself, nor by the first task', async () => {
    const repo = makeRepo()
    repo.write('muster.yaml', `${repo.read('muster.yaml')}checks: { own: ${JSON.stringify(counting(repo))} }\n`)
    expect(await doctorOf(repo, '--no-try')).toMatchObject({ ok: true })
    expect(existsSync(join(repo.home, 'count'))).toBe(false)
    const tried = await doctorOf(repo)
    expect(tried.findings.find(({ what }) => what === 'own')).toMatchObject({
      ok: true,
      detail: expect.stringMatching(/passed$/),
    })
    expect(count(repo)).toBe(1)
    expect((await doctorOf(repo)).findings.find(({ what }) => what === 'own')?.detail).toContain('from an earlier run')
    expect(count(repo)).toBe(1)
    repo.write('plan.yaml', 'meta: { id: p }\ntasks:\n  - { id: 1, name: Do it, checks: [own] }\n')
    exited(await repo.muster('run', 'plan.yaml'), 0)
    // On the work alone: the base is known.
    expect(count(repo)).toBe(2)
  })

  test('a check that fails on the base is no "no problems found"', async () => {
    const repo = makeRepo({ config: 'checks: { own: "false" }' })
    const said = exited(await repo.here('doctor'), 1)
    expect(said.stdout).toMatch(/✗ own +.*failed/)
    expect(said.stdout).toContain('checks: { own: false }')
    expect(said.stderr).not.toContain('no problems found')
    const looked = exited(await repo.here('doctor', '--no-try'), 0)
    expect(looked.stderr).toContain('setup and checks were not run')
  })
})

test('a package manager that is not there keeps no task from being verified: its scripts are run without it', async () => {
  const repo = projectOf({
    'package.json': scripts({ test: 'node --test' }),
    'pnpm-lock.yaml': "lockfileVersion: '9.0'\n",
    'a.test.js': TESTS,
  })
  repo.script('agent.sh', 'echo 1 >b.js')
  const config = { run: './agent.sh', verdict: 'exit', runtime: 'command' }
  repo.write(
    'muster.yaml',
    JSON.stringify({ agents: { implementer: config }, checks: { 'unit-test': 'pnpm test' }, sandbox: 'off' }),
  )
  repo.write('plan.yaml', 'meta: { id: p }\nphases: direct\ntasks:\n  - { id: 1, name: Do it, checks: [unit-test] }\n')
  const bin = join(repo.home, 'bin')
  mkdirSync(bin)
  const needed = ['sh', 'git', 'node', 'mkfifo', 'mkdir', 'rm', 'cat', 'env', 'sleep']
  for (const name of needed) symlinkSync(execFileSync('which', [name], { encoding: 'utf8' }).trim(), join(bin, name))
  const ran = exited(await repo.musterWith({ env: { PATH: bin } }, 'run', 'plan.yaml', '--json'), 0)
  expect(ran.json<RunDocument>().tasks).toMatchObject([{ status: 'completed', results: { overall: 'pass' } }])
})
