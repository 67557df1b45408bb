/** `phases: planned` as a user has it: what run and status say, how the plan is read, approved and sent back. */
import { expect, test } from 'vitest'
import type { Explanation } from '../../src/engine/views/explain.ts'
import type { TaskView } from '../../src/engine/views/views.ts'
import type { ErrorDocument, StatusDocument } from '../support/muster.ts'
import { exited, makeRepo } from '../support/muster.ts'

const agent = `if [ "$MUSTER_ROLE" = planner ]; then
  printf 'Plan %s: \\033]0;owned\\007write it.\\n# Not a heading\\n' "$MUSTER_ROUND"
else echo done >"$MUSTER_TASK_ID.txt"; fi`

test('run stops at the plan, show prints it, reject and accept answer it, and the history says which was approved', async () => {
  const repo = makeRepo({ agent, verdict: 'exit' })
  exited(await repo.here('add', 'Write it down', '--phases', 'planned'), 0)
  const first = exited(await repo.muster('run'), 8)
  expect(first.stdout).toContain('? task-1 is waiting: a person must decide on its plan')
  expect(first.stdout).toContain('muster show task-1 --plan   muster accept task-1   muster reject task-1 -m')
  const { tasks } = (await repo.here('status', '--json')).json<StatusDocument>()
  expect(tasks).toMatchObject([{ stage: 'review', phase: 'approve-plan', needsPerson: true }])
  expect((await repo.here('show', '1', '--plan')).stdout).toBe('Plan 0: write it.\n# Not a heading\n')

  expect((await repo.here('explain', '1')).stdout).toMatch(
    /\nPlan \(task-1\.r1, .*, not approved\)\n {2}Plan 0: write it\.\n {2}# Not/,
  )
  const rejected = exited(await repo.here('reject', '1', '-m', 'say where'), 0)
  expect(rejected.stderr).toContain('task-1 has a rejected plan; the planner gets your comments')
  exited(await repo.here('run'), 8)
  const view = (await repo.here('show', '1', '--json')).json<TaskView>()
  expect(view.plans.map(({ run, approvedBy }) => [run, approvedBy])).toEqual([
    ['task-1.r1', null],
    ['task-1.r2', null],
  ])
  expect((await repo.here('show', '1', '--plan', '--run', 'task-1.r1')).stdout).toContain('Plan 0')
  const missing = exited(
    await repo.here('show', '1', '--plan', '--run', 'task-1.r9', '--json'),
    5,
  ).json<ErrorDocument>()
  expect(missing.error.hint).toBe('its plans are of task-1.r1, task-1.r2')

  const accepted = exited(await repo.here('approve', '1'), 0)
  expect(accepted.stderr).toContain('task-1 has an approved plan; you decide about the work later')
  const digest = view.plans[1]?.digest ?? ''
  const explained = (await repo.here('explain', '1', '--json')).json<Explanation>()
  expect(explained.plan).toMatchObject({ digest, approvedBy: 'tester' })
  expect(explained.history.map(({ text }) => text)).toContain(
    `tester said approve to the plan (${digest.slice(0, 12)}) (scripts may decide)`,
  )
  expect((await repo.here('explain', '1')).stdout).toContain(
    `plan       task-1.r2, ${digest.slice(0, 12)}, approved by tester: muster show task-1 --plan\n`,
  )

  const work = exited(await repo.here('run'), 8)
  expect(work.stdout).toContain('? task-1 is waiting: a person must decide (acceptance)')
  expect(repo.git('log', '--format=%s', 'main')).not.toContain('Write it down')
  exited(await repo.here('accept', '1'), 0)
  exited(await repo.here('run'), 0)
  expect(repo.git('log', '-1', '--format=%s', 'main').trim()).toBe('Write it down')
})

test('kill -9 between the plan and its approval loses nothing, and nothing is planned twice', async () => {
  const repo = makeRepo({ agent, verdict: 'exit', config: 'phases: planned\nprotected: []' })
  const serve = repo.start('serve', '--port', '0')
  await serve.saw(/http:/)
  exited(await repo.here('add', 'Write it down'), 0)
  await serve.saw(/planner ended: PASS/)
  serve.signal('SIGKILL')
  await serve.ended
  exited(await repo.here('run'), 8)
  const { plans, phase } = (await repo.here('show', '1', '--json')).json<TaskView>()
  expect([phase, plans.map(({ run }) => run)]).toEqual(['approve-plan', ['task-1.r1']])
  exited(await repo.here('accept', '1'), 0)
  exited(await repo.here('run'), 8)
  exited(await repo.here('accept', '1'), 0)
  exited(await repo.here('run'), 0)
  expect(repo.git('log', '-1', '--format=%s', 'main').trim()).toBe('Write it down')
})

test('a gate for plans without a planner, and a planner as the author, are refused with what to write', async () => {
  const phases =
    'phases: { work: { run: agent implementer, on_pass: ask }, ask: { run: signal plan-approval, on_pass: land, on_fail: work }, land: { run: action merge, on_pass: done, on_fail: work } }'
  const { stderr } = exited(await makeRepo({ config: phases }).here('run', 'Do it'), 2)
  expect(stderr).toMatch(
    /muster\.yaml:\d+: only a planner's phase may lead to "signal plan-approval": point only the on_pass of a phase/,
  )
  const author = exited(await makeRepo({ config: 'phases: planned' }).here('add', 'Do it', '--agent', 'planner'), 2)
  expect(author.stderr).toContain('planner writes plans and changes no files: name the role that does the task')
})
