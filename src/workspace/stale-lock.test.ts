import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { removeStaleLock, removeStaleLocks } from './stale-lock.ts'

let top = ''
let gitDir = ''
let lock = ''

beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'muster-stale-'))
  onTestFinished(() => rmSync(top, { recursive: true }))
  gitDir = join(top, 'repo/.git')
  mkdirSync(join(gitDir, 'refs/heads'), { recursive: true })
  lock = join(gitDir, 'refs/heads/main.lock')
  writeFileSync(lock, '')
})

const age = (path: string) => utimesSync(path, 1, Date.now() / 1000 - 60)

test.runIf(existsSync('/proc/self/stat'))('F-1 a lock that a killed git left goes', async () => {
  age(lock)
  expect(await removeStaleLock(lock, gitDir)).toBe(true)
  expect(existsSync(lock)).toBe(false)
})

test('a lock of a moment ago stays, and so does what is no file', async () => {
  expect(await removeStaleLock(lock, gitDir)).toBe(false)
  rmSync(lock)
  expect(await removeStaleLock(lock, gitDir)).toBe(false)
  mkdirSync(lock)
  age(lock)
  expect(await removeStaleLock(lock, gitDir)).toBe(false)
})

test.each(['in', 'with the name of'])('F-1 a lock stays while a git runs %s the repository', async (how) => {
  age(lock)
  const bin = join(top, 'git')
  symlinkSync('/bin/sh', bin)
  const wait = ['-c', 'echo ready; read go', ...(how === 'in' ? [] : [gitDir])]
  const child = spawn(bin, wait, { cwd: how === 'in' ? join(top, 'repo') : '/' })
  try {
    await once(child.stdout, 'data')
    expect(await removeStaleLock(lock, gitDir)).toBe(false)
  } finally {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
})

test.runIf(existsSync('/proc/self/stat'))(
  'F-1 in a mirror every old lock of a ref goes, and nothing else',
  async () => {
    const others = ['packed-refs.lock', 'refs/heads/other', 'index.lock'].map((name) => join(gitDir, name))
    for (const path of others) writeFileSync(path, '')
    for (const path of [lock, ...others]) age(path)
    const user = join(top, 'user/.git')
    const theirs = ['refs/heads/muster/story/a.lock', 'refs/heads/main.lock'].map((name) => join(user, name))
    mkdirSync(join(user, 'refs/heads/muster/story'), { recursive: true })
    for (const path of theirs) {
      writeFileSync(path, '')
      age(path)
    }
    await removeStaleLocks(gitDir, user)
    expect(theirs.map((path) => existsSync(path))).toEqual([false, true])
    expect([lock, ...others].map((path) => existsSync(path))).toEqual([false, false, true, true])
  },
)
