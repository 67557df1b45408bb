/** GitHub as a kind of forge. Its token is asked for when it is needed, and not before. */
import { createHmac } from 'node:crypto'
import { branchThere } from '../../domain/forge.ts'
import { PULL_REQUEST } from '../../domain/task/presets.ts'
import type { ForgeKind } from '../common/kind.ts'
import { tagIn } from '../common/tag.ts'
import { keys, read, type GitHubConfig } from './config.ts'
import { gitHubForge } from './forge.ts'
import { PERMISSIONS, missingToken } from './http.ts'

export const github: ForgeKind<GitHubConfig> = {
  type: 'github',
  title: 'GitHub',
  keys,
  read,
  preset: PULL_REQUEST,
  ready({ repository, tokenEnv }, env) {
    if ((env[tokenEnv] ?? '').trim() === '') throw missingToken(tokenEnv)
    return `GitHub, ${repository}: ${tokenEnv} is set`
  },
  webhook: {
    secretEnv: ({ webhookSecretEnv }) => webhookSecretEnv,
    marks: (headers) => ({
      id: String(headers['x-github-delivery'] ?? ''),
      signature: String(headers['x-hub-signature-256'] ?? ''),
    }),
    sign: (secret, body) => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
  },
  open(config, { store, workspaces, env, clock, random }) {
    const { remoteUrl: url, tokenEnv } = config
    const token = () => env[tokenEnv]
    const needed = () => {
      const found = token()?.trim() ?? ''
      if (found === '') throw missingToken(tokenEnv)
      return found
    }
    const over = new AbortController()
    let known: Promise<string> | null = null
    const tag = () => (known ??= tagIn(store, random))
    const isFile = url.startsWith('file:')
    const git = workspaces.remote({
      name: 'GitHub',
      url,
      token: isFile ? () => null : needed,
      permission: PERMISSIONS,
      over: over.signal,
      nameOf: async (branch) => branchThere(branch, await tag()),
    })
    return gitHubForge(config, { git, token, clock, random, over, tag })
  },
}
