/** The whole flow of S0 over HTTP, with scripted agents: from a goal to REVIEW_READY, and to NEEDS_FIX with fix tasks. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { Api } from '../support/http.ts'
import { ACCEPTED } from '../support/maps.ts'
import { World } from '../support/world.ts'

let api: Api
afterEach(() => api.close())

const DRAFT = {
  name: 'Health',
  tasks: [
    { name: 'Add the endpoint', instructions: 'In app.js.', acceptance_criteria: ['GET /health answers 200'] },
    {
      name: 'Document it',
      instructions: 'In docs.',
      acceptance_criteria: ['docs/api.md names /health'],
      depends_on: ['Add the endpoint'],
    },
  ],
}

/** A world that deploys: each script leaves a line for each time it ran. */
async function serve(smoke: string): Promise<void> {
  const world = await World.create({ roles: ['implementer', 'checker', 'elaborator'], config: `phases: ${ACCEPTED}\n` })
  world.agent('elaborator', `cat <<'END'\n${JSON.stringify(DRAFT)}\nEND\nverdict pass`)
  world.agent('implementer', 'echo "$MUSTER_TASK_ID" >"$MUSTER_TASK_ID.txt"; verdict pass')
  world.agent('health-2.checker', 'verdict fail "docs/api.md does not name /health"')
  for (const [name, text] of [
    ['deploy', 'true'],
    ['smoke', smoke],
  ]) {
    writeFileSync(join(world.top, `${name}.sh`), `echo x >>'${world.top}/${name}.ran'\n${text}\n`)
  }
  const file = join(world.repository, 'muster.yaml')
  const more = `deploy: sh ${world.top}/deploy.sh\npostDeploy: sh ${world.top}/smoke.sh\n`
  writeFileSync(file, readFileSync(file, 'utf8') + more)
  api = await Api.of(world)
}

const ran = (name: string) => {
  const file = join(api.world.top, `${name}.ran`)
  return existsSync(file) ? readFileSync(file, 'utf8').length / 2 : 0
}

/** Waits, by events alone, until the story says this of itself. */
async function reaches(state: string): Promise<void> {
  await api.world.until(({ type, to }) => type === 'story-moved' && to === state)
}

/** From the goal to a story that can be shipped, with one check overruled on the way. */
async function shippable(): Promise<void> {
  const elaborated = await api.post('/api/stories/elaborate', { goal: 'Show whether we are up' })
  expect(elaborated).toMatchObject({ status: 202, json: { status: 'elaborating' } })
  await api.world.engine.settled(null)
  const draft = await api.get(String(elaborated.headers['location']))
  expect(draft.json).toMatchObject({
    goal: 'Show whether we are up',
    status: 'waiting',
    revision: 'task-1.r1',
    warnings: [],
    lint: [],
    draft: { name: 'Health' },
    story: null,
  })
  const old = { draft: draft.json['id'], revision: 'task-1.r0' }
  expect(await api.post('/api/stories/approve', old)).toMatchObject({ status: 409, json: { code: 'conflict' } })
  const approved = await api.post('/api/stories/approve', { draft: draft.json['id'], revision: 'task-1.r1' })
  expect(approved).toMatchObject({
    status: 201,
    json: { story: { id: 'health', state: 'OPEN' }, added: ['health-1', 'health-2'] },
  })
  expect(await api.post('/api/stories/approve', { draft: draft.json['id'] })).toMatchObject({ status: 409 })
  expect((await api.get(String(elaborated.headers['location']))).json).toMatchObject({ story: 'health' })
  expect(await api.post('/api/stories/health/ship', {})).toMatchObject({ status: 409, json: { code: 'gate_closed' } })
  await api.world.engine.settled('health')

  expect((await api.get('/api/tasks/health-1')).json).toMatchObject({
    status: 'completed',
    checker: { status: 'passed' },
  })
  expect((await api.get('/api/tasks/health-2')).json).toMatchObject({
    stage: 'review',
    checker: { status: 'failed' },
    checkerReport: { kind: 'failed', text: 'docs/api.md does not name /health' },
  })
  expect((await api.get('/api/stories/health')).json).toMatchObject({ state: 'OPEN' })
  expect(await api.post('/api/tasks/health-2/accept', {})).toMatchObject({ status: 400, json: { code: 'usage' } })
  expect(await api.post('/api/tasks/health-2/accept', { reason: 'it is in the README' })).toMatchObject({ status: 200 })
  await api.world.engine.settled('health')
  expect((await api.get('/api/tasks/health-2')).json).toMatchObject({
    status: 'completed',
    waiver: { criteria: ['checker', 'c1'], reason: 'it is in the README' },
  })
  expect((await api.get('/api/stories/health')).json).toMatchObject({ state: 'SHIPPABLE', message: null })
}

test('S0.1–S0.11, S0.46–S0.50 from a goal to REVIEW_READY; a hundred Ships at once are one deploy', async () => {
  await serve('ls health-1.txt health-2.txt')
  await shippable()
  const would = (await api.get('/api/stories/health/ship')).json
  const heads = ['muster/story/health', 'main'].map((branch) => api.world.git('rev-parse', branch))
  expect(would).toMatchObject({
    state: 'SHIPPABLE',
    head: heads[0],
    base: heads[1],
    baseMoved: false,
    tasks: { open: 0, completed: 2, failed: 0, cancelled: 0 },
    deferred: { open: false, criteria: [] },
    merge: null,
    deploy: { run: `sh ${api.world.top}/deploy.sh`, timeoutMs: 900_000 },
    judged: false,
    works: [],
    sync: null,
  })
  const [head, base] = heads
  const ship = (expected: object) => api.post('/api/stories/health/ship', { expect: expected })
  for (const [other, branch] of [
    [{ head: base }, 'muster/story/health'],
    [{ head, base: head }, 'main'],
  ] as const) {
    const detail = expect.stringContaining(`the story has changed: ${branch} is at`) as string
    expect(await ship(other)).toMatchObject({ status: 409, json: { code: 'conflict', detail } })
  }
  expect(await ship({ head: 'main' })).toMatchObject({ status: 400, json: { code: 'usage' } })
  const all = await Promise.all(Array.from({ length: 100 }, () => ship({ head, base })))
  const statuses = Map.groupBy(all, ({ status }) => status)
  expect([statuses.get(202)?.length, statuses.get(409)?.length]).toEqual([1, 99])
  expect(statuses.get(202)?.[0]?.json).toMatchObject({ id: 'health', state: 'SHIPPING' })
  for (const state of ['DEPLOYED', 'VALIDATING', 'REVIEW_READY']) await reaches(state)
  await api.world.engine.settled('health')
  expect((await api.get('/api/stories/health')).json).toMatchObject({
    state: 'REVIEW_READY',
    work: { kind: 'validation' },
  })
  expect([ran('deploy'), ran('smoke')]).toEqual([1, 1])
  const { works } = (await api.get('/api/stories/health/ship')).json as { works: { runs: { id: string }[] }[] }
  expect(works).toMatchObject([
    { id: 'health.validation.2', kind: 'validation', status: 'completed' },
    { id: 'health.ship.1', kind: 'ship', status: 'completed', phases: ['verify', 'land', 'deploy'] },
  ])
  // Followed, each log ends with its run, also one of a process that is not Muster's own.
  for (const { id } of [...(works[0]?.runs ?? []), ...(works[1]?.runs.slice(-1) ?? [])]) {
    const log = await api.get(`/api/attempts/${id}/log`, { Accept: 'text/event-stream' })
    expect([log.status, log.text.split('\n\n').at(-2)]).toEqual([200, 'event: end\ndata: {}'])
  }
  expect(await api.get('/api/stories/nobody/ship')).toMatchObject({ status: 404 })
  expect(await api.post('/api/stories/nobody/ship', {})).toMatchObject({ status: 404, json: { code: 'not_found' } })
})

test('S0.9, S0.11 a failing smoke test: NEEDS_FIX, fix tasks, and it can be shipped again', async () => {
  await serve('ls fixed || { echo "the page says 500"; exit 1; }')
  await shippable()
  expect(await api.post('/api/stories/health/ship', {})).toMatchObject({ status: 202 })
  await reaches('NEEDS_FIX')
  await api.world.engine.settled('health')
  expect((await api.get('/api/stories/health')).json).toMatchObject({
    state: 'NEEDS_FIX',
    message: expect.stringContaining('exit 1') as string,
  })
  api.world.agent('implementer', 'echo 1 >fixed; verdict pass')
  const fixes = await api.post('/api/stories/health/fix')
  expect(fixes).toMatchObject({ status: 201, json: { tasks: ['health-extra-1'] } })
  await api.world.engine.settled('health')
  expect((await api.get('/api/stories/health')).json).toMatchObject({ state: 'SHIPPABLE' })
})

test('a draft that somebody edits: what is wrong is told by its field, what nobody could verify by its line', async () => {
  await serve('true')
  const check = async (story: object) => (await api.post('/api/drafts/check', { story })).json
  const task = { name: 'A', acceptance_criteria: ['GET /health answers 200', 'the code looks good'] }
  expect(await check({ name: 'X', tasks: [task, { name: 'B', subtasks: [task] }] })).toMatchObject({
    problems: [],
    lint: [
      { task: '1', line: 1, criterion: 'the code looks good', rewording: expect.stringContaining('such as') as string },
      { task: '2', line: null, problem: 'no acceptance criterion' },
      { task: '2.1', line: 1 },
    ],
  })
  expect(await check({ name: '', tasks: [task, { name: 'B', subtasks: [{ name: '' }] }] })).toMatchObject({
    problems: [
      { task: null, field: 'name', message: 'must not be empty' },
      { task: '2.1', field: 'name', message: 'must not be empty' },
    ],
  })
  const wrong = { name: 'B', subtasks: [{ name: 'C', checks: ['no-such'] }], depends_on: ['9'] }
  expect(await check({ name: 'X', tasks: [task, wrong] })).toMatchObject({
    problems: [
      { task: '2', field: 'depends_on', message: expect.stringContaining('unknown dependency "9"') as string },
      { task: '2.1', field: 'checks', message: expect.stringContaining('unknown check "no-such"') as string },
    ],
  })
  expect(await check({ name: 'X', tasks: [{ ...task, '(': 1 }], '[': 1 })).toMatchObject({
    problems: [{ task: '1', field: '(' }, { task: null }],
  })
  const many = Array.from({ length: 100 }, () => ({ name: '' }))
  expect(await check({ name: 'X', tasks: many })).toMatchObject({ problems: { length: 20 }, lint: [] })
  expect(await check({ name: 'X', tasks: [] })).toMatchObject({ problems: [{ task: null, field: 'tasks' }] })
  expect(await check({ name: 'X', tasks: [{ ...task, depends_on: ['1'] }] })).toMatchObject({
    problems: [{ task: '1', field: 'depends_on', message: expect.stringContaining('cycle') as string }],
  })
})
