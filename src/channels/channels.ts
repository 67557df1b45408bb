/** The channels that the configuration names, with the secrets that the environment holds for them. */
import { join } from 'node:path'
import type { NotifyConfig } from '../domain/config.ts'
import type { Channel } from '../ports/channel.ts'
import type { Clock } from '../ports/clock.ts'
import type { Probe } from '../ports/probe.ts'
import { logChannel } from './log.ts'
import { ntfyChannel } from './ntfy.ts'
import { slackChannel } from './slack.ts'
import { terminalChannel } from './terminal.ts'
import { webhookChannel } from './webhook.ts'

type Environment = Readonly<Record<string, string | undefined>>

interface ChannelParts {
  notify: readonly NotifyConfig[]
  env: Environment
  dataDir: string
  clock: Pick<Clock, 'now'>
  probe: Probe
}

export function channels({ notify, env, dataDir, clock, probe }: ChannelParts): Channel[] {
  const configured = notify.map((entry, index): Channel | null => {
    if (problemOf(entry, env) !== null) return null
    if (entry.type === 'terminal') return terminalChannel(entry.on, probe)
    const { on } = entry
    const url = urlOf(entry.url, env)
    const secret = (name: string | null) => (name === null ? null : (env[name] ?? null))
    if (entry.type === 'slack') return slackChannel(url, index, on)
    if (entry.type === 'ntfy') return ntfyChannel({ url, index, on, token: secret(entry.tokenEnv) })
    return webhookChannel({ url, index, on, secret: secret(entry.secretEnv), clock })
  })
  return [logChannel(join(dataDir, 'notices.jsonl')), ...configured.filter((channel) => channel !== null)]
}

/** Why nothing is told where the configuration wants it: one sentence for each such entry. */
export function channelProblems(notify: readonly NotifyConfig[], env: Environment): string[] {
  return notify.flatMap((entry, index) => {
    const problem = problemOf(entry, env)
    return problem === null ? [] : [`notify.${index} (${entry.type}) tells nobody: ${problem}`]
  })
}

/** Never what a variable holds. What is to be signed is not sent unsigned. */
function problemOf(entry: NotifyConfig, env: Environment): string | null {
  if (entry.type === 'terminal') return null
  const { url } = entry
  const more = entry.type === 'webhook' ? entry.secretEnv : entry.type === 'ntfy' ? entry.tokenEnv : null
  const names = [...(typeof url === 'string' ? [] : [url.urlEnv]), ...(more === null ? [] : [more])]
  const missing = names.find((name) => (env[name] ?? '') === '')
  if (missing !== undefined) return `the variable ${missing} is not set`
  if (entry.type === 'ntfy' && more !== null && /[^\x21-\x7E]/.test(env[more] ?? '')) {
    return `the variable ${more} holds no token`
  }
  if (isAddress(urlOf(url, env))) return null
  return `the variable ${names[0]} holds no http or https address`
}

function urlOf(url: Exclude<NotifyConfig, { type: 'terminal' }>['url'], env: Environment): string {
  return typeof url === 'string' ? url : (env[url.urlEnv] ?? '').trim()
}

function isAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  return /^https?:$/.test(protocol) && username === '' && password === ''
}
