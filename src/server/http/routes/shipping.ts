/** From a goal to a draft, from a draft to a story, and Ship. */
import { withRole } from '../../../config/cast.ts'
import { planOfDraft } from '../../../config/draft.ts'
import { approveDraft, draftOf, ELABORATOR } from '../../../engine/elaborate.ts'
import { requireStory } from '../../../engine/overview.ts'
import { storyView } from '../../../engine/views.ts'
import { GIT } from '../problems.ts'
import { answer, route } from '../route.ts'

export const shippingRoutes = [
  route({
    method: 'POST',
    path: '/api/stories/elaborate',
    name: 'elaborate',
    summary: 'Have a goal broken down into a draft of a story; look at the draft until it waits for you',
    body: 'Goal',
    answers: { 202: 'Draft' },
    problems: ['usage', 'config', GIT],
    async handle({ service, body: { goal } }) {
      const { config, root } = await service.project()
      const { id } = await service.commands.elaborate({ goal, config: withRole(config, root, ELABORATOR) })
      const headers = { Location: `/api/drafts/${encodeURIComponent(id)}` }
      return answer('Draft', await draftOf(service.store, id), { status: 202, headers })
    },
  }),
  route({
    method: 'GET',
    path: '/api/drafts/{id}',
    name: 'showDraft',
    summary: 'A draft of a story, and whether it waits for approval',
    answers: { 200: 'Draft' },
    problems: ['not_found'],
    async handle({ service: { store }, id }) {
      return answer('Draft', await draftOf(store, id))
    },
  }),
  route({
    method: 'POST',
    path: '/api/stories/approve',
    name: 'approveDraft',
    summary: 'Make a story of a draft, as it is or as you edited it',
    body: 'Approval',
    answers: { 201: 'Submitted' },
    problems: ['not_found', 'config', 'conflict', 'gate_closed', GIT],
    async handle({ service, body: { draft: id, story: edited } }) {
      const { config, root } = await service.project()
      const { store, by } = service
      const submitted = await approveDraft(service, { id, edited: edited ?? null, by }, (draft) =>
        planOfDraft(draft, config, root),
      )
      const story = await storyView(store, await requireStory(store, submitted.story))
      const headers = { Location: `/api/stories/${encodeURIComponent(story.id)}` }
      return answer('Submitted', { ...submitted, story }, { status: 201, headers })
    },
  }),
  route({
    method: 'POST',
    path: '/api/stories/{id}/ship',
    name: 'ship',
    summary: 'Ship a story that is SHIPPABLE; it goes on by itself from there',
    body: 'Ship',
    answers: { 202: 'Story' },
    problems: ['not_found', 'gate_closed', 'usage'],
    async handle({ service, service: { store, by }, id, body: { how, message } }) {
      await requireStory(store, id)
      await service.commands.ship({ story: id, how, message, by })
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
    async handle({ service: { store, commands, by }, id }) {
      await requireStory(store, id)
      return answer('Fixes', await commands.fix({ story: id, by }), { status: 201 })
    },
  }),
]
