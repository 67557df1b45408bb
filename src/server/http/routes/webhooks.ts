/** Requests that other systems send on their own: a path for each kind of forge that sends them. */
import { KINDS } from '../../../config/kinds.ts'
import { MusterError } from '../../../domain/errors.ts'
import { readAll } from '../body.ts'
import { answer, route, type Route } from '../route.ts'

export const webhookRoutes = webhookRoutesOf(KINDS.forges)

export function webhookRoutesOf(forges: typeof KINDS.forges): Route[] {
  return forges.flatMap(({ type, title, webhook: how }) => {
    if (how === undefined) return []
    return route({
      method: 'POST',
      path: `/api/webhooks/${type}`,
      name: `${type}Webhook`,
      summary: `A ${title} webhook delivery, signed with the webhook secret instead of a token; it only makes Muster read the forge again`,
      answers: { 202: 'Taken' },
      problems: ['not_found', 'unauthorized', 'too_large'],
      open: true,
      async handle({ service: { webhook }, commands, incoming }) {
        if (!webhook.isOpen(type)) {
          throw new MusterError('not_found', 'no webhook is configured here', {
            hint: 'set forge.webhookSecretEnv in muster.yaml; see docs/forge.md',
          })
        }
        const news = webhook.take(type, how, incoming.headers, await readAll(incoming))
        if (news) await commands.look({})
        return answer('Taken', { news }, { status: 202 })
      },
    })
  })
}
