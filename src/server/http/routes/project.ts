/** The whole project: its state, cost and figures, its events, and the description of the API. */
import { requireStory, costView, statusView } from '../../../engine/views/overview.ts'
import { statistics } from '../../../engine/views/stats.ts'
import { MusterError } from '../../../domain/errors.ts'
import { configNotes } from '../../../config/role-notes.ts'
import { openApi } from '../openapi.ts'
import { GIT, HttpError } from '../problems.ts'
import { eventsQuery, statusQuery, storyQuery } from '../requests.ts'
import { answer, route } from '../route.ts'
import { presentConfig } from '../service.ts'

export const projectRoutes = [
  route({
    method: 'GET',
    path: '/api/status',
    name: 'status',
    summary: 'Stories and open tasks, as muster status --json shows them',
    query: statusQuery,
    answers: { 200: 'Status' },
    problems: ['not_found'],
    async handle({ service, query: { all, ...query } }) {
      const { store, dataDir, clock } = service
      const open = all === true ? undefined : true
      return answer(
        'Status',
        await statusView(store, dataDir, { ...query, open }, clock.now(), await presentConfig(service)),
      )
    },
  }),
  route({
    method: 'GET',
    path: '/api/cost',
    name: 'cost',
    summary: 'What agents cost, by day, story, role and program',
    query: storyQuery,
    answers: { 200: 'Spent' },
    problems: ['not_found'],
    handle: async ({ service, query }) => answer('Spent', await costView(service.store, query.story)),
  }),
  route({
    method: 'GET',
    path: '/api/stats',
    name: 'stats',
    summary: 'How often people overrule judges, how many rounds work takes, cost by role',
    query: storyQuery,
    answers: { 200: 'Stats' },
    problems: ['not_found'],
    async handle({ service: { store }, query: { story } }) {
      if (story !== undefined) await requireStory(store, story)
      return answer('Stats', await statistics(store, story))
    },
  }),
  route({
    method: 'GET',
    path: '/api/events',
    name: 'events',
    summary: 'Events as they happen (server-sent events); resumes after Last-Event-ID',
    query: eventsQuery,
    answers: {},
    problems: [],
    stream: 'always',
    async handle({ service, streams, feed, query, incoming, outgoing }) {
      const after = lastEventId(incoming.headers['last-event-id']) ?? query.after
      const { task, story, output = false } = query
      const stream = streams.begin(outgoing)
      feed.join(stream, { after, task, story, news: output }).catch((error: unknown) => {
        service.emit({ type: 'http-failed', error: String(error) })
        stream.end()
      })
      return 'streamed'
    },
  }),
  route({
    method: 'GET',
    path: '/api/notes',
    name: 'notes',
    summary: 'Notes on the setup of the project, as muster doctor prints them',
    answers: { 200: 'Notes' },
    problems: ['config', GIT],
    async handle({ service }) {
      const { config } = await service.project()
      const unkept = await service.sandboxNote(config)
      return answer('Notes', { notes: [...(unkept === null ? [] : [unkept]), ...configNotes(config)] })
    },
  }),
  ...(['pause', 'resume'] as const).map((verb) =>
    route({
      method: 'POST',
      path: `/api/${verb}`,
      name: verb,
      summary:
        verb === 'pause' ? 'Start nothing new, and stop the time limits of running work' : 'Continue after a pause',
      answers: { 200: 'Paused' },
      handle: async ({ commands }) => answer('Paused', await commands.pause({ paused: verb === 'pause' })),
    }),
  ),
  route({
    method: 'POST',
    path: '/api/link',
    name: 'newLink',
    summary: 'A new link that opens the board in a browser, once',
    answers: { 201: 'Link' },
    handle: async ({ link, asker }) => answer('Link', { link: link(asker) }, { status: 201 }),
  }),
  route({
    method: 'POST',
    path: '/api/session',
    name: 'enter',
    summary: 'Exchange the key of a link for a session of the board, once; needs no token',
    body: 'Enter',
    answers: { 201: 'Session' },
    problems: ['unauthorized'],
    open: true,
    async handle({ body: { key }, enter }) {
      const session = enter(key)
      if (session !== null) return answer('Session', { session }, { status: 201 })
      throw new HttpError('unauthorized', 'the link was already used, or has expired', 'muster serve prints a new one')
    },
  }),
  route({
    method: 'GET',
    path: '/api/openapi.json',
    name: 'openapi',
    summary: 'This description',
    answers: { 200: 'application/json' },
    handle: async ({ routes }) => ({ json: openApi(routes) }),
  }),
  route({
    method: 'GET',
    path: '/api/health',
    name: 'health',
    summary: 'Whether the server is up; needs no token',
    answers: { 200: 'Health' },
    open: true,
    handle: async () => answer('Health', { ok: true }),
  }),
]

function lastEventId(header: string | string[] | undefined): number | undefined {
  if (header === undefined || header === '') return undefined
  const id = Number(header)
  if (Number.isSafeInteger(id) && id >= 0) return id
  throw new MusterError('usage', 'Last-Event-ID is not the id of an event', {
    hint: 'send the id of the last event you got',
  })
}
