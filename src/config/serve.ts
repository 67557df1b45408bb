/** What muster.yaml says about `muster serve`. No task runs under it, so it is no part of a task's configuration. */
import { basename } from 'node:path'
import { check } from './check.ts'
import { PLANNED_CONFIG_KEYS } from './planned.ts'
import { configSchema } from './schema.ts'
import { readYaml } from './yaml.ts'

interface ServeConfig {
  /** Names that the server may be reached by, beside those of this machine. */
  allowHosts: readonly string[]
  /** Where other people open the board, if they can. */
  url: string | null
}

export async function loadServe(path: string): Promise<ServeConfig> {
  const file = await readYaml(path, basename(path), 'configuration')
  const { serve } = check(file, configSchema, PLANNED_CONFIG_KEYS, 'docs/configuration.md lists every key')
  const { allowHosts, url = null } = serve
  return { url, allowHosts: url === null ? allowHosts : [...allowHosts, new URL(url).hostname] }
}
