/** GitHub in muster.yaml. Secrets are names of environment variables, and stand in no file. */
import { z } from 'zod'
import type { ForgeConfig } from '../../domain/config.ts'
import { webAddress } from './web.ts'

/** Pull requests at GitHub, or at a GitHub Enterprise server. */
export interface GitHubConfig extends ForgeConfig {
  type: 'github'
  /** As in `owner/name`. */
  repository: string
  tokenEnv: string
  /** null: no webhook. */
  webhookSecretEnv: string | null
  apiUrl: string
  /** Where its git is. */
  remoteUrl: string
  merge: 'merge' | 'squash' | 'rebase'
  /** null: the checks that the branch's protection requires, otherwise all checks. */
  requiredChecks: readonly string[] | null
}

/** Who writes the token itself here reads that it is none of this file's business, and not the token. */
const envName = z
  .string()
  .refine(
    (text) => /^[A-Za-z_]\w{0,99}$/.test(text) && !/^(?:gh[a-z]_|github_pat_)/.test(text),
    'must be the name of an environment variable, such as GITHUB_TOKEN, never a token',
  )

/** Where a token is sent: TLS, or this machine. */
const apiUrl = z
  .string()
  .max(500)
  .refine(
    (text) => isSafe(text),
    'must be an https:// address without a name or password in it (http:// on this machine alone)',
  )
  .transform((text) => text.replace(/\/+$/, ''))

const remoteUrl = z
  .string()
  .max(1000)
  .refine(
    (text) => isSafe(text) || /^file:\/\/\/[^?#\0]+$/.test(text),
    'must be an https:// address without a name or password in it, or file:///absolute/path',
  )

export const keys = z.strictObject({
  type: z.literal('github'),
  repository: z.string().refine((text) => /^[\w.-]{1,100}\/[\w.-]{1,100}$/.test(text), 'must be owner/name'),
  tokenEnv: envName.default('GITHUB_TOKEN'),
  webhookSecretEnv: envName.optional(),
  apiUrl: apiUrl.default('https://api.github.com'),
  remoteUrl: remoteUrl.optional(),
  merge: z.enum(['merge', 'squash', 'rebase']).optional(),
  requiredChecks: z.array(z.string().trim().min(1).max(200)).min(1).max(100).optional(),
})

export function read(written: z.infer<typeof keys>): GitHubConfig {
  const { remoteUrl: given, merge = 'merge', requiredChecks = null, webhookSecretEnv = null, ...rest } = written
  return {
    ...rest,
    merge,
    requiredChecks,
    webhookSecretEnv,
    remoteUrl: given ?? `${webAddress(written.apiUrl)}/${written.repository}.git`,
  }
}

function isSafe(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))
}

function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(host)
}
