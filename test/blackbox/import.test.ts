/** `muster import`: a plan of another orchestrator, half done there, becomes a story here. */
import { expect, test } from 'vitest'
import { receiver } from '../support/receiver.ts'
import { makeRepo, type ErrorDocument } from '../support/muster.ts'

const PLAN = `meta:
  name: Login
  description: People log in
  plan_doc: docs/plans/login.md
  max_attempts_default: 3
  budget_limit_usd: 5
  validation: { enabled: false }
sections:
  - id: phase-1
    name: First
    status: completed
    tasks:
      - { id: 1.10, name: Make a table, status: verified, description: Users, result_message: done }
  - id: phase-2
    name: Second
    tasks:
      - id: 2.1
        name: Write the form
        status: failed
        description: A form with a label.
        dependencies: [1.10]
        parallel_group: ui
        max_attempts: 2
        spec_ref: docs/login.md#form
        agent: frontend-coder
        validation_findings: "[FAIL] form.html:3 has no label"
        last_error: timeout
      - { id: 2.2, name: Link to it, status: pending, depends_on: [2.1, 1.10], exclusive_resources: [db] }
`

test('B4 what is open is taken over with what was found before, what is finished left out, and the rest told', async () => {
  const repo = makeRepo()
  repo.write('login.yaml', PLAN)
  const dry = await repo.here('import', 'login.yaml', '--dry-run', '--json')
  expect(dry.json()).toMatchObject({
    story: { id: 'login', name: 'Login' },
    tasks: [
      { id: 'login-2.1', wave: 1, dependsOn: [], agent: 'implementer', maxRounds: 2 },
      { id: 'login-2.2', wave: 2, dependsOn: ['login-2.1'], maxRounds: 3 },
    ],
  })
  for (const said of [
    'note: "meta.budget_limit_usd" is not used: agents.implementer is a command, and Muster cannot know its cost',
    'note: "tasks.parallel_group" is not used',
    'note: "tasks.exclusive_resources" is not used',
    'note: there is no role "frontend-coder" here; the implementer does its tasks',
    'already finished, left out: 1.10',
  ]) {
    expect(dry.stderr).toContain(said)
  }
  expect(dry.stderr).not.toContain('max_attempts')
  expect((await repo.here('status', '--json')).json()).toMatchObject({ stories: [], tasks: [] })

  expect((await repo.here('import', 'login.yaml')).stderr).toContain('story login: 2 tasks\n  next: muster run')
  expect((await repo.here('show', 'login-2.1', '--json')).json()).toMatchObject({
    instructions: 'A form with a label.\n\nFound before:\n- [FAIL] form.html:3 has no label\n- timeout',
    status: 'not-started',
    specRef: 'docs/login.md#form',
  })
  // Once more is the same story.
  expect((await repo.here('import', 'login.yaml')).stderr).toContain('story login continues')
  expect((await repo.here('run')).code).toBe(0)
  expect(repo.git('show', 'muster/story/login:login-2.2.txt')).toBe('by login-2.2\n')
})

test('B4, D-3 what is validated there is validated here, though nobody plays the role that did it', async () => {
  const repo = makeRepo({ config: '  validator: { runtime: command, run: "true", verdict: file }\n' })
  repo.write(
    'login.yaml',
    'meta: { name: Login, validation: { enabled: true, run_after: [coder, painter] } }\nsections: [{ tasks: [{ id: 1, name: Form, agent: coder }] }]\n',
  )
  const dry = await repo.here('import', 'login.yaml', '--dry-run')
  expect(dry.stdout).toContain('validate: agent validator')
  expect(dry.stderr).toContain('there is no role "coder" here')
})

test('S2.18 what happens while no engine runs is told by the next one, which alone has the secrets of channels', async () => {
  const hook = await receiver()
  const repo = makeRepo({ config: 'notify: [{ slack: { urlEnv: HOOK } }]' })
  repo.write('plan.yaml', 'tasks: [{ id: 1, name: A }, { id: 2, name: B, depends_on: [1] }]\n')
  try {
    await repo.here('import', 'plan.yaml')
    await repo.here('cancel', 'plan-1')
    await repo.hereWith({ env: { HOOK: hook.url } }, 'run')
    await hook.got(1)
    expect(hook.received[0]?.body).toContain('plan-2 cannot start: they depend on plan-1')
  } finally {
    hook.close()
  }
})

test.each([
  ['tasks: [{ id: 1, name: A, status: verified }]', 'bad.yaml:1: all its tasks are finished'],
  [
    'meta: { name: X }\nsections:\n  - tasks:\n      - { id: 0, name: Z, status: skipped }\n      - { id: 1, name: A, depends_on: [9] }',
    'bad.yaml:5: unknown dependency "9"',
  ],
  ['tasks:\n  - { id: 1 }', 'bad.yaml:2: tasks.0 needs "name"'],
  ['sections: 5', 'bad.yaml:1: the plan has no tasks'],
  ['- a\n- b', 'the plan has no tasks'],
])('what cannot be a plan is refused with its own line: %j', async (text, message) => {
  const repo = makeRepo()
  repo.write('bad.yaml', text)
  const refused = await repo.here('import', 'bad.yaml', '--json')
  expect(refused.code).toBe(2)
  expect(refused.json<ErrorDocument>().error.message).toContain(message)
})
