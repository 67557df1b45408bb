/** The zoo itself: what is written down about public repositories stays data, and its runner works on any repository. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { findFix } from '../zoo/history.ts'
import { isRight, tableOf } from '../zoo/table.ts'
import { makeRepo } from './support/muster.ts'

const root = join(import.meta.dirname, '..')
const facts = JSON.parse(readFileSync(join(root, 'zoo/facts.json'), 'utf8')) as { name: string; commit: string }[]

function sourcesIn(dir: string): string[] {
  const names = readdirSync(join(root, dir), { recursive: true, encoding: 'utf8' })
  return names.filter((name) => name.endsWith('.ts')).map((name) => join(dir, name))
}

describe('a repository is known by its facts alone', () => {
  test('at least 30 are written down, each with a commit', () => {
    expect(new Set(facts.map(({ name }) => name)).size).toBe(facts.length)
    expect(facts.length).toBeGreaterThanOrEqual(30)
    for (const { name, commit } of facts) expect(`${name} ${commit}`).toMatch(/^[\w.-]+\/[\w.-]+ [0-9a-f]{10}$/)
  })

  test('none is named in src/ or in the runner', () => {
    const found = [...sourcesIn('src'), ...sourcesIn('zoo')].flatMap((path) => {
      const text = readFileSync(join(root, path), 'utf8')
      return facts.filter(({ name }) => text.includes(name)).map(({ name }) => `${path}: ${name}`)
    })
    expect(found).toEqual([])
  })
})

test('a fix is a small commit of code and its tests, one that says so before others', () => {
  const repo = makeRepo()
  const commit = (subject: string, ...paths: string[]) => {
    for (const path of paths) repo.write(path, subject)
    repo.git('add', ...paths)
    repo.git('commit', '-qm', subject)
    return repo.git('rev-parse', 'HEAD').trim()
  }
  commit('Begin', 'src/a.js', 'test/a.test.js')
  const fix = commit('Fix a', 'src/a.js', 'test/a.test.js')
  commit('Change both', 'src/a.js', 'test/a.test.js')
  commit('Fix without a test', 'src/a.js')
  commit('Fix with a dependency', 'src/a.js', 'test/a.test.js', 'package.json')
  expect(findFix(repo.dir, repo.home)).toMatchObject({ commit: fix, sources: ['src/a.js'], tests: ['test/a.test.js'] })
})

test('the runner takes a folder of git directories and says what became of each change', () => {
  const top = mkdtempSync(join(tmpdir(), 'muster-zoo-test-'))
  onTestFinished(() => rmSync(top, { recursive: true, force: true }))
  const repo = makeRepo({ name: 'own' })
  repo.git('clean', '--quiet', '--force')
  const put = (subject: string, source: string, tests: string) => {
    repo.write('package.json', '{"scripts":{"test":"node --test"}}')
    repo.write('add.js', source)
    repo.write('add.test.js', `const test = require('node:test'), assert = require('node:assert')\n${tests}`)
    repo.git('add', '.')
    repo.git('commit', '-qm', subject)
  }
  const one = "test('small', () => assert.equal(require('./add.js')(1, 1), 2))\n"
  put('Add', 'module.exports = (a, b) => a * 2\n', one)
  put(
    'Fix add',
    'module.exports = (a, b) => a + b\n',
    `${one}test('any', () => assert.equal(require('./add.js')(1, 2), 3))\n`,
  )
  execFileSync('git', ['clone', '--quiet', '--bare', repo.dir, join(top, 'own.git')])
  const said = execFileSync(process.execPath, [join(root, 'zoo/run.ts'), top], { encoding: 'utf8', stdio: 'pipe' })
  expect(said).toContain('| own | none | 1 green | ? | landed | landed | stopped | stopped | stopped |')
  expect(said).toContain('init right: 1 of 1. Landed, good: 1 of 1.')
})

describe('init is right', () => {
  const row = { name: 'a', setup: 'npm ci (1 s)', result: 'green', tests: 3, expected: 3, changes: {} }
  test.each([
    [row, true],
    [{ ...row, expected: null }, true],
    [{ ...row, tests: 2 }, false],
    [{ ...row, setup: '✗ npm ci: it failed' }, false],
    [{ ...row, result: 'unclear' }, false],
    [{ ...row, problem: 'init ended with 1' }, false],
  ])('%j: %j', (given, right) => expect(isRight(given)).toBe(right))

  test('a change that the tests by hand judge as the gate did is named, and does not count', () => {
    const seen = { why: '', seconds: 1 }
    const doubtful = {
      good: { ...seen, landed: false, doubtful: true },
      broken: { ...seen, landed: true, doubtful: true },
    } as const
    const table = tableOf([{ ...row, changes: { ...doubtful, nothing: { ...seen, landed: false } } }])
    expect(table).toContain('| red by hand | – | stopped | unnoticed | – |')
    expect(table).toContain(
      'Landed, good: 0 of 0. Landed, slow: 0 of 0. Landed, nothing: 0 of 1. Landed, broken: 0 of 0.',
    )
  })

  test('and a cell holds no more than its own', () => {
    expect(tableOf([{ ...row, why: 'a|b\nc' }])).toContain('| a\\|b c |')
  })
})
