/** The variables that only Muster itself reads. What runs code of an agent's never gets them, whatever a task was made with. */
import type { NotifyConfig, ProjectConfig } from './config.ts'

/** By its name: what of muster.yaml it belongs to, in words. */
export function secretsOf({ notify, forge }: Pick<ProjectConfig, 'notify' | 'forge'>): Map<string, string> {
  const ofForge = forge?.type === 'github' ? [forge.tokenEnv, forge.webhookSecretEnv] : []
  const named = (names: readonly (string | null)[], owner: string) =>
    names.flatMap((name): [string, string][] => (name === null ? [] : [[name, owner]]))
  return new Map([...named(notify.flatMap(namesOf), 'notify'), ...named(ofForge, 'the forge')])
}

function namesOf(entry: NotifyConfig): (string | null)[] {
  if (entry.type === 'terminal') return []
  const more = entry.type === 'webhook' ? entry.secretEnv : entry.type === 'ntfy' ? entry.tokenEnv : null
  return [typeof entry.url === 'string' ? null : entry.url.urlEnv, more]
}

/**
 * A task's configuration, which may be older than the secrets: muster.yaml is refused if it passes one on, but could do so
 * before it was one.
 */
export function withoutSecrets(config: ProjectConfig, now: ProjectConfig): ProjectConfig {
  const secrets = secretsOf(now)
  const bare = <T extends { env: readonly string[] }>(given: T): T => {
    return { ...given, env: given.env.filter((name) => !secrets.has(name)) }
  }
  const all = <T extends { env: readonly string[] }>(given: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(given).map(([name, one]) => [name, bare(one)]))
  const { agents, checks, setup } = config
  return { ...config, agents: all(agents), checks: all(checks), setup: setup === null ? null : bare(setup) }
}
