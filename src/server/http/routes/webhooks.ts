/** What other systems send by themselves. */
import { MusterError } from '../../../domain/errors.ts'
import { readAll } from '../body.ts'
import { answer, route } from '../route.ts'

export const webhookRoutes = [
  route({
    method: 'POST',
    path: '/api/webhooks/github',
    name: 'githubWebhook',
    summary:
      'A delivery of GitHub, signed with the webhook secret in place of a token: a sign to look there, nothing else',
    answers: { 202: 'Taken' },
    problems: ['not_found', 'unauthorized', 'too_large'],
    open: true,
    async handle({ service: { webhook }, commands, incoming }) {
      if (!webhook.isOpen) {
        throw new MusterError('not_found', 'no webhook is listened to here', {
          hint: 'forge.webhookSecretEnv in muster.yaml names the secret; see docs/forge.md',
        })
      }
      const news = webhook.take(incoming.headers, await readAll(incoming))
      if (news) await commands.look({})
      return answer('Taken', { news }, { status: 202 })
    },
  }),
]
