import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { messagesOf, withMessages } from './messages.ts'
import { Mirror } from './mirror.ts'
import { mirrorWorkspaces } from './workspaces.ts'

let top: string
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'muster-messages-'))
})
afterEach(() => rmSync(top, { recursive: true, force: true }))

const identity = ['-c', 'user.name=x', '-c', 'user.email=x@example.invalid']
const sh = (cwd: string, script: string): string =>
  execFileSync('sh', ['-ec', `commit() { git ${identity.join(' ')} commit -q "$@"; }\n${script}`], {
    cwd,
    encoding: 'utf8',
  }).trimEnd()

test('L36 agents that commit by themselves lose nothing: the tree counts, their messages are kept beside it', async () => {
  const repository = join(top, 'repo')
  mkdirSync(repository)
  sh(repository, 'git init -q -b main; echo one >a.txt; git add -A; commit -m Start')
  const mirror = new Mirror(join(top, 'mirror.git'), join(repository, '.git'), { name: 'A', email: 'a@x.invalid' })
  const workspaces = mirrorWorkspaces(mirror)
  await workspaces.sync()
  const base = await workspaces.attemptBase(null, 'main')
  const deeds: [string, string[]][] = [
    [
      'git add -A; commit -m First; echo 2 >b.txt; git add -A; commit -m "Second" -m "with reasons"',
      ['First', 'Second'],
    ],
    ['git add -A; commit -m First; commit --amend -m "First, better"', ['First, better']],
    ['git add -A; commit -m First; git reset -q HEAD~', []],
    ['git checkout -q --detach; git add -A; commit -m Detached', ['Detached']],
    ['git switch -qc other; git add -A; commit -m Elsewhere; git branch -qD muster/task/t', ['Elsewhere']],
    ['git add -A; commit -m First; rm -rf .git', []],
    ['git init -q --bare .git/x', []],
  ]
  for (const [at, [deed, kept]] of deeds.entries()) {
    const [dir, index] = [join(top, `work${at}`), join(top, `index${at}`)]
    const copy = { root: top, paths: [] }
    const { leaveOut } = await workspaces.checkout({ dir, base, branch: 'muster/task/t', index, golden: null, copy })
    sh(dir, `echo made >made.txt; ${deed}`)
    const message = `Do it\n\nTask: t-1\nRun: r${at}\n`
    const request = { dir, base, index, leaveOut, keepAs: `r${at}`, message, author: 'implementer' }
    const { commit } = await workspaces.snapshot(request)
    const said = sh(mirror.dir, `git show ${commit}:made.txt; git show -s --format=%P%n%B ${commit}`).split('\n')
    expect(said.slice(0, 3)).toEqual(['made', base.parents[0], 'Do it'])
    expect(said.filter((line) => line.startsWith('  * ')).map((line) => line.slice(4))).toEqual(kept)
    expect(sh(mirror.dir, `git show -s --format='%(trailers)' ${commit}`)).toBe(`Task: t-1\nRun: r${at}`)
  }
})

describe('what an agent says in them', () => {
  test('is no trailer and moves no cursor', () => {
    const said =
      'Fix it\r\n\r\n\u001B[2Jreally\u0007\u202E\n\nTask: other-9\nSigned-off-by: Somebody\n---\ndiff --git a b\n'
    expect(withMessages('Do it\n\nTask: t-1\n', [said])).toBe(
      "Do it\n\nThe agent's own commits:\n\n  * Fix it\n\n    really\n\n    Task: other-9\n    Signed-off-by: Somebody\n    ---\n    diff --git a b\n\nTask: t-1\n",
    )
  })

  test('is bounded, and nothing is nothing', () => {
    const many = Array.from({ length: 50 }, () => 'x'.repeat(100_000))
    expect(withMessages('Do it\n\nTask: t-1\n', many).length).toBeLessThan(9000)
    expect(withMessages('Do it\n', ['One\n'])).toBe("Do it\n\nThe agent's own commits:\n\n  * One\n")
    expect(withMessages('Do it\n\nTask: t-1\n', [' \n', ''])).toBe('Do it\n\nTask: t-1\n')
  })
})

describe("a clone that is not what it seems is no reason to fail, and gives away nobody else's", () => {
  let dir: string
  let other: string
  let secret: string

  beforeEach(() => {
    ;[dir, other] = [join(top, 'work'), join(top, 'other')]
    for (const place of [dir, other]) {
      mkdirSync(place)
      sh(place, 'git init -q -b main')
    }
    sh(other, 'commit --allow-empty -m Secret')
    secret = sh(other, 'git rev-parse HEAD')
  })

  test('alternates and links into another repository', async () => {
    writeFileSync(join(dir, '.git/HEAD'), `${secret}\n`)
    writeFileSync(join(dir, '.git/objects/info/alternates'), `${join(other, '.git/objects')}\n`)
    expect(sh(dir, 'git log --format=%s')).toBe('Secret')
    expect(await messagesOf(dir, [])).toEqual([])
    symlinkSync(join(other, '.git/objects', secret.slice(0, 2)), join(dir, '.git/objects', secret.slice(0, 2)))
    expect(await messagesOf(dir, [])).toEqual([])
    rmSync(join(dir, '.git'), { recursive: true })
    symlinkSync(join(other, '.git'), join(dir, '.git'))
    expect(await messagesOf(dir, [])).toEqual([])
    expect(await messagesOf(other, [])).toEqual(['Secret\n'])
    expect(await messagesOf(other, [secret])).toEqual([])
  })

  test('a pipe for HEAD, a branch outside, an object that grows and grows, garbage', async () => {
    const object = (name: string, content: Buffer) => {
      mkdirSync(join(dir, '.git/objects', name.slice(0, 2)), { recursive: true })
      writeFileSync(join(dir, '.git/objects', name.slice(0, 2), name.slice(2)), content)
      return `${name}\n`
    }
    const heads = [
      'ref: refs/../../../other/.git/refs/heads/main\n',
      'ref: refs/heads/nowhere\n',
      'x'.repeat(10_000_000),
      object('a'.repeat(40), deflateSync(Buffer.alloc(50_000_000))),
      object('b'.repeat(40), Buffer.from('garbage')),
      object('c'.repeat(40), deflateSync('tree 0\0')),
    ]
    for (const head of heads) {
      writeFileSync(join(dir, '.git/HEAD'), head)
      expect((await messagesOf(dir, [])).join('')).toBe('')
    }
    rmSync(join(dir, '.git/HEAD'))
    execFileSync('mkfifo', [join(dir, '.git/HEAD')])
    expect(await messagesOf(dir, [])).toEqual([])
  })
})
