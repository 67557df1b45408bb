/**
 * The variables that only Muster may read. Processes that run an agent's code never get them, whatever a task's
 * configuration says.
 */
import type { ProjectConfig } from './config.ts'

/** By its name: what of muster.yaml it belongs to, in words. */
export function secretsOf({
  notify,
  forge = { type: '' },
}: Pick<ProjectConfig, 'notify' | 'forge'>): Map<string, string> {
  const named = (names: readonly string[], owner: string) => names.map((name): [string, string] => [name, owner])
  return new Map([...named(notify.flatMap(secretsIn), 'notify'), ...named(secretsIn(forge), 'the forge')])
}

/** The variables that it names. Whoever adds a forge or a channel has nothing to do for that but call the key `…Env`. */
export function secretsIn(named: object): string[] {
  return Object.entries(named).flatMap(([key, value]: [string, unknown]) => {
    if (typeof value === 'object' && value !== null) return secretsIn(value)
    return key.endsWith('Env') && typeof value === 'string' ? [value] : []
  })
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
