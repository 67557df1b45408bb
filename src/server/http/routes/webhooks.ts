/** What other systems send by themselves: a path for each kind of forge that does. */
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
      summary: `A delivery of ${title}, signed with the webhook secret in place of a token: a sign to look there, nothing else`,
      answers: { 202: 'Taken' },
      problems: ['not_found', 'unauthorized', 'too_large'],
      open: true,
      async handle({ service: { webhook }, commands, incoming }) {
        if (!webhook.isOpen(type)) {
          throw new MusterError('not_found', 'no webhook is listened to here', {
            hint: 'forge.webhookSecretEnv in muster.yaml names the secret; see docs/forge.md',
          })
        }
        const news = webhook.take(type, how, incoming.headers, await readAll(incoming))
        if (news) await commands.look({})
        return answer('Taken', { news }, { status: 202 })
      },
    })
  })
}
