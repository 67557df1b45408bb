/** Tasks: list, add, show one, and a person's decisions about it. */
import type { z } from 'zod'
import { castTask } from '../../../config/new-task.ts'
import { MusterError } from '../../../domain/errors.ts'
import { explain } from '../../../engine/views/explain.ts'
import { limitedPrograms } from '../../../engine/loop/rate-limits.ts'
import { taskCards } from '../../../engine/views/cards.ts'
import { needsView } from '../../../engine/views/needs.ts'
import { landsOn, possibleActions } from '../../../engine/views/task-need.ts'
import { Outdated } from '../../../engine/views/outdated.ts'
import { taskPage } from '../../../engine/views/overview.ts'
import { runView } from '../../../engine/views/run-view.ts'
import { taskView } from '../../../engine/views/views.ts'
import type { StoredTask } from '../../../ports/store.ts'
import { Stories, eventView } from '../feed.ts'
import { GIT } from '../problems.ts'
import { needsMax } from '../limits.ts'
import type { REQUESTS } from '../requests.ts'
import { cardsQuery, diffQuery, historyQuery, taskListQuery } from '../requests.ts'
import type { Answer, RequestParts } from '../route.ts'
import { answer, route } from '../route.ts'
import type { HttpService } from '../service.ts'
import { presentConfig } from '../service.ts'

export const limitedNow = ({ store, clock }: HttpService) => limitedPrograms(store, clock.now())

async function requireTask({ store }: HttpService, id: string): Promise<StoredTask> {
  const task = await store.task(id)
  if (task !== null) return task
  throw new MusterError('not_found', `there is no task "${id}"`, { hint: 'GET /api/tasks lists them' })
}

async function taskAnswer(service: HttpService, id: string, status = 200): Promise<Answer> {
  const task = await requireTask(service, id)
  const view = await taskView(service.store, task, await limitedNow(service))
  const { version } = task
  const headers: Record<string, string> = { ETag: `"${version}"` }
  if (status === 201) headers['Location'] = `/api/tasks/${encodeURIComponent(id)}`
  const config = await presentConfig(service)
  const outdated = config === null ? [] : await new Outdated(service.store, config).of(task)
  const actions = await possibleActions(service.store, task, outdated.length > 0)
  return answer('Task', { ...view, version, lands: landsOn(task), outdated, actions }, { status, headers })
}

const VERBS = {
  accept: 'accept the result of a task that needs a person',
  reject: 'send a task back to its author, with comments',
  approve: 'accept a task and allow it to land on a protected branch',
  retry: 'try a failed, cancelled or held task again',
  cancel: 'end a task',
} as const

type Said = z.infer<typeof REQUESTS.Rejection>

async function act(verb: keyof typeof VERBS, asked: RequestParts<unknown, Said>) {
  const { service, commands, id, body, version } = asked
  const { by } = service
  const { spec } = await requireTask(service, id)
  const request = { task: spec.id, by, version }
  const message = body.reason ?? body.message ?? ''
  if (verb === 'retry') await commands.retry({ ...request, config: (await service.project()).config })
  else if (verb === 'cancel') await commands.cancel({ ...request, reason: message })
  else await commands.decide({ ...request, kind: verb, message, comments: body.comments })
  return taskAnswer(service, spec.id)
}

export const taskRoutes = [
  route({
    method: 'GET',
    path: '/api/tasks',
    name: 'listTasks',
    summary: 'Tasks in the order of their ids, a page at a time',
    query: taskListQuery,
    answers: { 200: 'TaskPage' },
    problems: ['not_found'],
    async handle({ service, query: { story, open, after, limit } }) {
      const query = { story, open: open === true ? true : undefined, after, limit }
      const { tasks, next } = await taskPage(service.store, query, await limitedNow(service))
      return answer('TaskPage', { items: tasks, next })
    },
  }),
  route({
    method: 'POST',
    path: '/api/tasks',
    name: 'addTask',
    summary: 'Add one task, as muster add does',
    body: 'NewTask',
    answers: { 201: 'Task' },
    problems: ['config', 'not_found', GIT],
    async handle({ service, commands, body }) {
      const { config: given, root } = await service.project()
      const { task, config } = castTask({ ...body, instructions: body.instructions ?? body.title }, given, root)
      const { id } = await commands.add({ task, config })
      return taskAnswer(service, id, 201)
    },
  }),
  route({
    method: 'GET',
    path: '/api/cards',
    name: 'listCards',
    summary: 'The cards of these tasks for the board; unknown ids are left out',
    query: cardsQuery,
    answers: { 200: 'Cards' },
    async handle({ service, query: { ids } }) {
      return answer('Cards', { items: await taskCards(service.store, ids, await limitedNow(service)) })
    },
  }),
  route({
    method: 'GET',
    path: '/api/needs',
    name: 'listNeeds',
    summary: 'Everything that needs a person, the longest waiting first',
    answers: { 200: 'Needs' },
    handle: async ({ service }) => answer('Needs', await needsView(service.store, needsMax, service.clock.now())),
  }),
  route({
    method: 'GET',
    path: '/api/tasks/{id}',
    name: 'showTask',
    summary: 'One task with its contract, results and findings',
    answers: { 200: 'Task' },
    problems: ['not_found'],
    handle: ({ service, id }) => taskAnswer(service, id),
  }),
  ...(Object.keys(VERBS) as (keyof typeof VERBS)[]).map((verb) =>
    route({
      method: 'POST',
      path: `/api/tasks/{id}/${verb}`,
      name: `${verb}Task`,
      summary: VERBS[verb].replace(/^./, (letter) => letter.toUpperCase()),
      body: verb === 'reject' ? 'Rejection' : 'Decision',
      versioned: true,
      answers: { 200: 'Task' },
      problems: ['not_found', 'gate_closed', 'conflict'],
      handle: (asked) => act(verb, asked),
    }),
  ),
  route({
    method: 'POST',
    path: '/api/tasks/{id}/contract',
    name: 'chooseContract',
    summary: 'Say what kind of contract a task has, before it starts',
    body: 'ContractChoice',
    answers: { 200: 'Task' },
    problems: ['not_found', 'gate_closed', 'conflict', 'config', GIT],
    async handle({ service, commands, id, body: { type } }) {
      const { spec } = await requireTask(service, id)
      const { config } = await service.project()
      await commands.contract({ task: spec.id, by: service.by, config, type, written: null })
      return taskAnswer(service, spec.id)
    },
  }),
  route({
    method: 'GET',
    path: '/api/tasks/{id}/diff',
    name: 'diffTask',
    summary: 'What a task changed: what landed, or its last snapshot against its target',
    query: diffQuery,
    answers: { 200: 'Changes' },
    problems: ['not_found', GIT],
    handle: async ({ service, id, query }) =>
      answer('Changes', await service.changes(await requireTask(service, id), query)),
  }),
  route({
    method: 'GET',
    path: '/api/tasks/{id}/events',
    name: 'taskHistory',
    summary: "A task's history, a page at a time",
    query: historyQuery,
    answers: { 200: 'History' },
    problems: ['not_found'],
    async handle({ service: { store }, service, id, query: { after, limit } }) {
      const { spec } = await requireTask(service, id)
      const behind = (await store.events(`task:${spec.id}`)).filter(({ n }) => n > after)
      const stories = new Stories(store)
      const items = []
      for (const event of behind.slice(0, limit)) items.push(await eventView(event, stories))
      return answer('History', { items, next: behind.length > limit ? String(items.at(-1)?.n) : null })
    },
  }),
  route({
    method: 'GET',
    path: '/api/tasks/{id}/attempts',
    name: 'taskAttempts',
    summary: "A task's runs and those of its checkers, in the order they started",
    answers: { 200: 'Attempts' },
    problems: ['not_found'],
    async handle({ service, id }) {
      const { spec } = await requireTask(service, id)
      const runs = [...(await service.store.runs(spec.id)), ...(await service.store.checkRuns(spec.id))]
      return answer('Attempts', { items: runs.sort((a, b) => a.startedAt - b.startedAt).map(runView), next: null })
    },
  }),
  route({
    method: 'GET',
    path: '/api/tasks/{id}/explain',
    name: 'explainTask',
    summary: 'Why a task is where it is, what it waits for, and what would move it on',
    answers: { 200: 'Explanation' },
    problems: ['not_found'],
    async handle({ service, id }) {
      const task = await requireTask(service, id)
      return answer('Explanation', await explain(service.store, task, await limitedNow(service)))
    },
  }),
]
