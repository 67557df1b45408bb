/** Several muster processes on one project: one is the engine, the others hand over to it and follow, or take its place. */
import { spawn } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { gone, readStat } from '../../src/process/group.ts'
import { afterFile } from '../support/after.ts'
import { begun, gated, openGate } from '../support/gated.ts'
import type { Repo, RunDocument } from '../support/muster.ts'
import { cleanEnv, cliFile, exited, isAlive, makeRepo, planText } from '../support/muster.ts'
import { BY_PERSON } from '../support/maps.ts'

/** A muster whose parent never asks what became of it, as the first process of many containers does not. */
function unreaped(repo: Repo, ...args: string[]): { said: Promise<string> } {
  const words = ['-c', '"$@" >/dev/null 2>&1 & echo $!; exec sleep 300', 'sh', process.execPath, cliFile, ...args]
  const env = cleanEnv(repo.home, repo.musterHome)
  const parent = spawn('sh', words, { cwd: repo.dir, env, stdio: ['ignore', 'pipe', 'ignore'] })
  afterFile(() => parent.kill('SIGKILL'))
  return { said: new Promise((resolve) => void parent.stdout.once('data', (text) => resolve(String(text)))) }
}

describe.concurrent('a second run', () => {
  test('hands its plan to the first and follows it; both report their own story', async () => {
    const repo = makeRepo({ agent: gated })
    repo.write('one.yaml', planText('one', { a: '' }))
    repo.write('two.yaml', planText('two', { a: '' }))
    const first = repo.start('run', 'one.yaml', '--json')
    await begun(repo, 'one-a')
    const second = repo.start('run', 'two.yaml', '--json')
    await second.saw(/two-a implementer started/)
    await begun(repo, 'two-a')
    openGate(repo, 'one-a')
    await second.saw(/one-a completed/)
    openGate(repo, 'two-a')
    const [one, two] = await Promise.all([first.ended, second.ended])
    expect([one.code, two.code]).toEqual([0, 0])
    expect(one.json<RunDocument>()).toMatchObject({ story: { id: 'one' }, tasks: [{ id: 'one-a', attempt: 1 }] })
    expect(two.json<RunDocument>()).toMatchObject({
      story: { id: 'two' },
      tasks: [{ id: 'two-a', status: 'completed' }],
    })
  })

  test('takes over when the first is killed, and everything is done once', async () => {
    const repo = makeRepo({ agent: gated })
    repo.write('plan.yaml', planText('p', { a: '', b: 'depends_on: [a]' }))
    const first = repo.start('run', 'plan.yaml')
    const worker = await begun(repo, 'p-a')
    const second = repo.start('run', 'plan.yaml', '--json')
    await second.saw(/story p continues/)
    repo.write('../home/open', 'yes')
    first.signal('SIGKILL')
    expect(await first.ended).toMatchObject({ signal: 'SIGKILL' })
    const ended = await second.ended
    expect(ended.code, ended.stderr).toBe(0)
    expect(ended.stderr).toContain('continuing here')
    expect(ended.json<RunDocument>().tasks.map(({ status, round }) => [status, round])).toEqual([
      ['completed', 0],
      ['completed', 0],
    ])
    expect(isAlive(worker)).toBe(false)
    expect(repo.git('log', '--format=%s', 'main..muster/story/p').trim().split('\n')).toHaveLength(2)
    expect(await repo.muster('doctor')).toMatchObject({ code: 0 })
  })

  test('takes over where nobody reaps the one that was killed', async () => {
    const repo = makeRepo({ agent: gated })
    const first = unreaped(repo, 'run', 'Do this now')
    await begun(repo, 'do-this-now-1')
    const pid = Number(await first.said)
    process.kill(pid, 'SIGKILL')
    expect(await gone(() => isAlive(pid), 10_000)).toBe(true)
    expect(readStat(pid)).toMatchObject({ state: 'Z' })
    repo.write('../home/open', 'yes')
    exited(await repo.muster('run'), 0)
  })

  test('that is interrupted leaves the first at work', async () => {
    const repo = makeRepo({ agent: gated })
    repo.write('plan.yaml', planText('p', { a: '' }))
    const first = repo.start('run', 'plan.yaml')
    await begun(repo, 'p-a')
    const second = repo.start('run', 'plan.yaml')
    await second.saw(/story p continues/)
    second.signal('SIGINT')
    expect((await second.ended).code).toBe(130)
    openGate(repo, 'p-a')
    expect(await first.ended).toMatchObject({ code: 0 })
  })
})

test.concurrent('accept and add beside a running run act at once', async () => {
  const repo = makeRepo({ agent: `[ "$MUSTER_TASK_ID" = p-quick ] || { ${gated}\n}; echo x >"$MUSTER_TASK_ID.txt"` })
  repo.write('plan.yaml', planText('p', { quick: `phases: ${BY_PERSON}`, slow: '' }))
  const run = repo.start('run', 'plan.yaml', '--json')
  await begun(repo, 'p-slow')
  await run.saw(/p-quick implement → review/)
  expect(await repo.muster('accept', 'quick')).toMatchObject({ code: 0 })
  await run.saw(/p-quick completed/)
  expect(await repo.muster('add', 'One more', '--story', 'p')).toMatchObject({ code: 0, stdout: 'p-extra-1\n' })
  await begun(repo, 'p-extra-1')
  expect(await repo.muster('reject', 'quick', '-m', 'too late')).toMatchObject({ code: 3 })
  openGate(repo, 'p-extra-1')
  openGate(repo, 'p-slow')
  const ended = await run.ended
  expect(ended).toMatchObject({ code: 0 })
  expect(ended.json<RunDocument>().tasks.map(({ id, status }) => [id, status])).toEqual([
    ['p-extra-1', 'completed'],
    ['p-quick', 'completed'],
    ['p-slow', 'completed'],
  ])
})

test.concurrent('five runs of one plan at the same moment are one run', async () => {
  const repo = makeRepo()
  repo.write('plan.yaml', planText('p', { a: '', b: '' }))
  const all = await Promise.all([1, 2, 3, 4, 5].map(() => repo.muster('run', 'plan.yaml', '--json')))
  for (const result of all) exited(result, 0)
  const { tasks } = all[0]?.json<RunDocument>() ?? { tasks: [] }
  expect(tasks.map(({ id, attempt, status }) => [id, attempt, status])).toEqual([
    ['p-a', 1, 'completed'],
    ['p-b', 1, 'completed'],
  ])
})
