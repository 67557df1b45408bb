/** The variables that only Muster itself reads. What runs code of an agent's never gets them, whatever a task was made with. */
import type { NotifyConfig, ProjectConfig } from './config.ts'

export function secretNames(notify: readonly NotifyConfig[]): string[] {
  return notify.flatMap((entry) => {
    if (entry.type === 'terminal') return []
    const more = entry.type === 'webhook' ? entry.secretEnv : entry.type === 'ntfy' ? entry.tokenEnv : null
    return [...(typeof entry.url === 'string' ? [] : [entry.url.urlEnv]), ...(more === null ? [] : [more])]
  })
}

/**
 * A task's configuration, which may be older than the secrets: muster.yaml is refused if it passes one on, but could do so
 * before it was one.
 */
export function withoutSecrets(config: ProjectConfig, { notify, forge }: ProjectConfig): ProjectConfig {
  const ofForge = forge?.type === 'github' ? [forge.tokenEnv, forge.webhookSecretEnv] : []
  const secrets = new Set<string | null>([...secretNames(notify), ...ofForge])
  const bare = <T extends { env: readonly string[] }>(given: T): T => {
    return { ...given, env: given.env.filter((name) => !secrets.has(name)) }
  }
  const all = <T extends { env: readonly string[] }>(given: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(given).map(([name, one]) => [name, bare(one)]))
  const { agents, checks, setup } = config
  return { ...config, agents: all(agents), checks: all(checks), setup: setup === null ? null : bare(setup) }
}
