/** The base that work lands on, as the user's repository has it. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { behindUpstream, defaultBranch, requireBase } from './repository.ts'

let root: string
const repository = () => ({ root, gitDir: join(root, '.git') })

function git(...args: string[]): string {
  const identity = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.invalid']
  return execFileSync('git', [...identity, ...args], { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trimEnd()
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'muster-repository-'))
  git('init', '-q', '-b', 'trunk')
  git('commit', '-q', '--allow-empty', '-m', 'Start')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

test('a base that is not there is told with the branches that are, without Muster’s own', async () => {
  git('branch', 'muster/task/t')
  git('branch', 'plan/muster')
  expect(await requireBase(repository(), 'trunk')).toBe(git('rev-parse', 'trunk'))
  await expect(requireBase(repository(), 'main')).rejects.toMatchObject({
    code: 'config',
    message: 'the base branch "main" does not exist (branches: plan/muster, trunk)',
  })
})

test('the default is main or master if there is one, else what is checked out', async () => {
  expect(await defaultBranch(repository())).toBe('trunk')
  git('branch', 'master')
  expect(await defaultBranch(repository())).toBe('master')
})

test('how far a base is behind is known only where it follows another branch', async () => {
  expect(await behindUpstream(repository(), 'trunk')).toBeNull()
  git('checkout', '-q', '--track', '-b', 'work')
  expect(await behindUpstream(repository(), 'work')).toBeNull()
  git('switch', '-q', 'trunk')
  git('commit', '-q', '--allow-empty', '-m', 'More')
  expect(await behindUpstream(repository(), 'work')).toEqual({ upstream: 'trunk', commits: 1 })
})
