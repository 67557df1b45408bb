/** Services by their names: what an agent or a check asks for, and how it finds them. */
import type { ProjectConfig, ServiceConfig } from './config.ts'

/** One that is asked for. */
export interface Service extends ServiceConfig {
  name: string
}

/** In the order in which they are asked for, which is the one they start in. What the configuration does not have was refused when it was read. */
export function servicesNamed(
  { services = {} }: Pick<ProjectConfig, 'services'>,
  names: readonly string[] = [],
): Service[] {
  return [...new Set(names)].flatMap((name) => {
    const service = Object.hasOwn(services, name) ? services[name] : undefined
    return service === undefined ? [] : [{ name, ...service }]
  })
}

/** What its port is called in the environment of who asked for it. */
export const portVariable = (name: string): string => `MUSTER_PORT_${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`
