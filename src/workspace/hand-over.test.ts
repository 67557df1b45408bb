import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest'
import { beginRepository } from '../../test/support/begun.ts'
import { moveBranch } from './branches.ts'
import { handOver } from './hand-over.ts'
import { Mirror } from './mirror.ts'

/** A git that does what the file `move` says, if there is one, when a ref is to move. Muster finds it once it is loaded. */
const { GIT, SHIM } = await vi.hoisted(async () => {
  const { execFileSync: run } = await import('node:child_process')
  const fs = await import('node:fs')
  const SHIM = fs.mkdtempSync(`${(await import('node:os')).tmpdir()}/muster-shim-`)
  const GIT = run('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
  const move = `case " $* " in *' update-ref '*) if [ -e '${SHIM}/move' ]; then . '${SHIM}/move'; exit; fi;; esac`
  fs.writeFileSync(`${SHIM}/git`, `#!/bin/sh\n${move}\nexec '${GIT}' "$@"\n`, { mode: 0o755 })
  process.env['PATH'] = `${SHIM}:${process.env['PATH']}`
  return { GIT, SHIM }
})
afterAll(() => rmSync(SHIM, { recursive: true }))

let top: string
let repository: string
let mirror: Mirror
let head: string
let next: string

const ADDED = 'a file that only the mirror has\n'

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: repository, encoding: 'utf8', stdio: 'pipe' }).trimEnd()
}

/** `work` is a branch that nobody has checked out; `next`, a commit on top of it, is in the mirror alone. */
beforeEach(async () => {
  top = mkdtempSync(join(tmpdir(), 'muster-hand-over-'))
  repository = join(top, 'repo')
  beginRepository(repository)
  git('branch', 'work')
  head = git('rev-parse', 'work')
  mirror = new Mirror(join(top, 'mirror.git'), join(repository, '.git'), { name: 'Ann', email: 'ann@example.invalid' })
  await mirror.ensure()
  await mirror.fetch(head)
  const blob = (await mirror.run(['hash-object', '-w', '--stdin'], { stdin: ADDED })).stdout.trim()
  const tree = (await mirror.run(['mktree'], { stdin: `100644 blob ${blob}\tadded.txt\n` })).stdout.trim()
  const env = Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap((who) => [
      [`GIT_${who}_NAME`, 'Ann'],
      [`GIT_${who}_EMAIL`, 'ann@example.invalid'],
    ]),
  )
  next = (await mirror.run(['commit-tree', tree, '-p', head, '-m', 'Next'], { env })).stdout.trim()
})
afterEach(() => {
  for (const path of [top, join(SHIM, 'move')]) rmSync(path, { recursive: true, force: true })
})

/** A setting that only the first worktree has. */
function ownSettings(...setting: string[]): string {
  git('config', 'extensions.worktreeConfig', 'true')
  return git('config', '--worktree', ...setting)
}

/** The file of an object. */
const fileOf = (gitDir: string, object: string): string => join(gitDir, 'objects', object.slice(0, 2), object.slice(2))

/** Where the branch is, once the mirror is gone. */
function workAlone(): string {
  rmSync(mirror.dir, { recursive: true })
  git('fsck', '--strict', '--no-dangling')
  return `${git('rev-parse', 'work')} ${git('show', 'work:added.txt')}`
}

test('S1.13 the repository has all that the branch needs, whatever becomes of the mirror', async () => {
  expect(await handOver(mirror, 'work', head, next)).toBe(true)
  expect(workAlone()).toBe(`${next} ${ADDED.trimEnd()}`)
})

test.each([
  ['is somewhere else', () => next],
  ['must not exist yet', () => null],
])('L6 nothing is moved where the branch %s', async (_, old) => {
  expect(await handOver(mirror, 'work', old(), next)).toBe(false)
  expect(git('rev-parse', 'work')).toBe(head)
})

test.each([
  ['the objects are in a pack of the mirror', () => mirror.run(['repack', '-adq', '--keep-unreachable'])],
  ['the user says who may read new objects', () => git('config', 'core.sharedRepository', 'group')],
  ['the user says what a push may do', () => git('config', 'receive.denyDeletes', 'true')],
  ['new objects are to be looked at', () => git('config', 'transfer.fsckObjects', 'true')],
  ['the settings come from elsewhere, too', () => git('config', 'include.path', 'elsewhere')],
  ['worktrees have settings of their own', () => ownSettings('core.sharedRepository', 'group')],
])('S1.13 where %s, a push moves it', async (_, change) => {
  await change()
  expect(await handOver(mirror, 'work', head, next)).toBe(false)
  expect(git('rev-parse', 'work')).toBe(head)
  expect(await moveBranch(mirror, 'work', head, next)).toBe('ok')
  expect(workAlone()).toBe(`${next} ${ADDED.trimEnd()}`)
})

test('S1.10 a branch that is checked out is left to a push, which moves its files', async () => {
  git('switch', '-q', 'work')
  expect(await handOver(mirror, 'work', head, next)).toBe(false)
  expect(await moveBranch(mirror, 'work', head, next)).toBe('ok')
  expect(git('status', '--porcelain')).toBe('')
  expect(workAlone()).toBe(`${next} ${ADDED.trimEnd()}`)
})

test('S1.10 a branch that is checked out under another name is left to a push, too', async () => {
  git('symbolic-ref', 'refs/heads/alias', 'refs/heads/work')
  git('switch', '-q', 'alias')
  expect(await handOver(mirror, 'work', head, next)).toBe(false)
  expect(await moveBranch(mirror, 'work', head, next)).toBe('ok')
  expect(git('status', '--porcelain')).toBe('')
  expect(workAlone()).toBe(`${next} ${ADDED.trimEnd()}`)
})

test('L4 an object that is damaged in the mirror is not handed on', async () => {
  const blob = await mirror.line(['rev-parse', `${next}:added.txt`])
  const bytes = readFileSync(fileOf(mirror.dir, blob))
  bytes[bytes.length - 6] = (bytes[bytes.length - 6] ?? 0) ^ 1
  rmSync(fileOf(mirror.dir, blob))
  writeFileSync(fileOf(mirror.dir, blob), bytes)
  expect(await handOver(mirror, 'work', head, next)).toBe(false)
  await expect(moveBranch(mirror, 'work', head, next)).rejects.toMatchObject({ code: 'git' })
  expect(git('rev-parse', 'work')).toBe(head)
  git('fsck', '--strict')
})

test('S1.13 nothing is put onto a commit that the repository has lost and the mirror still has', async () => {
  expect(await handOver(mirror, 'work', head, next)).toBe(true)
  const more = await mirror.commitTree(await mirror.treeOf(head), [next], 'More', mirror.committer)
  rmSync(fileOf(mirror.userGitDir, next))
  expect(await handOver(mirror, 'work', next, more)).toBe(false)
  await expect(moveBranch(mirror, 'work', next, more)).rejects.toMatchObject({
    message: expect.stringContaining('missing necessary objects') as string,
  })
})

test('S1.13 what is there already, and old, is new again: a gc that begins now leaves it', async () => {
  const blob = await mirror.line(['rev-parse', `${next}:added.txt`])
  const file = fileOf(mirror.userGitDir, blob)
  mkdirSync(dirname(file), { recursive: true })
  copyFileSync(fileOf(mirror.dir, blob), file)
  utimesSync(file, 1, 1)
  expect(await handOver(mirror, 'work', head, next)).toBe(true)
  expect(statSync(file).mtimeMs).toBeGreaterThan(1000)
  expect(workAlone()).toBe(`${next} ${ADDED.trimEnd()}`)
})

test('S1.13 onto a commit that is in a pack of the repository', async () => {
  git('gc', '-q')
  expect(await handOver(mirror, 'work', head, next)).toBe(true)
  expect(workAlone()).toBe(`${next} ${ADDED.trimEnd()}`)
})

test('S1.13 many objects are left to a push, which brings them as one pack', async () => {
  const files = Array.from({ length: 101 }, (_, n) => join(top, `file-${n}`))
  for (const file of files) writeFileSync(file, file)
  const blobs = await mirror.line(['hash-object', '-w', '--stdin-paths'], { stdin: files.join('\n') })
  const stdin = blobs.split('\n').map((blob, n) => `100644 blob ${blob}\tfile-${n}\n`)
  const tree = await mirror.line(['mktree'], { stdin: stdin.join('') })
  const many = await mirror.commitTree(tree, [head], 'Many', mirror.committer)
  expect(await handOver(mirror, 'work', head, many)).toBe(false)
  expect(await moveBranch(mirror, 'work', head, many)).toBe('ok')
})

test.each(['before', 'after'])('S1.10 whoever checks the branch out just %s it moves has its files', async (when) => {
  const there = `'${GIT}' -C '${repository}' switch -q work`
  const itself = `'${GIT}' "$@"`
  writeFileSync(join(SHIM, 'move'), `${(when === 'before' ? [there, itself] : [itself, there]).join(' && ')}\n`)
  expect(await handOver(mirror, 'work', head, next)).toBe(true)
  expect(git('status', '--porcelain')).toBe('')
  expect(workAlone()).toBe(`${next} ${ADDED.trimEnd()}`)
})

test('S1.13 what a gc takes away just before something leads to it is brought again', async () => {
  const blob = await mirror.line(['rev-parse', `${next}:added.txt`])
  writeFileSync(join(SHIM, 'move'), `rm '${fileOf(mirror.userGitDir, blob)}' && '${GIT}' "$@"\n`)
  expect(await handOver(mirror, 'work', head, next)).toBe(true)
  expect(workAlone()).toBe(`${next} ${ADDED.trimEnd()}`)
})
