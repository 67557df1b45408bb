/** The first minute: help, version, init, and a configuration that runs as it was written. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Repo } from '../support/muster.ts'
import { exited, makeRepo } from '../support/muster.ts'

const COMMANDS =
  'init doctor run add status show explain logs diff accept reject approve retry cancel pause resume open demo'.split(
    ' ',
  )

describe('help', () => {
  const repo = makeRepo()

  test('lists every command on stdout and ends with 0, also when nothing is asked', async () => {
    for (const args of [['--help'], ['help'], []]) {
      const help = await repo.muster(...args)
      expect(help).toMatchObject({ code: 0, stderr: '' })
      for (const command of COMMANDS) expect(help.stdout).toMatch(new RegExp(`^  ${command}\\b`, 'm'))
    }
    expect((await repo.muster('--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })

  test.concurrent.each(COMMANDS)('of %s needs no project', async (command) => {
    const help = await repo.hereWith({ cwd: '/' }, command, '--help')
    expect(help).toMatchObject({ code: 0, stderr: '' })
    expect(help.stdout).toContain(`Usage: muster ${command}`)
    expect(help.stdout.includes('--json')).toBe(command !== 'demo')
  })
})

describe.concurrent('init', () => {
  const bare = (options = {}): Repo => {
    const repo = makeRepo(options)
    repo.git('clean', '--quiet', '--force')
    return repo
  }

  test('writes a configuration that loads and runs, with the project’s branch, checks and agent', async () => {
    const repo = bare({ branch: 'trunk' })
    repo.write('package.json', '{"scripts":{"test":"node --test","lint":"true","tsc":"true"}}')
    repo.write('a.test.js', "require('node:test')('passes', () => {})\n")
    repo.git('add', '.')
    repo.git('commit', '-qm', 'Tools')
    const agent = `sh -c "echo 'it''s' >it.txt"`
    const wrote = await repo.muster('init', '--agent', agent, '--json')
    expect(wrote).toMatchObject({ code: 0 })
    expect(wrote.json()).toMatchObject({
      base: 'trunk',
      agent: { run: agent },
      checks: { 'unit-test': 'npm test', lint: 'npm run lint' },
    })
    expect(await repo.here('doctor')).toMatchObject({ code: 0 })
    repo.write('muster.yaml', repo.read('muster.yaml').replace('phases: checked', 'phases: direct'))
    expect(await repo.muster('run', 'Do this now')).toMatchObject({ code: 0 })
    expect(repo.git('show', 'muster/story/do-this-now:it.txt')).toBe('its\n')
  })

  test('names no path of this machine, and a schema only where every machine finds it', async () => {
    const repo = bare()
    const schema = async (...args: string[]) => {
      expect(await repo.here('init', '--no-try', '--force', ...args)).toMatchObject({ code: 0, stdout: '' })
      expect(repo.read('muster.yaml')).not.toMatch(/file:|(?<![\w./])\/(?:home|root|tmp|dev|usr|opt)\b/)
      return /^# yaml-language-server: \$schema=(\S+)$/m.exec(repo.read('muster.yaml'))?.[1] ?? null
    }
    expect(await schema()).toBe(null)
    expect(existsSync(join(repo.dir, '.muster'))).toBe(false)
    expect(await schema('--schema')).toBe('./.muster/muster.schema.json')
    expect(JSON.parse(repo.read('.muster/muster.schema.json'))).toMatchObject({ title: 'muster.yaml' })
    repo.write('node_modules/passmuster/muster.schema.json', '{}')
    expect(await schema()).toBe('./node_modules/passmuster/muster.schema.json')
  })

  test('keeps an existing file unless forced', async () => {
    const repo = makeRepo()
    const mine = repo.read('muster.yaml')
    const refused = await repo.here('init')
    expect(refused).toMatchObject({ code: 3, stdout: '' })
    expect(refused.stderr).toContain('--force')
    expect(repo.read('muster.yaml')).toBe(mine)
    expect(await repo.muster('init', '--force')).toMatchObject({ code: 0 })
    expect(repo.read('muster.yaml')).not.toBe(mine)
  })
})

describe('add', () => {
  test('takes everything a task has, instructions from stdin too, and refuses what it does not know', async () => {
    const repo = makeRepo({ config: 'checks: { lint: "true" }' })
    const options = [
      '--instructions',
      '-',
      '--criteria',
      'a.ts exports `run`',
      '--checks',
      'lint',
      '--files',
      'a.ts, b.ts',
      '--json',
    ]
    const added = await repo.musterWith({ input: 'Do\nthis\n' }, 'add', 'A title', ...options)
    expect(added).toMatchObject({ code: 0 })
    expect(added.json()).toMatchObject({
      id: 'task-1',
      title: 'A title',
      instructions: 'Do\nthis\n',
      checks: ['lint'],
      stage: 'pending',
    })
    const second = await repo.here('add', 'Another', '--depends', '1', '--phases', 'reviewed', '--json')
    expect(second.json()).toMatchObject({ id: 'task-2', dependsOn: ['task-1'], stage: 'blocked' })
    for (const [code, ...args] of [
      ['2', ' '],
      ['2', 'x'.repeat(600)],
      ['2', 'A', '--checks', 'magic'],
      ['2', 'A', '--agent', 'wizard'],
      ['2', 'A', '--phases', 'perfect'],
      ['5', 'A', '--story', 'nowhere'],
      ['5', 'A', '--depends', 'nowhere'],
    ] as [string, ...string[]][]) {
      expect(exited(await repo.here('add', ...args), Number(code)).stdout).toBe('')
    }
    expect((await repo.here('status', '--json')).json<{ tasks: unknown[] }>().tasks).toHaveLength(2)
  })
})
