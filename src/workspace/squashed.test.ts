/** What a squashed landing keeps of history: S1.13, L6. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Workspaces } from '../ports/workspaces.ts'
import { Mirror } from './mirror.ts'
import { mirrorWorkspaces } from './workspaces.ts'

let top: string
let repository: string
let mirror: Mirror
let workspaces: Workspaces

beforeEach(async () => {
  top = mkdtempSync(join(tmpdir(), 'muster-squash-'))
  repository = join(top, 'repo')
  mkdirSync(repository)
  git('init', '-q', '-b', 'main')
  commitFile('a', 'one\n')
  git('branch', 'story')
  mirror = new Mirror(join(top, 'mirror.git'), join(repository, '.git'), { name: 'Ann', email: 'ann@example.invalid' })
  workspaces = mirrorWorkspaces(mirror)
  await workspaces.sync()
})
afterEach(() => rmSync(top, { recursive: true, force: true }))

function git(...args: string[]): string {
  const identity = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.invalid']
  return execFileSync('git', [...identity, ...args], { cwd: repository, encoding: 'utf8' }).trimEnd()
}

function commitFile(name: string, content: string): string {
  writeFileSync(join(repository, name), content)
  git('add', '-A')
  git('commit', '-qm', `Change ${name}`)
  return git('rev-parse', 'HEAD')
}

/** A snapshot with the tree of one commit and these parents. */
const snapshot = async (like: string, parents: string[]) => {
  const commit = await mirror.commitTree(await mirror.treeOf(like), parents, 'Do it\n', mirror.committer)
  await mirror.keep(`attempt/${commit}`, commit)
  return commit
}

async function squash(head: string, target: string): Promise<string> {
  const merged = await workspaces.merge(target, head, { base: 'main' })
  if (merged.kind !== 'merged') throw new Error(merged.kind)
  const commit = await merged.commit('One\n')
  expect(await workspaces.land(target, merged.old, commit)).toEqual({ kind: 'landed' })
  return commit
}

const parents = (commit: string) => git('show', '-s', '--format=%P', commit).split(' ')

test('one commit on top of the target, without the attempts', async () => {
  const before = git('rev-parse', 'main')
  git('switch', '-q', '--detach')
  const work = commitFile('b', 'two\n')
  git('switch', '-q', 'story')
  await workspaces.find(work)
  const second = await snapshot(work, [await snapshot(work, [before])])
  expect(parents(await squash(second, 'story'))).toEqual([before])
  expect(await workspaces.merge('story', second, { base: 'main' })).toMatchObject({ kind: 'already' })
})

test('L8 what brings the base along has it as a parent, also where the story’s files win', async () => {
  const base = commitFile('a', 'theirs\n')
  git('switch', '-q', 'story')
  const story = commitFile('a', 'ours\n')
  await workspaces.head('story')
  await workspaces.head('main')
  expect(await workspaces.brings('story', story, 'main')).toBe(false)
  const both = await snapshot(story, [base, story])
  expect(await workspaces.brings('story', both, 'main')).toBe(true)
  expect(parents(await squash(both, 'story'))).toEqual([story, base])
  expect(await workspaces.merge('main', git('rev-parse', 'story'), false)).toMatchObject({ kind: 'merged' })
})

test('L6 the next attempt of work that was squashed and changed there since starts from the target', async () => {
  const before = git('rev-parse', 'main')
  git('switch', '-q', '--detach')
  const work = commitFile('a', 'two\n')
  git('switch', '-q', 'story')
  await workspaces.find(work)
  const mine = await snapshot(work, [before])
  await squash(mine, 'story')
  const since = commitFile('a', 'three\n')
  expect(await workspaces.attemptBase(mine, 'story')).toMatchObject({ parents: [since], conflicts: [] })
})
