/** Where notices go: the entries of `notify`. Secrets are named by the variable they are in, and stand in no file. */
import { z } from 'zod'
import type { NotifyConfig } from '../domain/config.ts'
import { NOTICE_KINDS } from '../domain/notice.ts'

const envName = z
  .string()
  .trim()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/, 'must be the name of an environment variable, such as SLACK_WEBHOOK')
const url = z
  .url({ protocol: /^https?$/ })
  .max(2000)
  .refine((text) => !/^[^/]+\/\/[^/]*@/.test(text), 'must not hold a name or password: name a variable with urlEnv')
const address = z.union([url, z.strictObject({ urlEnv: envName })])

const TYPES = ['webhook', 'slack', 'ntfy', 'terminal'] as const

export const notifyEntry = z
  .strictObject({
    webhook: address.optional(),
    slack: address.optional(),
    ntfy: address.optional(),
    terminal: z.literal(true).optional(),
    secretEnv: envName.optional().describe('of a webhook: the variable with the secret that signs it'),
    tokenEnv: envName.optional().describe('of ntfy: the variable with the access token'),
    on: z
      .array(z.enum(NOTICE_KINDS))
      .min(1)
      .default([...NOTICE_KINDS]),
  })
  .transform((entry, context): NotifyConfig => {
    const refuse = (message: string) => {
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    }
    const { on, secretEnv = null, tokenEnv = null } = entry
    const given = TYPES.filter((type) => entry[type] !== undefined)
    const [type] = given
    if (type === undefined || given.length > 1) return refuse(`needs one of ${TYPES.join(', ')}`)
    if (secretEnv !== null && type !== 'webhook') return refuse('has secretEnv, which signs a webhook')
    if (tokenEnv !== null && type !== 'ntfy') return refuse('has tokenEnv, which is for ntfy')
    const to = entry[type]
    if (type === 'terminal' || to === undefined || to === true) return { type: 'terminal', on }
    if (type === 'webhook') return { type, on, url: to, secretEnv }
    return type === 'ntfy' ? { type, on, url: to, tokenEnv } : { type, on, url: to }
  })
