/** `services` in muster.yaml: its shape, and what names of services may be. */
import { z } from 'zod'
import type { ServiceConfig } from '../domain/config.ts'
import { serviceReadyMs } from '../domain/limits.ts'
import type { Problem } from '../domain/problem.ts'
import { unknownWord } from '../domain/problem.ts'
import { portVariable } from '../domain/service.ts'
import { duration, words } from './fields.ts'

const command = z.string().trim().min(1)
const serviceFields = z.strictObject({
  run: command,
  ready: command.optional(),
  stop: command.optional(),
  timeout: duration.optional(),
  env: words.default([]),
})
const serviceText = command.transform((run): z.infer<typeof serviceFields> => ({ run, env: [] }))

export const servicesSchema = z.record(z.string(), z.union([serviceText, serviceFields])).default({})
type ServicesText = z.infer<typeof servicesSchema>

type Asking = Readonly<Record<string, { services?: readonly string[] | undefined } | false>>

/** Names become variables and folders. */
const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/

export function serviceProblems(services: ServicesText, asking: Readonly<Record<string, Asking>>): Problem[] {
  const names = Object.keys(services)
  const named = names.flatMap((name, index): Problem[] => {
    const path = ['services', name]
    if (!NAME.test(name)) {
      const message = `"${name}" cannot be the name of a service: use letters, digits, ".", "_" and "-", such as db`
      return [{ path, message }]
    }
    const other = names.slice(0, index).find((one) => portVariable(one) === portVariable(name))
    if (other === undefined) return []
    return [
      { path, message: `the services "${other}" and "${name}" would both get their port in ${portVariable(name)}` },
    ]
  })
  const asked = Object.entries(asking).flatMap(([key, all]) =>
    Object.entries(all).flatMap(([who, one]) =>
      (one === false ? [] : (one.services ?? [])).flatMap((name, index): Problem[] => {
        if (names.includes(name)) return []
        return [{ path: [key, who, 'services', index], message: unknownWord('service', name, names) }]
      }),
    ),
  )
  return [...named, ...asked]
}

/** Nothing where there are none: a configuration without is what it was before there were any. */
export function servicesOf(text: ServicesText): { services?: Record<string, ServiceConfig> } {
  const services = Object.entries(text).map(([name, { timeout, ready = null, stop = null, ...service }]) => {
    return [name, { ...service, ready, stop, timeoutMs: timeout ?? serviceReadyMs }]
  })
  return services.length === 0 ? {} : { services: Object.fromEntries(services) as Record<string, ServiceConfig> }
}
