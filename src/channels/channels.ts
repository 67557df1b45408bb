/** The channels that the configuration names, with the secrets that the environment holds for them. */
import { join } from 'node:path'
import type { NotifyConfig } from '../domain/config.ts'
import { secretsIn } from '../domain/secrets.ts'
import type { Channel } from '../ports/channel.ts'
import type { ChannelKind, ChannelParts } from './kind.ts'
import { logChannel } from './log.ts'
import { CHANNELS } from './registry.ts'

type Environment = Readonly<Record<string, string | undefined>>

type Parts = Pick<ChannelParts, 'clock' | 'probe'> & {
  notify: readonly NotifyConfig[]
  env: Environment
  dataDir: string
}

export function channels({ notify, env, dataDir, clock, probe }: Parts, kinds = CHANNELS): Channel[] {
  const configured = notify.map((entry, index): Channel | null => {
    const kind = kinds.find(({ type }) => type === entry.type)
    if (kind === undefined || problemOf(entry, kind, env) !== null) return null
    return kind.open({ on: entry.on, index, url: urlOf(entry, env), secret: secretOf(entry, kind, env), clock, probe })
  })
  return [logChannel(join(dataDir, 'notices.jsonl')), ...configured.filter((channel) => channel !== null)]
}

/** Why nothing is told where the configuration wants it: one sentence for each such entry. */
export function channelProblems(notify: readonly NotifyConfig[], env: Environment, kinds = CHANNELS): string[] {
  return notify.flatMap((entry, index) => {
    const kind = kinds.find(({ type }) => type === entry.type)
    const problem = kind === undefined ? 'this Muster does not know it' : problemOf(entry, kind, env)
    return problem === null ? [] : [`notify.${index} (${entry.type}) sends nothing: ${problem}`]
  })
}

/** Never what a variable holds. What is to be signed is not sent unsigned. */
function problemOf(entry: NotifyConfig, kind: ChannelKind, env: Environment): string | null {
  const names = secretsIn(entry)
  const missing = names.find((name) => (env[name] ?? '') === '')
  if (missing !== undefined) return `the variable ${missing} is not set`
  const secret = secretOf(entry, kind, env)
  const wrong = secret === null ? null : (kind.secret?.problem?.(secret) ?? null)
  if (wrong !== null) return `the variable ${secretName(entry, kind)} ${wrong}`
  if (!kind.address || isAddress(urlOf(entry, env))) return null
  return `the variable ${names[0]} does not hold an http or https address`
}

function secretName(entry: NotifyConfig, { secret }: ChannelKind): string | null {
  return secret === undefined ? null : (entry[secret.key] ?? null)
}

function secretOf(entry: NotifyConfig, kind: ChannelKind, env: Environment): string | null {
  const name = secretName(entry, kind)
  return name === null ? null : (env[name] ?? null)
}

function urlOf({ url = '' }: NotifyConfig, env: Environment): string {
  return typeof url === 'string' ? url : (env[url.urlEnv] ?? '').trim()
}

function isAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  return /^https?:$/.test(protocol) && username === '' && password === ''
}
