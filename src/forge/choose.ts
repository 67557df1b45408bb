/** The forge that a project is configured with. A token is asked for when it is needed, and not before. */
import type { ForgeConfig } from '../domain/config.ts'
import type { ForgeCheck } from '../domain/forge.ts'
import { branchThere } from '../domain/forge.ts'
import type { Clock, Random } from '../ports/clock.ts'
import type { Forge } from '../ports/forge.ts'
import type { Store } from '../ports/store.ts'
import type { Workspaces } from '../ports/workspaces.ts'
import { gitHubForge } from './github/forge.ts'
import { PERMISSIONS, missingToken } from './github/http.ts'
import { localForge } from './local/forge.ts'

interface ForgeParts {
  store: Store
  workspaces: Pick<Workspaces, 'remote'>
  env: Readonly<Record<string, string | undefined>>
  clock: Clock
  random: Random
}

export function chooseForge(config: ForgeConfig, { store, workspaces, env, clock, random }: ForgeParts): Forge {
  if (config.type === 'local') {
    const records = {
      get: (name: string) => store.setting(name),
      set: (...of: [string, string]) => store.setSetting(...of),
    }
    return localForge(records, (task, head) => ownResults(store, task, head))
  }
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
}

/** Made once: tasks of several Musters at one repository have the same names. */
async function tagIn(store: Store, random: Random): Promise<string> {
  const known = await store.setting('forge-tag')
  if (known !== null) return known
  const fresh = random.nonce().slice(0, 6)
  await store.setSetting('forge-tag', fresh)
  return fresh
}

/** Refuses to begin without what the forge will ask for. */
export function requireToken(config: ForgeConfig, env: ForgeParts['env']): void {
  if (config.type === 'github' && (env[config.tokenEnv] ?? '').trim() === '') throw missingToken(config.tokenEnv)
}

/** What Muster's own checks last said of this commit of the task's. */
async function ownResults(store: Store, task: string, head: string): Promise<ForgeCheck[]> {
  const state = (await store.task(task))?.state
  if (state?.commit !== head) return []
  const runs = (await store.runs(task)).filter(({ kind, attempt }) => kind === 'check' && attempt === state.attempt)
  const last = new Map(runs.map((run) => [run.name, run]))
  return [...last.values()].map(({ name, end }) => {
    const state = end === null ? 'pending' : end.outcome === 'ADVANCE' ? 'green' : 'failed'
    return { name, state, url: null }
  })
}
