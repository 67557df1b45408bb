/** Stories: list, create, show one with its tasks, cancel, archive. */
import { planOfStory } from '../../../config/story-request.ts'
import { requireStory, taskPage } from '../../../engine/views/overview.ts'
import { listedStories, stuckTasks } from '../../../engine/views/story-lists.ts'
import { storyView } from '../../../engine/views/views.ts'
import { GIT } from '../problems.ts'
import { storyListQuery, storyTasksQuery } from '../requests.ts'
import { answer, route } from '../route.ts'
import { limitedNow } from './tasks.ts'

export const storyRoutes = [
  route({
    method: 'GET',
    path: '/api/stories',
    name: 'listStories',
    summary: 'Stories, oldest first, a page at a time',
    query: storyListQuery,
    answers: { 200: 'StoryPage' },
    problems: ['not_found'],
    async handle({ service: { store }, query: { after, limit, all: hidden } }) {
      if (after !== undefined) await requireStory(store, after)
      const all = await listedStories(store, hidden === true)
      const from = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1
      const page = all.slice(from, from + limit)
      const items = await Promise.all(page.map((story) => storyView(store, story)))
      return answer('StoryPage', { items, next: from + limit < all.length ? (page.at(-1)?.id ?? null) : null })
    },
  }),
  route({
    method: 'POST',
    path: '/api/stories',
    name: 'createStory',
    summary: 'Create a story with its tasks; the same request again continues the existing story',
    body: 'NewStory',
    answers: { 200: 'Submitted', 201: 'Submitted' },
    problems: ['config', 'conflict', GIT],
    async handle({ service, commands, body }) {
      const { config: given, root } = await service.project()
      const submitted = await commands.submit(planOfStory(body, given, root))
      const { store } = service
      const story = await storyView(store, await requireStory(store, submitted.story))
      const headers = { Location: `/api/stories/${encodeURIComponent(story.id)}` }
      return answer('Submitted', { ...submitted, story }, { status: submitted.created ? 201 : 200, headers })
    },
  }),
  route({
    method: 'GET',
    path: '/api/stories/{id}',
    name: 'showStory',
    summary: 'One story with a page of its tasks',
    query: storyTasksQuery,
    answers: { 200: 'StoryWithTasks' },
    problems: ['not_found'],
    async handle({ service, service: { store }, id, query: { after, open, limit } }) {
      const story = await storyView(store, await requireStory(store, id))
      const query = { story: id, open: open === true ? true : undefined, after, limit }
      const { tasks, next } = await taskPage(store, query, await limitedNow(service))
      return answer('StoryWithTasks', { ...story, page: { items: tasks, next }, stuck: await stuckTasks(store, id) })
    },
  }),
  route({
    method: 'POST',
    path: '/api/stories/{id}/cancel',
    name: 'cancelStory',
    summary: 'Cancel a story and all its open tasks',
    body: 'Decision',
    answers: { 200: 'Story' },
    problems: ['not_found', 'gate_closed'],
    async handle({ service: { store, by }, commands, id, body: { reason, message } }) {
      await requireStory(store, id)
      await commands.cancelStory({ story: id, reason: reason ?? message ?? '', by })
      return answer('Story', await storyView(store, await requireStory(store, id)))
    },
  }),
  ...(['archive', 'unarchive'] as const).map((verb) =>
    route({
      method: 'POST',
      path: `/api/stories/{id}/${verb}`,
      name: `${verb}Story`,
      summary: verb === 'archive' ? 'Hide a story from lists' : 'Show an archived story in lists again',
      answers: { 200: 'Story' },
      problems: ['not_found', 'gate_closed'],
      async handle({ service: { store, by }, commands, id }) {
        await requireStory(store, id)
        await commands.archiveStory({ story: id, archived: verb === 'archive', by })
        return answer('Story', await storyView(store, await requireStory(store, id)))
      },
    }),
  ),
]
