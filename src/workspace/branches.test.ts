import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { moveBranch, push } from './branches.ts'
import { Mirror } from './mirror.ts'

let top: string
let repository: string
let mirror: Mirror
let head: string
let next: string

function git(...args: string[]): string {
  const identity = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.invalid']
  return execFileSync('git', [...identity, ...args], { cwd: repository, encoding: 'utf8', stdio: 'pipe' }).trimEnd()
}

const read = (name: string) => readFileSync(join(repository, name), 'utf8')
const write = (name: string, text: string) => writeFileSync(join(repository, name), text)

/** main is checked out; `next` would change a.txt there and add local.env, which the project ignores. */
beforeEach(async () => {
  top = mkdtempSync(join(tmpdir(), 'muster-branches-'))
  repository = join(top, 'repo')
  mkdirSync(repository)
  git('init', '-q', '-b', 'main')
  write('a.txt', 'one\n')
  write('.gitignore', '*.env\n')
  git('add', '-A')
  git('commit', '-qm', 'Start')
  head = git('rev-parse', 'HEAD')
  write('a.txt', 'two\n')
  write('local.env', 'theirs\n')
  git('add', '-Af')
  git('commit', '-qm', 'Next')
  next = git('rev-parse', 'HEAD')
  git('reset', '-q', '--hard', head)
  mirror = new Mirror(join(top, 'mirror.git'), join(repository, '.git'), { name: 'Ann', email: 'ann@example.invalid' })
  await mirror.ensure()
  await mirror.fetch(next)
})
afterEach(() => rmSync(top, { recursive: true, force: true }))

test('S1.10 an ignored file of the user’s is not written over, though git itself would: the branch stays where it is', async () => {
  write('local.env', 'my key\n')
  expect(await moveBranch(mirror, 'main', head, next)).toMatchObject({
    detail: expect.stringContaining('would overwrite uncommitted files there: local.env') as string,
    brief: false,
  })
  expect([read('local.env'), read('a.txt'), git('rev-parse', 'main')]).toEqual(['my key\n', 'one\n', head])
  rmSync(join(repository, 'local.env'))
  expect(await moveBranch(mirror, 'main', head, next)).toBe('ok')
  expect([read('local.env'), read('a.txt'), git('rev-parse', 'main')]).toEqual(['theirs\n', 'two\n', next])
})

test('S1.10 a changed file of the user’s stays as it is, and so does the branch', async () => {
  write('a.txt', 'mine\n')
  expect(await moveBranch(mirror, 'main', head, next)).toMatchObject({
    detail: expect.stringContaining('with uncommitted changes: a.txt') as string,
  })
  expect([read('a.txt'), git('rev-parse', 'main')]).toEqual(['mine\n', head])
})

test('L6 a branch that is not where it was, or that exists already, is not moved', async () => {
  git('switch', '-q', '--detach')
  expect(await moveBranch(mirror, 'main', next, next)).toBe('moved')
  expect(await moveBranch(mirror, 'main', null, next)).toBe('moved')
  expect(git('rev-parse', 'main')).toBe(head)
})

test('a push of which nobody says what became of it is told in git’s own words', async () => {
  const refs = `${head} refs/heads/main\0report-status\n`
  const said = join(top, 'said')
  writeFileSync(said, `${(refs.length + 4).toString(16).padStart(4, '0')}${refs}0000000eunpack ok\n0000`)
  const silent = `sh -c 'cat ${said}; cat >/dev/null'`
  await expect(push(mirror, 'main', head, next, silent)).rejects.toMatchObject({
    code: 'git',
    message: expect.stringMatching(/^main could not be updated: .*failed to/) as string,
  })
  expect(git('rev-parse', 'main')).toBe(head)
})
