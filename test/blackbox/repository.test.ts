/** Repositories of every kind: those Muster can work in, and those it refuses in words, with 2. */
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { RunDocument } from '../support/muster.ts'
import { exited, makeRepo, openRepo, planText, tempFolder } from '../support/muster.ts'

describe.concurrent('refused with 2', () => {
  test.each([
    ['a folder that is no git repository', [], /not in a git repository/],
    ['a bare repository', ['init', '--quiet', '--bare'], /bare repository/],
  ])('%s', async (_, git, message) => {
    const top = tempFolder()
    const repo = openRepo(join(top, 'here'), top, join(top, 'state'))
    mkdirSync(repo.dir)
    if (git.length > 0) repo.git(...git)
    for (const args of [['run', 'Do this now'], ['status'], ['init']]) {
      const refused = exited(await repo.here(...args), 2)
      expect(refused.stdout).toBe('')
      expect(refused.stderr).toMatch(message)
    }
    expect(existsSync(repo.musterHome)).toBe(false)
  })

  test('a repository without a commit', async () => {
    const source = makeRepo()
    const top = tempFolder()
    const repo = openRepo(join(top, 'here'), top, join(top, 'state'))
    mkdirSync(repo.dir)
    repo.git('init', '--quiet', '--initial-branch', 'main')
    repo.write('muster.yaml', source.read('muster.yaml'))
    repo.script('agent.sh', 'true')
    const refused = await repo.here('run', 'Do this now')
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toContain('no commit yet')
    expect(refused.stderr).toContain('git commit')
    expect(existsSync(repo.musterHome)).toBe(false)
  })

  test('a repository without muster.yaml, which is told how to get one', async () => {
    const repo = makeRepo()
    repo.git('clean', '--quiet', '--force')
    const refused = await repo.here('run', 'Do this now')
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toContain('muster init')
  })
})

describe.concurrent('worked in', () => {
  test.each(['master', 'trunk'])('a repository whose only branch is %s', async (branch) => {
    const repo = makeRepo({ branch })
    const run = await repo.here('run', 'Do this now', '--json')
    expect(run).toMatchObject({ code: 0 })
    expect(run.json<RunDocument>().story).toMatchObject({ base: branch })
    expect(repo.git('merge-base', branch, 'muster/story/do-this-now')).toBe(repo.git('rev-parse', branch))
  })

  test('a detached HEAD, and the head stays where it is', async () => {
    const repo = makeRepo()
    repo.git('checkout', '--quiet', '--detach')
    const run = await repo.here('run', 'Do this now')
    expect(run).toMatchObject({ code: 0 })
    expect(repo.git('branch', '--show-current')).toBe('')
  })

  test('one with a submodule that is not initialised: run and doctor say what agents will not find', async () => {
    const repo = makeRepo()
    repo.git('init', '--quiet', 'lib')
    repo.git('-C', 'lib', 'commit', '--quiet', '--allow-empty', '--message', 'Start')
    repo.write('.gitmodules', '[submodule "lib"]\n\tpath = lib\n\turl = ext::sh -c touch% marker\n')
    repo.git('add', '.gitmodules', 'lib')
    repo.git('commit', '--quiet', '--message', 'Add a library')
    rmSync(join(repo.dir, 'lib'), { recursive: true })
    const told = 'agents see the folder lib empty: the submodule is not initialised (git submodule update --init lib)'
    expect((await repo.here('doctor')).stdout).toContain(`✓ submodules     ${told}`)
    expect(exited(await repo.here('run', 'Do this now'), 0).stderr).toContain(`note: ${told}`)
    expect(existsSync(join(repo.dir, 'marker'))).toBe(false)
    expect(repo.git('rev-parse', 'muster/story/do-this-now:lib')).toBe(repo.git('rev-parse', 'main:lib'))
  })

  test('a subfolder: the configuration is found upward, the plan from where one stands', async () => {
    const repo = makeRepo()
    repo.write('deep/down/plan.yaml', planText('p', { a: '' }))
    const cwd = join(repo.dir, 'deep/down')
    expect(await repo.musterWith({ cwd }, 'run', 'plan.yaml')).toMatchObject({ code: 0 })
    expect((await repo.hereWith({ cwd }, 'status', '--all')).stdout).toContain('p-a')
    expect((await repo.here('run', 'plan.yaml')).stderr).toContain('no plan plan.yaml')
  })

  test('a path with spaces, quotes and other scripts, for the project and for the data', async () => {
    const repo = makeRepo({ name: "it's ein Pröjekt 日本 $HOME", musterHome: 'mein "Zustand" ✓' })
    repo.write('mein plan.yaml', planText('p', { a: '' }))
    expect(await repo.here('run', 'mein plan.yaml')).toMatchObject({ code: 0 })
    expect(repo.git('show', 'muster/story/p:p-a.txt')).toBe('by p-a\n')
    expect(await repo.here('diff', 'a')).toMatchObject({ code: 0 })
    expect(await repo.here('doctor')).toMatchObject({ code: 0 })
  })

  test('a data directory whose path is too long for a socket', async () => {
    const repo = makeRepo({ musterHome: 'd'.repeat(150) })
    const run = await repo.here('run', 'Do this now')
    expect(run).toMatchObject({ code: 0 })
  })

  test('a linked work tree shares the stories of its repository', async () => {
    const repo = makeRepo()
    repo.git('add', 'muster.yaml', 'agent.sh')
    repo.git('commit', '--quiet', '--message', 'Muster')
    repo.git('worktree', 'add', '--quiet', '../linked', '-b', 'side')
    const linked = openRepo(join(repo.dir, '../linked'), repo.home, repo.musterHome)
    expect(await linked.muster('run', 'Do this now')).toMatchObject({ code: 0 })
    expect((await repo.here('status', '--all')).stdout).toContain('do-this-now-1')
  })
})
