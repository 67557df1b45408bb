/**
 * Where notices go: the entries of `notify`, as the channels say that they are written (src/channels/registry.ts). Secrets
 * are in environment variables; the file has only their names.
 */
import { z } from 'zod'
import type { NotifyConfig, NotifyUrl } from '../domain/config.ts'
import { NOTICE_KINDS } from '../domain/notice.ts'
import type { Kinds } from './kinds.ts'

const envName = z
  .string()
  .trim()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/, 'must be the name of an environment variable, such as SLACK_WEBHOOK')
const url = z
  .url({ protocol: /^https?$/ })
  .max(2000)
  .refine(
    (text) => !/^[^/]+\/\/[^/]*@/.test(text),
    'must not contain a user name or password: put the address into a variable and name it with urlEnv',
  )
const address = z.union([url, z.strictObject({ urlEnv: envName })])

export function notifyEntry(channels: Kinds['channels']) {
  const types = channels.map(({ type }) => type)
  const to = channels.map(
    (kind) => [kind.type, kind.address ? address.optional() : z.literal(true).optional()] as const,
  )
  const secrets = channels.flatMap(({ secret }) => (secret === undefined ? [] : [secret]))
  const named = secrets.map(({ key, about }) => [key, envName.optional().describe(about)] as const)
  const on = z
    .array(z.enum(NOTICE_KINDS))
    .min(1)
    .default([...NOTICE_KINDS])
  return z
    .strictObject({ ...Object.fromEntries([...to, ...named]), on })
    .transform((written, context): NotifyConfig => {
      const entry = written as Written
      const refuse = (message: string) => {
        context.addIssue({ code: 'custom', message })
        return z.NEVER
      }
      const given = channels.filter(({ type }) => entry[type] !== undefined)
      const [kind] = given
      if (kind === undefined || given.length > 1) return refuse(`needs one of ${types.join(', ')}`)
      const strange = secrets.find(({ key }) => entry[key] !== undefined && key !== kind.secret?.key)
      if (strange !== undefined) return refuse(strange.elsewhere)
      const where = kind.address ? { url: entry[kind.type] as NotifyUrl } : {}
      const secret = kind.secret === undefined ? {} : { [kind.secret.key]: (entry[kind.secret.key] as string) ?? null }
      return { type: kind.type, on: entry.on, ...where, ...secret }
    })
}

type Written = { on: NotifyConfig['on'] } & Record<string, unknown>
