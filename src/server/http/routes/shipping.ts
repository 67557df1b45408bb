/** From a goal to a draft, from a draft to a story, and Ship. */
import { withRole } from '../../../config/resolve-roles.ts'
import { checkDraft, planOfDraft } from '../../../config/draft.ts'
import { ELABORATOR } from '../../../domain/task/elaboration.ts'
import { approveDraft, draftOf } from '../../../engine/steps/elaborate.ts'
import { requireStory } from '../../../engine/views/overview.ts'
import { storyView } from '../../../engine/views/views.ts'
import { GIT } from '../problems.ts'
import { answer, route } from '../route.ts'
import type { HttpService } from '../service.ts'

async function draftAnswer({ store, lint }: HttpService, id: string) {
  const view = await draftOf(store, id)
  return { ...view, lint: view.draft === null ? [] : lint(view.draft) }
}

export const shippingRoutes = [
  route({
    method: 'POST',
    path: '/api/stories/elaborate',
    name: 'elaborate',
    summary: 'Let an agent break a goal down into a draft of a story; poll the draft until it waits for you',
    body: 'Goal',
    answers: { 202: 'Draft' },
    problems: ['usage', 'config', GIT],
    async handle({ service, commands, body: { goal } }) {
      const { config, root } = await service.project()
      const { id } = await commands.elaborate({ goal, config: withRole(config, root, ELABORATOR) })
      const headers = { Location: `/api/drafts/${encodeURIComponent(id)}` }
      return answer('Draft', await draftAnswer(service, id), { status: 202, headers })
    },
  }),
  route({
    method: 'GET',
    path: '/api/drafts/{id}',
    name: 'showDraft',
    summary: 'A draft of a story, and whether it waits for approval',
    answers: { 200: 'Draft' },
    problems: ['not_found'],
    handle: async ({ service, id }) => answer('Draft', await draftAnswer(service, id)),
  }),
  route({
    method: 'POST',
    path: '/api/drafts/check',
    name: 'checkDraft',
    summary: 'Problems of a draft while it is edited, and criteria that nobody else could verify; stores nothing',
    body: 'EditedDraft',
    answers: { 200: 'DraftCheck' },
    problems: ['config'],
    async handle({ service, body }) {
      const { config, root } = await service.project()
      const { draft, problems } = checkDraft(body.story, config, root)
      return answer('DraftCheck', { problems, lint: draft === null ? [] : service.lint(draft) })
    },
  }),
  route({
    method: 'POST',
    path: '/api/stories/approve',
    name: 'approveDraft',
    summary: 'Make a story of a draft, unchanged or as you edited it',
    body: 'Approval',
    answers: { 201: 'Submitted' },
    problems: ['not_found', 'config', 'conflict', 'gate_closed', GIT],
    async handle({ service, commands, body: { draft: id, story: edited, revision } }) {
      const { config, root } = await service.project()
      const { store, by } = service
      const submitted = await approveDraft({ store, commands }, { id, edited: edited ?? null, by, revision }, (draft) =>
        planOfDraft(draft, config, root),
      )
      const story = await storyView(store, await requireStory(store, submitted.story))
      const headers = { Location: `/api/stories/${encodeURIComponent(story.id)}` }
      return answer('Submitted', { ...submitted, story }, { status: 201, headers })
    },
  }),
  route({
    method: 'GET',
    path: '/api/stories/{id}/ship',
    name: 'showShip',
    summary: 'What exactly Ship would do now, and the results of past Ships and validations',
    answers: { 200: 'Shipping' },
    problems: ['not_found', 'config', GIT],
    async handle({ service, id }) {
      return answer('Shipping', await service.shipping(await requireStory(service.store, id)))
    },
  }),
  route({
    method: 'POST',
    path: '/api/stories/{id}/ship',
    name: 'ship',
    summary: 'Ship a story that is SHIPPABLE; the answer does not wait for the end',
    body: 'Ship',
    answers: { 202: 'Story' },
    problems: ['not_found', 'gate_closed', 'conflict', 'usage', GIT],
    async handle({ service: { store, by }, commands, id, body: { how, message, expect } }) {
      await requireStory(store, id)
      await commands.ship({ story: id, how, message, by, expect })
      return answer('Story', await storyView(store, await requireStory(store, id)), { status: 202 })
    },
  }),
  route({
    method: 'POST',
    path: '/api/stories/{id}/fix',
    name: 'fixStory',
    summary: 'Add tasks to a story from what its validation found',
    answers: { 201: 'Fixes' },
    problems: ['not_found', 'gate_closed', GIT],
    async handle({ service: { store, by }, commands, id }) {
      await requireStory(store, id)
      return answer('Fixes', await commands.fix({ story: id, by }), { status: 201 })
    },
  }),
]
