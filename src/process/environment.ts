/**
 * The environment of child processes: an allow-list, the names that the configuration lists, and what Muster adds. Only
 * this file of the room reads Muster's own environment, so nothing else of it can leak.
 */

import { delimiter, isAbsolute } from 'node:path'

const ALLOWED = new Set([
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LANGUAGE',
  'TZ',
  'TMPDIR',
  'TERM',
  'COLORTERM',
  'NO_COLOR',
  // Where programs keep their files, and which certificates they trust: places, not secrets.
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'XDG_STATE_HOME',
  'XDG_CACHE_HOME',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NODE_EXTRA_CA_CERTS',
])

/** Where the client of a container runtime finds it, and the user's settings of it. No worker gets these. */
const OF_CONTAINERS = [
  'XDG_RUNTIME_DIR',
  'DBUS_SESSION_BUS_ADDRESS',
  'CONTAINERS_CONF',
  'CONTAINERS_STORAGE_CONF',
  'CONTAINERS_REGISTRIES_CONF',
  'CONTAINER_HOST',
  'CONTAINER_CONNECTION',
  'DOCKER_HOST',
  'DOCKER_CONTEXT',
  'DOCKER_CONFIG',
  'DOCKER_CERT_PATH',
  'DOCKER_TLS_VERIFY',
] as const

export const containerEnvironment = (): Record<string, string> => childEnvironment({ pass: OF_CONTAINERS })

/**
 * For programs of Muster's own, such as git: without relative entries in the PATH. They run in folders that agents have
 * written to, and would be looked for there.
 */
export function toolEnvironment(): Record<string, string> & { PATH: string } {
  const { PATH = '/usr/local/bin:/usr/bin:/bin', ...rest } = childEnvironment()
  return { ...rest, PATH: PATH.split(delimiter).filter(isAbsolute).join(delimiter) }
}

/** `pass` names variables of the user's environment; `extra` are values of Muster's own and win over everything. */
export function childEnvironment(
  options: { pass?: readonly string[]; extra?: Readonly<Record<string, string>> } = {},
): Record<string, string> {
  const passed = new Set(options.pass)
  const environment: Record<string, string> = {}
  for (const [name, value] of Object.entries(process.env)) {
    if (value === undefined) continue
    if (ALLOWED.has(name) || name.startsWith('LC_') || passed.has(name)) environment[name] = value
  }
  return Object.assign(environment, options.extra)
}
