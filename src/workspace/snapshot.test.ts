import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { asUser, isRoot } from '../../test/support/as-user.ts'
import type { Workspaces } from '../ports/workspaces.ts'
import { Mirror } from './mirror.ts'
import { mirrorWorkspaces } from './workspaces.ts'

let top: string
let dir: string
let mirror: Mirror
let workspaces: Workspaces
let take: (leaveOut?: string[]) => ReturnType<Workspaces['snapshot']>

beforeEach(async () => {
  top = mkdtempSync(join(tmpdir(), 'muster-snapshot-'))
  const repository = join(top, 'repo')
  mkdirSync(repository)
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.invalid', ...args], { cwd: repository })
  git('init', '-q', '-b', 'main')
  writeFileSync(join(repository, 'a.txt'), 'one\n')
  git('add', '-A')
  git('commit', '-qm', 'Start')
  mirror = new Mirror(join(top, 'mirror.git'), join(repository, '.git'), { name: 'A', email: 'a@example.invalid' })
  workspaces = mirrorWorkspaces(mirror)
  await workspaces.sync()
  dir = join(top, 'work')
  const base = await workspaces.attemptBase(null, 'main')
  const index = join(top, 'index')
  const copy = { root: repository, paths: [] }
  const made = await workspaces.checkout({ dir, base, branch: 'muster/task/t', index, golden: null, copy })
  take = (leaveOut = made.leaveOut) =>
    workspaces.snapshot({ dir, base, index, leaveOut, keepAs: 'r1', message: 'x', author: 'implementer' })
})
afterEach(() => rmSync(top, { recursive: true, force: true }))

const names = async (commit: string) =>
  (await mirror.line(['ls-tree', '-r', '--name-only', '-z', commit])).split('\0').filter(Boolean)

describe('what must not reach a branch is left out and named, and the rest is kept', () => {
  test('links that leave the tree, or lead into .git; links inside it are fine', async () => {
    writeFileSync(join(dir, 'kept.txt'), 'kept\n')
    mkdirSync(join(dir, 'sub'))
    for (const [name, target] of [
      ['absolute', '/etc/passwd'],
      ['above', '../outside'],
      ['sub/deep', '../../outside'],
      ['config', '.git/config'],
      ['sub/fine', '../a.txt'],
      ['dangling', 'not/there/yet'],
    ] as const) {
      symlinkSync(target, join(dir, name))
    }
    const { commit, refused } = await take()
    expect(refused.map(({ path }) => path).sort()).toEqual(['above', 'absolute', 'config', 'sub/deep'])
    expect(refused.find(({ path }) => path === 'above')?.why).toContain('outside the tree')
    expect(await names(commit)).toEqual(['a.txt', 'dangling', 'kept.txt', 'sub/fine'])
  })

  test('links that go up behind another link, which leads elsewhere than its name says', async () => {
    symlinkSync('.', join(dir, 'here'))
    symlinkSync('here/here/../../outside', join(dir, 'out'))
    const { commit, refused } = await take()
    expect(refused).toEqual([{ path: 'out', why: expect.stringContaining('outside the tree') }])
    expect(await names(commit)).toEqual(['a.txt', 'here'])
  })

  test('a file that became such a link stays as it was', async () => {
    rmSync(join(dir, 'a.txt'))
    symlinkSync('/etc/passwd', join(dir, 'a.txt'))
    const { commit, refused } = await take()
    expect(refused).toHaveLength(1)
    expect(await mirror.line(['show', `${commit}:a.txt`])).toBe('one')
  })

  test('a repository inside the repository', async () => {
    mkdirSync(join(dir, 'inner'))
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@x', ...args], { cwd: join(dir, 'inner') })
    git('init', '-q')
    git('commit', '-q', '--allow-empty', '-m', 'x')
    const { commit, refused } = await take()
    expect(refused).toEqual([{ path: 'inner', why: expect.stringContaining('repository inside the repository') }])
    expect(await names(commit)).toEqual(['a.txt'])
  })

  test('S1.18 a repository inside it is never asked for its state, which would run what the agent planted there', async () => {
    const marker = join(top, 'marker')
    const inner = join(dir, 'inner')
    execFileSync('git', ['init', '-q', inner])
    writeFileSync(join(inner, 'file'), 'one\n')
    writeFileSync(join(inner, '.gitattributes'), '* filter=evil\n')
    execFileSync('git', ['add', '-A'], { cwd: inner })
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@x', 'commit', '-qm', 'x'], { cwd: inner })
    execFileSync('git', ['config', 'filter.evil.clean', `touch ${marker}; cat`], { cwd: inner })
    writeFileSync(join(inner, 'file'), 'two\n')
    // A snapshot may be repeated after a crash.
    execFileSync('git', ['init', '-q', join(dir, 'later')])
    for (const _ of [1, 2]) expect((await take()).refused.map(({ path }) => path).sort()).toEqual(['inner', 'later'])
    expect(existsSync(marker)).toBe(false)
  })

  test('a repository without a commit, and the rest of the work is saved', async () => {
    for (const name of ['one', 'two']) execFileSync('git', ['init', '-q', join(dir, name)])
    writeFileSync(join(dir, 'kept.txt'), 'kept\n')
    const { commit, refused } = await take()
    expect(refused.map(({ path }) => path).sort()).toEqual(['one', 'two'])
    expect(await names(commit)).toEqual(['a.txt', 'kept.txt'])
  })

  test('names that are .git elsewhere, and names that differ only in case or Unicode form', async () => {
    for (const name of ['.GIT', 'git~1', '.git ', '.git.', '.g\u200Cit']) {
      mkdirSync(join(dir, 'x', name), { recursive: true })
      writeFileSync(join(dir, 'x', name, 'config'), 'x\n')
    }
    writeFileSync(join(dir, 'A.txt'), 'other\n')
    writeFileSync(join(dir, '\u00E9.txt'), 'composed\n')
    writeFileSync(join(dir, 'e\u0301.txt'), 'decomposed\n')
    const { commit, refused } = await take()
    expect(await names(commit)).toEqual(['a.txt'])
    expect(refused).toHaveLength(8)
    expect(refused.find(({ path }) => path === 'A.txt')?.why).toContain('a.txt')
  })
})

test('what Muster put there is no work, though the author’s .gitignore calls it back', async () => {
  mkdirSync(join(dir, 'deps'))
  for (const name of ['deps/x.js', '.env', 'work.txt']) writeFileSync(join(dir, name), 'x\n')
  writeFileSync(join(dir, '.gitignore'), '!deps\n!.env\n')
  expect(await names((await take(['deps', '.env'])).commit)).toEqual(['.gitignore', 'a.txt', 'work.txt'])
})

test('a filter counts where git would look for it, and nowhere else', async () => {
  mkdirSync(join(dir, 'sub'))
  for (const name of ['notes.txt', 'sub/.gitattributes']) writeFileSync(join(dir, name), '*.bin filter=lfs\n')
  const { commit, refused } = await take()
  expect(refused.map(({ path }) => path)).toEqual(['sub/.gitattributes'])
  expect(await names(commit)).toEqual(['a.txt', 'notes.txt'])
})

test('a name that is not UTF-8 does not get a link past the look at it', async () => {
  symlinkSync('/etc/passwd', Buffer.concat([Buffer.from(`${dir}/bad-`), Buffer.from([0xff])]))
  const { commit, refused } = await take()
  expect(refused.map(({ path }) => path)).toEqual(['bad-\uFFFD'])
  expect(await names(commit)).toEqual(['a.txt'])
})

test.skipIf(!isRoot)(
  'a closed folder is opened; one of somebody else is named, unless it is ignored (needs root)',
  async () => {
    const folders = ['closed', 'foreign', 'ignored'].map((name) => join(dir, name))
    writeFileSync(join(dir, '.gitignore'), 'ignored/\n')
    for (const folder of folders) {
      mkdirSync(folder)
      writeFileSync(join(folder, 'file'), 'x\n')
      chmodSync(folder, 0o000)
    }
    const { commit, refused } = await asUser(top, take, folders.slice(1))
    expect(refused).toEqual([{ path: 'foreign', why: 'Muster has no permission to read it' }])
    expect(await names(commit)).toEqual(['.gitignore', 'a.txt', 'closed/file'])
  },
)

test('names with newlines, tabs, quotes and invalid UTF-8 are kept as they are', async () => {
  for (const name of ['new\nline', 'tab\there', '"quoted"', 'dollar$(x)', '-dash', ' space '])
    writeFileSync(join(dir, name), 'x\n')
  writeFileSync(Buffer.concat([Buffer.from(`${dir}/bad-`), Buffer.from([0xff, 0xfe])]), 'x\n')
  const { commit, refused } = await take()
  expect(refused).toEqual([])
  const listed = await names(commit)
  expect(listed).toEqual(
    expect.arrayContaining(['new\nline', 'tab\there', '"quoted"', 'dollar$(x)', '-dash', ' space ']),
  )
  expect(listed).toHaveLength(8)
})

test("leftover markers of Muster's own merges are found, other people's are not", async () => {
  const [ours, theirs] = ['a'.repeat(40), 'b'.repeat(40)]
  writeFileSync(join(dir, 'a.txt'), `<<<<<<< ${ours}\none\n=======\ntwo\n>>>>>>> ${theirs}\n`)
  writeFileSync(join(dir, 'manual.md'), '<<<<<<< HEAD\nexample\n=======\nof a conflict\n>>>>>>> branch\n')
  const { commit } = await take()
  expect(await workspaces.leftoverMarkers(commit)).toEqual(['a.txt'])
  expect(readFileSync(join(dir, 'manual.md'), 'utf8')).toContain('<<<<<<< HEAD')
})
