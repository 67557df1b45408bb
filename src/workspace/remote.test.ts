/** Branches here and at a forge, with a plain repository in place of the forge. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ForgeGit } from '../ports/forge.ts'
import { Mirror } from './mirror.ts'
import { remoteGit } from './remote.ts'

let top: string
let mirror: Mirror
let remote: ForgeGit
/** On main here and there, and the next commit, which is a person's. */
let start: string
let next: string

function git(at: 'here' | 'there', ...args: string[]): string {
  const identity = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.invalid']
  return execFileSync('git', [...identity, ...args], { cwd: join(top, at), encoding: 'utf8', stdio: 'pipe' }).trimEnd()
}

beforeEach(async () => {
  top = mkdtempSync(join(tmpdir(), 'muster-remote-'))
  execFileSync('git', ['init', '-q', '-b', 'main', join(top, 'here')])
  git('here', 'commit', '-q', '--allow-empty', '-m', 'Start')
  start = git('here', 'rev-parse', 'HEAD')
  execFileSync('git', ['clone', '-q', '--bare', join(top, 'here'), join(top, 'there')], { stdio: 'pipe' })
  writeFileSync(join(top, 'here/a.txt'), 'one\n')
  git('here', 'add', '-A')
  git('here', 'commit', '-qm', 'Next')
  next = git('here', 'rev-parse', 'HEAD')
  git('here', 'push', '-q', join(top, 'there'), `${next}:refs/heads/next`)
  git('here', 'reset', '-q', '--hard', start)
  mirror = new Mirror(join(top, 'mirror.git'), join(top, 'here/.git'), { name: 'Ann', email: 'ann@example.invalid' })
  await mirror.ensure()
  await mirror.fetch(start)
  remote = remoteGit(mirror, {
    name: 'X',
    url: `file://${join(top, 'there')}`,
    permission: 'everything',
    token: () => null,
    nameOf: async (branch) => branch,
    over: new AbortController().signal,
  })
})
afterEach(() => rmSync(top, { recursive: true, force: true }))

const thereIs = (branch: string, commit: string) => git('there', 'update-ref', `refs/heads/${branch}`, commit)

test('L8 what was merged there is followed here, once it is to be seen there', async () => {
  const follow = () => remote.follow('main', next, next)
  await expect(follow()).rejects.toMatchObject({ code: 'busy' })
  await mirror.fetch(next)
  git('there', 'update-ref', '-d', 'refs/heads/main')
  await expect(follow()).rejects.toMatchObject({
    code: 'busy',
    message: `X does not show ${next.slice(0, 12)} on main yet`,
  })
  thereIs('main', next)
  expect(await follow()).toEqual({ kind: 'landed', tree: git('there', 'rev-parse', `${next}^{tree}`) })
  expect(git('here', 'rev-parse', 'main')).toBe(next)
})

test('a target that is newer there is followed only by who lands; what is only here is its owner’s to push', async () => {
  thereIs('main', next)
  expect(await remote.meet('main', 'look')).toBeNull()
  expect(git('here', 'rev-parse', 'main')).toBe(start)
  expect(await remote.meet('main', 'follow')).toBeNull()
  expect(git('here', 'rev-parse', 'main')).toBe(next)
  thereIs('main', start)
  expect(await remote.meet('main', 'follow')).toMatch(/^main at X lacks commits that are only here: git push/)
})

test('targets that have parted are told, and stay as they are', async () => {
  git('here', 'commit', '-q', '--allow-empty', '-m', 'Mine')
  const mine = git('here', 'rev-parse', 'main')
  thereIs('main', next)
  expect(await remote.meet('main', 'follow')).toContain('has different commits here and at')
  expect([git('here', 'rev-parse', 'main'), git('there', 'rev-parse', 'main')]).toEqual([mine, next])
})

test('a head that a person made is theirs; one that is not there any more is waited for', async () => {
  thereIs('muster/task/t', next)
  expect(await remote.foreignHead('muster/task/t', next)).toEqual({ commit: next, author: 'Ann' })
  await expect(remote.foreignHead('muster/task/t', 'f'.repeat(40))).rejects.toMatchObject({ code: 'busy' })
  expect(await remote.publish('muster/task/t', start)).toMatchObject({ kind: 'foreign', commit: next, author: 'Ann' })
  expect(git('there', 'rev-parse', 'muster/task/t')).toBe(next)
})

test('what is published is there, and what is there already is not pushed again', async () => {
  expect(await remote.publish('muster/task/t', start)).toEqual({ kind: 'published' })
  expect(git('there', 'rev-parse', 'muster/task/t')).toBe(start)
  git('there', 'config', 'receive.denyNonFastforwards', 'true')
  expect(await remote.publish('muster/task/t', start)).toEqual({ kind: 'published' })
})
