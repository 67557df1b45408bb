/**
 * Whether an agent program is installed, which version, and whether somebody seems to be logged in. Reads no secret.
 */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { childEnvironment } from '../../process/environment.ts'
import { runToEnd } from '../../process/run.ts'
import type { AgentAdapter } from '../stream/adapter.ts'

interface Found {
  /** Null if it is not there, or does not say. */
  version: string | null
  /** A file of an account is where the program keeps it. A key in a variable, or in a keychain, is not seen. */
  account: boolean
  /** What is wrong and what to type; null if nothing is. */
  problem: string | null
}

const timeoutMs = 10_000

export async function findProgram(adapter: AgentAdapter): Promise<Found> {
  const env = childEnvironment({ pass: adapter.pass })
  const account = existsSync(resolve(env['HOME'] ?? '/', adapter.homes(env)[0], adapter.account))
  const { code, text } = await ask(adapter, ['--version'], env)
  const version = code === 0 ? (/\d+\.\d+\.\d+/.exec(text)?.[0] ?? null) : null
  return { version, account, problem: problemOf(adapter, version, code) }
}

/**
 * How a run with these variables would pay, in words; null if nobody is logged in, as far as the program itself knows. Of
 * variables nothing but their names is looked at.
 */
export async function findLogin(adapter: AgentAdapter, variables: readonly string[]): Promise<string | null> {
  const { code } = await ask(adapter, adapter.loginStatus, childEnvironment({ pass: adapter.pass }))
  if (code === 0) return 'logged in'
  const env = childEnvironment({ pass: variables })
  const set = variables.filter((name) => (env[name] ?? '') !== '')
  return set.length === 0 ? null : `with ${set.join(', ')} of your environment`
}

async function ask({ program }: AgentAdapter, args: readonly string[], env: Record<string, string>) {
  const command = ['/bin/sh', '-c', 'exec "$0" "$@" </dev/null', program, ...args]
  const ended = await runToEnd({ command, cwd: '/', env, timeoutMs }).catch(() => null)
  return { code: ended?.code ?? null, text: ended?.stdout.toString() ?? '' }
}

function problemOf({ title, program, minVersion, install }: AgentAdapter, version: string | null, code: number | null) {
  if (code === 127) return `${title} is not installed: ${install}`
  if (version === null) return `${program} --version prints no version: ${install}`
  if (isOlder(version, minVersion))
    return `${title} is version ${version}; ${minVersion} or later is needed: ${install}`
  return null
}

export function isOlder(version: string, than: string): boolean {
  const [a, b] = [version, than].map((text) => text.split('.').map(Number))
  for (const [index, part] of (b ?? []).entries()) {
    const own = a?.[index] ?? 0
    if (own !== part) return own < part
  }
  return false
}
