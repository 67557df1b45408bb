/** The API as a program uses it, on a real engine: each answer has exactly the shape that the document says. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Said } from '../../../test/support/http.ts'
import { Api } from '../../../test/support/http.ts'
import { BY_PERSON } from '../../../test/support/maps.ts'
import { World } from '../../../test/support/world.ts'
import type { AnswerName } from './answers.ts'
import { ANSWERS } from './answers.ts'

let api: Api

beforeAll(async () => {
  const world = await World.create({ config: `phases: ${BY_PERSON}\nchecks: { unit: "true" }\n` })
  world.agent(
    'default',
    'echo "\u001B[31mworking\u001B[0m on $MUSTER_TASK_ID"; echo x >$MUSTER_TASK_ID.txt; verdict pass',
  )
  api = await Api.of(world)
})
afterAll(() => api.close())

/** The answer, if it is what the document says: a field that is not described would be missing in what was parsed. */
function fits(name: AnswerName, said: Said, status = 200): Record<string, unknown> {
  expect(said, said.text).toMatchObject({ status })
  expect(ANSWERS[name].parse(said.json)).toEqual(said.json)
  return said.json
}

const settled = async (story?: string) => api.world.engine.settled(story)

test('a story comes, runs, and is looked at from all sides (DESIGN 11)', async () => {
  const tasks = [
    {
      name: 'One',
      instructions: 'Write one.',
      acceptance_criteria: 'open-the-shop-1.txt exists',
      checks: ['unit'],
      spec_ref: 'docs/shop.md#one',
    },
    { name: 'Two', depends_on: ['One'], subtasks: [{ name: 'Half of two' }] },
  ]
  const created = await api.post('/api/stories', { name: 'Open the shop', tasks })
  expect(fits('Submitted', created, 201)).toMatchObject({
    created: true,
    added: ['open-the-shop-1', 'open-the-shop-2', 'open-the-shop-2.1'],
  })
  expect(created.headers['location']).toBe('/api/stories/open-the-shop')
  expect(fits('Submitted', await api.post('/api/stories', { name: 'Open the shop', tasks }))).toMatchObject({
    created: false,
    added: [],
  })
  await settled('open-the-shop')

  const one = await api.get('/api/tasks/open-the-shop-1')
  expect(fits('Task', one)).toMatchObject({
    stage: 'review',
    acceptanceCriteria: 'open-the-shop-1.txt exists',
    checks: ['unit'],
  })
  expect(one.json).toMatchObject({ specRef: 'docs/shop.md#one' })
  expect((await api.get('/api/tasks/open-the-shop-2')).json).toMatchObject({ specRef: null })
  expect(one.headers['etag']).toBe(`"${String(one.json['version'])}"`)
  expect(fits('StoryWithTasks', await api.get('/api/stories/open-the-shop?limit=2'))).toMatchObject({
    tasks: { 'in-progress': 2, 'not-started': 1 },
    page: { items: [{ id: 'open-the-shop-1' }, { id: 'open-the-shop-2' }], next: 'open-the-shop-2' },
  })
  expect(fits('StoryPage', await api.get('/api/stories'))).toMatchObject({
    items: [{ id: 'open-the-shop' }],
    next: null,
  })
  expect(fits('Explanation', await api.get('/api/tasks/open-the-shop-1/explain'))).toMatchObject({ stage: 'review' })
  expect(fits('Changes', await api.get('/api/tasks/open-the-shop-1/diff'))['patch']).toContain('+x')
  const attempts = fits('Attempts', await api.get('/api/tasks/open-the-shop-1/attempts'))
  expect(attempts).toMatchObject({ items: [{ id: 'open-the-shop-1.r1', verdict: 'PASS' }] })
  expect(JSON.stringify(attempts)).not.toContain('nonce')

  const history = fits('History', await api.get('/api/tasks/open-the-shop-1/events?limit=2'))
  expect(history).toMatchObject({
    items: [{ type: 'task-created', n: 1, story: 'open-the-shop' }, { n: 2 }],
    next: '2',
  })
  const rest = fits('History', await api.get('/api/tasks/open-the-shop-1/events?after=2'))
  expect(rest).toMatchObject({ items: expect.arrayContaining([expect.objectContaining({ n: 3 })]), next: null })
})

test('one run: its log safe to show, as it came, from an offset, as a stream; and what it was told', async () => {
  const log = await api.get('/api/attempts/open-the-shop-1.r1/log')
  expect(log).toMatchObject({ status: 200, text: 'working on open-the-shop-1\n' })
  expect(log.headers).toMatchObject({
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'muster-next-offset': '27',
  })
  const raw = await api.get('/api/attempts/open-the-shop-1.r1/log?raw')
  expect(raw.text).toBe('\u001B[31mworking\u001B[0m on open-the-shop-1\n')
  expect((await api.get('/api/attempts/open-the-shop-1.r1/log?offset=11')).text).toBe('open-the-shop-1\n')
  expect((await api.get('/api/attempts/open-the-shop-1.r1/log?offset=999')).text).toBe('')
  const stream = await api.stream('/api/attempts/open-the-shop-1.r1/log')
  expect(await stream.until(({ event }) => event === 'end')).toMatchObject([
    { event: 'message', data: { text: 'working on open-the-shop-1\n' } },
    { event: 'end' },
  ])
  expect((await api.get('/api/attempts/open-the-shop-1.r1/prompt')).text).toContain('Write one.')
})

test('a log is followed while its run is at work', async () => {
  const { world } = api
  const gate = world.gate('work')
  world.agent('task-1.implementer.1', 'echo first; gate work; echo second; verdict pass')
  const added = await api.post('/api/tasks', { title: 'Write it', agent: null })
  expect(fits('Task', added, 201)).toMatchObject({ id: 'task-1', title: 'Write it', instructions: 'Write it' })
  expect(added.headers['location']).toBe('/api/tasks/task-1')
  world.engine.include(undefined)
  await world.until((event) => event.type === 'output' && event.task === 'task-1')
  const stream = await api.stream('/api/attempts/task-1.r1/log')
  expect(await stream.next()).toMatchObject({ data: { text: 'first\n' } })
  await gate.open()
  const after = await stream.until(({ event }) => event === 'end')
  expect(after.map(({ data }) => data['text'] ?? '').join('')).toBe('second\n')
  await settled()
})

test('what waits for a person, and cards of tasks, whichever of them there are', async () => {
  const { items } = fits('Needs', await api.get('/api/needs')) as { items: { id: string; kind: string }[] }
  expect(items).toContainEqual(expect.objectContaining({ id: 'open-the-shop-1', kind: 'review' }))
  expect(fits('Cards', await api.get('/api/cards?ids=open-the-shop-1,nobody'))).toMatchObject({
    items: [
      {
        id: 'open-the-shop-1',
        stage: 'review',
        criteria: expect.arrayContaining([{ id: 'c1', activity: 'unit', status: 'pending' }]) as unknown[],
      },
    ],
  })
  const many = Array.from({ length: 101 }, (_, n) => `t-${n}`).join(',')
  expect(await api.get(`/api/cards?ids=${many}`)).toMatchObject({ status: 400, json: { code: 'usage' } })
  expect(await api.get('/api/cards')).toMatchObject({ status: 400, json: { code: 'usage' } })
})

test('lists come in pages, by story and by what is open', async () => {
  for (const title of ['B', 'C', 'D']) await api.post('/api/tasks', { title, dependsOn: ['task-1'] })
  const first = fits('TaskPage', await api.get('/api/tasks?limit=4'))
  const ids = (page: Record<string, unknown>) => (page['items'] as { id: string }[]).map(({ id }) => id)
  expect([ids(first), first['next']]).toEqual([
    ['open-the-shop-1', 'open-the-shop-2', 'open-the-shop-2.1', 'task-1'],
    'task-1',
  ])
  const second = fits('TaskPage', await api.get('/api/tasks?limit=4&after=task-1'))
  expect([ids(second), second['next']]).toEqual([['task-2', 'task-3', 'task-4'], null])
  expect(ids(fits('TaskPage', await api.get('/api/tasks?story=open-the-shop&open')))).toHaveLength(3)
  expect(fits('Status', await api.get('/api/status?limit=1'))).toMatchObject({
    counts: { 'in-progress': 3 },
    tasks: [{ id: 'open-the-shop-1' }],
    next: 'open-the-shop-1',
    unsaved: 0,
  })
})

test('F-11 decisions: with the version that was seen, or a problem; what is decided is the server user’s', async () => {
  const seen = await api.get('/api/tasks/open-the-shop-1')
  const version = Number(seen.json['version'])
  const stale = await api.post('/api/tasks/open-the-shop-1/accept', {}, { 'If-Match': `"${version - 1}"` })
  expect(fits('Problem', stale, 409)).toMatchObject({ code: 'conflict' })
  const wordless = await api.post('/api/tasks/open-the-shop-1/reject')
  expect(fits('Problem', wordless, 400)).toMatchObject({ code: 'usage' })
  expect((await api.get('/api/tasks/open-the-shop-1')).json['version']).toBe(version)
  const headers = { 'If-Match': `"${version}"` }
  const both = await Promise.all([
    api.post('/api/tasks/open-the-shop-1/accept', { message: 'fine' }, headers),
    api.post('/api/tasks/open-the-shop-1/cancel', { message: 'no' }, headers),
  ])
  expect(both.map(({ status }) => status)).toEqual([200, 409])
  fits('Task', both[0])
  await settled()
  const history = await api.get('/api/tasks/open-the-shop-1/events')
  expect(history.json['items']).toContainEqual(
    expect.objectContaining({ type: 'decision', actor: 'tester', data: expect.objectContaining({ message: 'fine' }) }),
  )
  expect((await api.get('/api/tasks/open-the-shop-1')).json).toMatchObject({ status: 'completed' })
  const late = await api.post('/api/tasks/open-the-shop-1/accept', { reason: 'again' })
  expect(fits('Problem', late, 409)).toMatchObject({ code: 'gate_closed' })

  expect(fits('Task', await api.post('/api/tasks/task-4/cancel', { reason: 'not needed' }))).toMatchObject({
    status: 'cancelled',
  })
  expect(fits('Task', await api.post('/api/tasks/task-4/retry'))).toMatchObject({ status: 'not-started' })
  const task1 = '/api/tasks/task-1'
  const comments = [
    { file: 'task-1.txt', line: 1, message: 'not x' },
    { file: 'src/new file.ts', line: 40, message: 'missing' },
  ]
  for (const wrong of [
    { comments: [{ file: '../x', line: 1, message: 'out' }] },
    { comments: [{ file: 'a', line: 0, message: 'no line' }] },
    { comments: [{ file: 'a', line: 1, message: '' }] },
    { comments: [{ file: 'a', line: 1, message: 'x', side: 'left' }] },
    { comments: Array.from({ length: 101 }, () => comments[0]) },
  ]) {
    expect(fits('Problem', await api.post(`${task1}/reject`, wrong), 400)).toMatchObject({ code: 'usage' })
  }
  expect(fits('Problem', await api.post(`${task1}/accept`, { comments }), 400)).toMatchObject({ code: 'usage' })
  expect(fits('Task', await api.get(task1))).toMatchObject({ actions: ['accept', 'reject', 'cancel'], lands: 'main' })
  expect(fits('Task', await api.post(`${task1}/reject`, { message: 'more', comments }))).toMatchObject({ round: 0 })
  await settled()
  expect(fits('Task', await api.get(task1))).toMatchObject({
    round: 1,
    findings: [{ message: 'more' }, ...comments.map((comment) => ({ ...comment, source: 'human-approval', round: 0 }))],
  })
  const decisions = ((await api.get(`${task1}/events`)).json['items'] as { type: string }[]).filter(
    ({ type }) => type === 'decision',
  )
  expect(decisions).toMatchObject([{ data: { kind: 'reject', message: 'more', comments } }])
  const prompt = (await api.get('/api/attempts/task-1.r2/prompt')).text
  for (const line of ['] more', '] task-1.txt:1 not x', '] src/new file.ts:40 missing']) expect(prompt).toContain(line)
  expect(fits('Task', await api.post('/api/tasks/task-1/approve', { message: 'land it' }))).toMatchObject({
    id: 'task-1',
  })
})

test('what a task changed, attempt by attempt, and since one', async () => {
  const { world } = api
  const { id } = await world.add('Count up', { phases: null })
  world.agent(id, 'seq 1 $MUSTER_ATTEMPT >count.txt; verdict pass')
  await world.until(({ type, task, to }) => type === 'phase-entered' && task === id && to === 'review')
  await world.reject(id, 'more')
  await world.until(
    ({ type, task, to, round }) => type === 'phase-entered' && task === id && to === 'review' && round === 1,
  )
  const diff = async (query: string) => fits('Changes', await api.get(`/api/tasks/${id}/diff${query}`))
  expect(await diff('')).toMatchObject({ patch: expect.stringContaining('+1\n+2\n') as string, cut: [], leftOut: 0 })
  expect((await diff('?attempt=1'))['patch']).toMatch(/\+1\n$/)
  expect((await diff('?since=1'))['patch']).toContain(' 1\n+2\n')
  expect(fits('Problem', await api.get(`/api/tasks/${id}/diff?attempt=7`), 404)).toMatchObject({ code: 'not_found' })
  expect((await api.get(`/api/tasks/${id}/diff?attempt=0`)).status).toBe(400)
})

test('cost, figures, health and the document', async () => {
  fits('Spent', await api.get('/api/cost'))
  fits('Spent', await api.get('/api/cost?story=open-the-shop'))
  fits('Stats', await api.get('/api/stats'))
  fits('Health', await api.get('/api/health', { Authorization: '' }))
  expect((await api.get('/api/openapi.json')).json).toMatchObject({ openapi: '3.1.0' })
})

test('what is created runs under what muster.yaml says now, and what it does not allow is a problem', async () => {
  const unknown = { title: 'X', checks: ['smoke'] }
  expect(fits('Problem', await api.post('/api/tasks', unknown), 400)).toMatchObject({ code: 'config' })
  const plan = { name: 'Bad', tasks: [{ name: 'A', depends_on: ['B'] }] }
  const refused = fits('Problem', await api.post('/api/stories', plan), 400)
  expect(refused).toMatchObject({ code: 'config', detail: expect.stringContaining('tasks:1: unknown dependency "B"') })
  for (const [path, body] of [
    ['/api/tasks', { title: 'X', story: 'nowhere' }],
    ['/api/tasks', { title: 'X', dependsOn: ['nothing'] }],
  ] as const) {
    expect(fits('Problem', await api.post(path, body), 404)).toMatchObject({ code: 'not_found' })
  }
})

test('S0.25 vague criteria are a problem with a code and how to word them, and nothing is created', async () => {
  const task = await api.post('/api/tasks', { title: 'Fix it', acceptanceCriteria: 'It works' })
  const story = { name: 'Vague', tasks: [{ name: 'A' }, { name: 'B', acceptance_criteria: ['code looks good'] }] }
  for (const said of [task, await api.post('/api/stories', story)]) {
    expect(said).toMatchObject({ status: 400, json: { code: 'config' } })
    expect(said.json['detail']).toMatch(/cannot be verified: .* such as: /)
  }
  expect((await api.get('/api/stories/vague')).status).toBe(404)
})

test('S3.19 a person says what kind of contract a task has, and ends a pause', async () => {
  expect(fits('Paused', await api.post('/api/pause'))).toEqual({ paused: true })
  const { json } = await api.post('/api/tasks', { title: 'Investigate the slow checkout', story: 'open-the-shop' })
  const id = String(json['id'])
  const kinds = async () => (await api.get('/api/needs')).json['items'] as { id: string; kind: string }[]
  expect((await kinds()).find((need) => need.id === id)).toMatchObject({ kind: 'advisory' })
  expect((await kinds()).filter(({ kind }) => kind === 'paused')).toHaveLength(1)
  expect(await api.post(`/api/tasks/${id}/contract`, { type: 'magic' })).toMatchObject({ status: 400 })
  expect(fits('Task', await api.post(`/api/tasks/${id}/contract`, { type: 'advisory' }))).toMatchObject({
    contract: { type: 'advisory', generatedFrom: 'user' },
    waitingFor: 'its turn has not come yet',
  })
  await api.post(`/api/tasks/${id}/cancel`)
  expect(fits('Paused', await api.post('/api/resume'))).toEqual({ paused: false })
  expect((await kinds()).filter(({ kind }) => kind === 'paused')).toEqual([])
})

test('H-10 what people should know about the set-up: nobody checks the work here', async () => {
  const said = fits('Notes', await api.get('/api/notes'))
  expect(said).toEqual({
    notes: [
      expect.stringMatching(/^agents run without a sandbox \(sandbox: off/),
      expect.stringContaining('no judge reviews the work'),
    ],
  })
})

test('H-8, S2.33 a task may say where its specification is', async () => {
  const said = await api.post('/api/tasks', { title: 'Fix the form', specRef: 'SPEC-7' })
  expect(fits('Task', said, 201)).toMatchObject({ specRef: 'SPEC-7' })
  expect(await api.post('/api/tasks', { title: 'X', specRef: 'a\nb' })).toMatchObject({ status: 400 })
})
