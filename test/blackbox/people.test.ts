/** What people say to tasks: which task they mean, when it is heard, and who may not say it. */
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { ErrorDocument, Repo, RunDocument } from '../support/muster.ts'
import { cliWords, exited, fileText, makeRepo, planText } from '../support/muster.ts'
import type { Explanation } from '../../src/engine/views/explain.ts'
import type { TaskView } from '../../src/engine/views/views.ts'
import { BY_PERSON } from '../support/maps.ts'

const notes = 'cat >"$MUSTER_TASK_ID.txt"'

describe('reviewed tasks', () => {
  let repo: Repo
  beforeAll(async () => {
    repo = makeRepo({ agent: notes, config: `phases: ${BY_PERSON}` })
    repo.write('plan.yaml', planText('web', { 1: '', 11: '', 'a-2': '', 'b-2': '', later: 'depends_on: [1]' }))
    exited(await repo.here('run', 'plan.yaml'), 8)
  })

  test('a suffix that fits several ids is refused with 2 and lists them', async () => {
    const refused = await repo.here('accept', '2')
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toContain('web-a-2, web-b-2')
  })

  test('a suffix after a hyphen wins over one inside a word', async () => {
    expect((await repo.here('show', '1', '--json')).json<TaskView>().id).toBe('web-1')
  })

  test.each(['show', 'logs', 'diff', 'accept', 'cancel'])('%s of an unknown task ends with 5', async (command) => {
    const refused = await repo.here(command, 'nowhere', '--json')
    expect(refused).toMatchObject({ code: 5 })
    expect(refused.json<ErrorDocument>().error.code).toBe('not_found')
    expect(refused.stderr).toContain('nowhere')
  })

  test('reject without words is refused with 2', async () => {
    for (const words of [[], ['-m', '  ']]) {
      const refused = await repo.here('reject', 'web-11', ...words)
      expect(refused).toMatchObject({ code: 2, stdout: '' })
      expect(refused.stderr).toContain('-m')
    }
  })

  test('at the wrong moment they are refused with 3', async () => {
    for (const command of ['accept', 'approve']) {
      exited(await repo.here(command, 'later'), 3)
    }
    expect(await repo.here('reject', 'later', '-m', 'no')).toMatchObject({ code: 3 })
    expect(await repo.here('retry', 'later')).toMatchObject({ code: 3 })
  })

  test('reject sends back with the words, accept lets land, cancel ends; run carries it out (S2.19, S2.20, D-20)', async () => {
    const comments = ['--comment', 'web-11.txt:3: not this', '--comment', 'docs/a b.md:12: nor that']
    expect(await repo.here('reject', '11', '-m', 'no', '--comment', 'what?')).toMatchObject({ code: 2 })
    expect(await repo.here('reject', '11', '-m', 'no', '--comment', '../x:1: out')).toMatchObject({ code: 2 })
    const rejected = await repo.here('reject', '11', '-m', 'the title is missing', ...comments, '--json')
    expect(rejected).toMatchObject({ code: 0 })
    expect(await repo.muster('accept', 'web-1', '-m', 'nice')).toMatchObject({ code: 0 })
    const cancelled = await repo.here('cancel', 'a-2', '-m', 'not wanted', '--json')
    expect(cancelled.json<TaskView>()).toMatchObject({ status: 'cancelled', failureReason: 'not wanted' })
    const run = await repo.here('run', '--json')
    expect(run).toMatchObject({ code: 8 })
    const byId = new Map(run.json<RunDocument>().tasks.map((task) => [task.id, task]))
    expect(byId.get('web-1')).toMatchObject({ status: 'completed' })
    expect(byId.get('web-11')).toMatchObject({ stage: 'review', round: 1, attempt: 2 })
    expect(byId.get('web-11')?.findings[0]).toMatchObject({ message: 'the title is missing', severity: 'FAIL' })
    expect(byId.get('web-later')).toMatchObject({ stage: 'review' })
    const prompt = repo.git('show', 'muster/task/web-11:web-11.txt')
    expect(prompt).toMatch(/^## PREVIOUS VALIDATION FAILED[\s\S]*the title is missing/)
    expect(prompt).toContain('web-11.txt:3 not this')
    expect(prompt).toContain('docs/a b.md:12 nor that')
  })

  test('what is over is over: 3, until a retry', async () => {
    for (const args of [
      ['accept', 'web-1'],
      ['cancel', 'web-1'],
      ['retry', 'web-1'],
      ['accept', 'a-2'],
    ]) {
      exited(await repo.here(...args), 3)
    }
    expect((await repo.here('retry', 'a-2', '--json')).json<TaskView>()).toMatchObject({ status: 'not-started' })
  })

  test('every word is in the history, with who said it', async () => {
    const { stdout } = await repo.here('explain', 'web-1')
    expect(stdout).toMatch(/tester: .*said accept: nice/)
  })
})

test.concurrent('an agent may not decide: every decision in its environment ends with 4', async () => {
  const agent = `cd "$HOME/../project"; for word in accept approve retry cancel pause resume reject; do
  ${cliWords} "$word" $([ "$word" = pause ] || [ "$word" = resume ] || echo 1) $([ "$word" = reject ] && echo '-m no') 2>>"$HOME/said"
  echo "$word $?" >>"$HOME/codes"
done; cd - >/dev/null; echo done >done.txt`
  const repo = makeRepo({ agent })
  expect(await repo.muster('run', 'Do this now')).toMatchObject({ code: 0 })
  const codes = (await fileText(join(repo.home, 'codes'))).trim().split('\n')
  expect(codes).toEqual(
    ['accept', 'approve', 'retry', 'cancel', 'pause', 'resume', 'reject'].map((word) => `${word} 4`),
  )
  expect(await fileText(join(repo.home, 'said'))).toContain('agents may not decide')
})

test.concurrent('pause: nothing starts and run ends with 8; resume: it goes on', async () => {
  const repo = makeRepo()
  expect(await repo.muster('pause')).toMatchObject({ code: 0 })
  const paused = await repo.here('run', 'Do this now')
  expect(paused).toMatchObject({ code: 8 })
  expect(paused.stderr).not.toContain('started')
  expect(paused.stdout).toContain('muster resume')
  expect((await repo.muster('resume', '--json')).json()).toEqual({ paused: false })
  expect(await repo.here('run')).toMatchObject({ code: 0 })
})

describe.concurrent('a task for the protected base', () => {
  test('waits for approve, then lands on the checked-out base with its file in the work tree', async () => {
    const repo = makeRepo({ agent: 'echo done >feature.txt' })
    const added = await repo.here('add', 'Add the feature')
    expect(added).toMatchObject({ code: 0, stdout: 'task-1\n' })
    const waits = await repo.here('run', '--json')
    expect(waits).toMatchObject({ code: 8 })
    expect(waits.json<RunDocument>().tasks[0]).toMatchObject({ stage: 'review', phase: 'land' })
    expect(waits.json<RunDocument>().tasks[0]?.waitingFor).toContain('muster approve task-1')
    const before = repo.git('rev-parse', 'main')
    expect(await repo.muster('approve', '1')).toMatchObject({ code: 0 })
    expect(await repo.here('run')).toMatchObject({ code: 0 })
    expect(repo.git('rev-parse', 'main')).not.toBe(before)
    expect(repo.read('feature.txt')).toBe('done\n')
    expect(repo.git('status', '--porcelain', '--untracked-files=no')).toBe('')
    expect((await repo.here('diff', '1')).stdout).toContain('+done')
  })

  test('accept is the approval as well: asked once, recorded as both', async () => {
    const repo = makeRepo({ agent: 'echo done >feature.txt', config: `phases: ${BY_PERSON}` })
    exited(await repo.here('add', 'Add the feature'), 0)
    exited(await repo.here('run'), 8)
    expect(exited(await repo.here('accept', '1', '-m', 'good'), 0).stderr).toContain('accepted; it may land on main')
    exited(await repo.here('run'), 0)
    expect(repo.read('feature.txt')).toBe('done\n')
    const { history } = exited(await repo.here('explain', '1', '--json'), 0).json<Explanation>()
    expect(history.filter(({ type }) => type === 'decision').map(({ text }) => text)).toEqual([
      expect.stringMatching(/ said accept: good \(and approved landing on main\)/),
    ])
  })

  test('waits while the checkout has a change in the way, says which, and lands when that is gone', async () => {
    const repo = makeRepo({ agent: 'echo theirs >README.md' })
    await repo.here('add', 'Change the readme')
    expect(await repo.here('run')).toMatchObject({ code: 8 })
    repo.write('README.md', 'mine\n')
    expect(await repo.here('approve', '1')).toMatchObject({ code: 0 })
    const waits = await repo.here('run', '--json')
    expect(waits).toMatchObject({ code: 8 })
    expect(waits.json<RunDocument>().tasks[0]?.waitingFor).toMatch(
      /^main is checked out in \S+ with uncommitted changes: README\.md/,
    )
    expect(repo.read('README.md')).toBe('mine\n')
    repo.git('checkout', '--quiet', '--', 'README.md')
    expect(await repo.here('run')).toMatchObject({ code: 0 })
    expect(repo.read('README.md')).toBe('theirs\n')
  })

  test('a file of the person’s that git does not know is never overwritten', async () => {
    const repo = makeRepo({ agent: 'echo theirs >new.txt' })
    await repo.here('add', 'Make a file')
    await repo.here('run')
    repo.write('new.txt', 'mine\n')
    await repo.here('approve', '1')
    const waits = await repo.here('run', '--json')
    expect(waits).toMatchObject({ code: 8 })
    expect(waits.json<RunDocument>().tasks[0]?.waitingFor).toContain('new.txt')
    expect(repo.read('new.txt')).toBe('mine\n')
  })
})
