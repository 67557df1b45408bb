/** Commands that only look: each in words and as JSON, none of them needs an engine. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Repo, RunDocument, StatusDocument } from '../support/muster.ts'
import { cleanEnv, cliFile, exited, makeRepo, planText } from '../support/muster.ts'
import type { Explanation } from '../../src/engine/views/explain.ts'
import type { RunView } from '../../src/engine/views/run-view.ts'
import type { TaskView } from '../../src/engine/views/views.ts'
import { BY_PERSON } from '../support/maps.ts'

describe('a story with a finished task and one in review', () => {
  let repo: Repo
  beforeAll(async () => {
    repo = makeRepo({ agent: 'echo "says $MUSTER_TASK_ID"; echo "by $MUSTER_TASK_ID" >"$MUSTER_TASK_ID.txt"' })
    repo.write(
      'plan.yaml',
      planText('p', {
        1: 'description: "First\\nsecond line", acceptance_criteria: p-1.txt exists',
        2: `phases: ${BY_PERSON}`,
        10: 'depends_on: [2]',
      }),
    )
    exited(await repo.here('run', 'plan.yaml'), 8)
    exited(await repo.here('run', 'Do this now'), 0)
  })

  test('status shows the open tasks in natural order and counts the rest', async () => {
    const text = await repo.muster('status')
    expect(text).toMatchObject({ code: 0, stderr: '' })
    expect(text.stdout).toContain('2 completed')
    expect(text.stdout).toMatch(/p-2 .*review[\s\S]*p-10 .*blocked.*p-2/)
    const json = (await repo.here('status', '--json')).json<StatusDocument>()
    expect(json).toMatchObject({
      paused: false,
      next: null,
      counts: { completed: 2, 'in-progress': 1, 'not-started': 1 },
    })
    expect(json.tasks.map(({ id, stage, needsPerson }) => [id, stage, needsPerson])).toEqual([
      ['p-2', 'review', true],
      ['p-10', 'blocked', false],
    ])
    expect(json.stories.map(({ id }) => id).sort()).toEqual(['do-this-now', 'p'])
  })

  test('status pages through all of them: --all, --story, --limit, --after', async () => {
    const page = async (...args: string[]) =>
      (await repo.here('status', '--json', '--all', '--story', 'p', ...args)).json<StatusDocument>()
    const first = await page('--limit', '2')
    expect([first.tasks.map(({ id }) => id), first.next]).toEqual([['p-1', 'p-2'], 'p-2'])
    const second = await page('--limit', '2', '--after', 'p-2')
    expect([second.tasks.map(({ id }) => id), second.next]).toEqual([['p-10'], null])
    expect(await repo.here('status', '--story', 'nowhere')).toMatchObject({ code: 5 })
    expect(await repo.here('status', '--after', 'nowhere')).toMatchObject({ code: 5 })
    expect(await repo.here('status', '--limit', '0')).toMatchObject({ code: 2 })
  })

  test('show has the text, the runs and, as JSON, the task’s shape with its runs', async () => {
    const text = await repo.muster('show', 'p-1')
    expect(text).toMatchObject({ code: 0, stderr: '' })
    for (const part of ['Task 1', 'second line', 'p-1.txt exists', 'p-1.r1', 'PASS'])
      expect(text.stdout).toContain(part)
    const json = (await repo.here('show', 'p-1', '--json')).json<TaskView & { runs: RunView[] }>()
    expect(json).toMatchObject({ id: 'p-1', stage: 'completed', instructions: 'First\nsecond line' })
    expect(json.runs[0]).toMatchObject({
      id: 'p-1.r1',
      kind: 'agent',
      name: 'implementer',
      verdict: 'PASS',
      exit: 'exit 0',
    })
    expect(JSON.stringify(json)).not.toContain('nonce')
  })

  test('explain says why, what it waits for and what would move it', async () => {
    const text = await repo.muster('explain', 'p-2')
    expect(text).toMatchObject({ code: 0, stderr: '' })
    expect(text.stdout).toContain('muster accept p-2')
    const json = (await repo.here('explain', 'p-10', '--json')).json<Explanation>()
    expect(json).toMatchObject({ id: 'p-10', stage: 'blocked', phase: null })
    expect(json.waitingFor).toContain('p-2')
    expect(json.history[0]).toMatchObject({ type: 'task-created', actor: 'muster' })
  })

  test('logs of the last run, of a named one, and as JSON', async () => {
    expect((await repo.muster('logs', 'p-1')).stdout).toBe('says p-1\n')
    expect((await repo.here('logs', 'p-1', '--run', 'r1', '-f')).stdout).toBe('says p-1\n')
    const json = (await repo.here('logs', 'p-1', '--json')).json<{ task: string; run: RunView; log: string }>()
    expect(json).toMatchObject({ task: 'p-1', run: { id: 'p-1.r1' }, log: 'says p-1\n' })
    expect(await repo.here('logs', 'p-1', '--run', 'r9')).toMatchObject({ code: 5, stdout: '' })
    expect(await repo.here('logs', 'p-10')).toMatchObject({ code: 5, stdout: '' })
  })

  test('diff of what landed, of what waits, and of nothing', async () => {
    expect((await repo.muster('diff', 'p-1')).stdout).toContain('+by p-1')
    expect((await repo.here('diff', 'p-2', '--stat')).stdout).toContain('p-2.txt')
    const json = (await repo.here('diff', 'p-2', '--json')).json<Record<string, string>>()
    expect(Object.keys(json)).toEqual(['task', 'from', 'to', 'stat', 'patch'])
    expect(json['patch']).toContain('+by p-2')
    expect(await repo.here('diff', 'p-10')).toMatchObject({ code: 5, stdout: '' })
  })

  test('open of a task without a workspace ends with 5 and says where its result is', async () => {
    const refused = await repo.muster('open', 'p-1')
    expect(refused).toMatchObject({ code: 5, stdout: '' })
    expect(refused.stderr).toMatch(/its work has landed as [0-9a-f]{12}[\s\S]*muster diff p-1/)
    expect((await repo.here('open', 'p-2')).stderr).toContain('git switch muster/task/p-2')
  })

  test('H-10, S3.7 run and doctor say that nobody checks the work, and what of a rules file is not used', async () => {
    const repo = makeRepo()
    repo.write('test-activity-rules.json', JSON.stringify({ hotspots: [] }))
    const run = await repo.here('run', 'Add a file')
    for (const said of [run.stderr, (await repo.here('doctor')).stdout]) {
      expect(said.match(/note: (?:no checker is configured|no judge reviews the work)/g)).toHaveLength(1)
      expect(said).toContain('note: test-activity-rules.json: "hotspots" is not used')
    }
  })

  test('doctor is content', async () => {
    const text = await repo.muster('doctor')
    expect(text).toMatchObject({ code: 0 })
    expect(text.stdout).toMatch(/history .*events/)
    const json = (await repo.here('doctor', '--json')).json<{
      ok: boolean
      findings: { what: string; ok: boolean }[]
    }>()
    expect(json.ok).toBe(true)
    expect(json.findings.map(({ what }) => what)).toEqual([
      'git',
      'repository',
      'configuration',
      'commands',
      'roles',
      'sandbox',
      'limits',
      'data',
      'mirror',
      'history',
      'checks',
    ])
  })

  test('a reader that had enough is no crash', () => {
    const env = cleanEnv(repo.home, repo.musterHome)
    const script = `'${process.execPath}' '${cliFile}' explain p-1 | head -1; echo "\${PIPESTATUS[0]}"`
    const out = execFileSync('bash', ['-c', `${script} 2>&1`], { cwd: repo.dir, env, encoding: 'utf8' })
    expect(out.trim().split('\n')).toEqual([expect.stringContaining('p-1: stage completed'), '0'])
  })

  test('colours only where somebody asks for them', async () => {
    expect((await repo.muster('status')).stdout).not.toContain('\u001B')
    const forced = await repo.musterWith({ env: { FORCE_COLOR: '1' } }, 'status')
    expect(forced.stdout).toContain('\u001B[')
    const none = await repo.musterWith({ env: { NO_COLOR: '1' } }, 'status')
    expect(none.stdout).not.toContain('\u001B')
  })

  test('looking at an untouched project stores nothing', async () => {
    const fresh = makeRepo()
    expect((await fresh.muster('status')).stdout).toContain('no tasks yet')
    expect(await fresh.here('show', '1')).toMatchObject({ code: 5 })
    expect(existsSync(fresh.musterHome)).toBe(false)
  })
})

test('logs -f follows a run to its end; open names its folder while it is at work', async () => {
  const repo = makeRepo({ agent: 'echo begun; mkfifo "$HOME/gate"; cat "$HOME/gate"; echo over; echo x >x.txt' })
  const run = repo.start('run', 'Do this now', '--json')
  await run.saw(/implementer started/)
  const follow = repo.start('logs', '1', '-f')
  await follow.saw(/begun/)
  const open = await repo.muster('open', '1')
  expect(open).toMatchObject({ code: 0 })
  expect(existsSync(join(open.stdout.trim(), 'README.md'))).toBe(true)
  expect((await repo.muster('status', '--json')).json<StatusDocument>().tasks[0]).toMatchObject({ stage: 'running' })
  execFileSync('sh', ['-c', 'echo passed >"$1"', 'sh', join(repo.home, 'gate')])
  expect(await follow.ended).toMatchObject({ code: 0, stdout: 'begun\npassed\nover\n' })
  expect((await run.ended).json<RunDocument>().tasks[0]).toMatchObject({ status: 'completed' })
})

test('logs -f ends with 130 on Ctrl-C and leaves the run alone', async () => {
  const repo = makeRepo({ agent: 'echo begun; mkfifo "$HOME/gate"; cat "$HOME/gate"; echo done >done.txt' })
  const run = repo.start('run', 'Do this now')
  await run.saw(/implementer started/)
  const follow = repo.start('logs', '1', '-f')
  await follow.saw(/begun/)
  follow.signal('SIGINT')
  const { code, signal } = await follow.ended
  expect(code === 130 || signal === 'SIGINT').toBe(true)
  execFileSync('sh', ['-c', 'echo passed >"$1"', 'sh', join(repo.home, 'gate')])
  expect(await run.ended).toMatchObject({ code: 0 })
})
