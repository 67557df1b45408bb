/**
 * The differences between a task's configuration and another one, in words for people: key by key, as muster.yaml names
 * them. Settings that take effect at once (docs/configuration.md) are left out. Pure.
 */
import type { ProjectConfig } from './config.ts'
import { formatDuration } from './duration.ts'

/** Keys that bind tasks, in the order that people read them. */
const BINDING = [
  'setup',
  'checks',
  'checksOff',
  'services',
  'agents',
  'definitions',
  'phases',
  'rules',
  'limits',
  'protected',
  'protectedPaths',
  'landing',
  'copy',
  'contract',
] as const satisfies readonly (keyof ProjectConfig)[]

/** These say nothing in one line. */
const LONG: ReadonlySet<string> = new Set(['definitions', 'rules', 'phases'])

/** They bound what the engine does now, for every task. */
const AT_ONCE: ReadonlySet<string> = new Set(['limits.maxWorkers', 'limits.maxValidators', 'limits.budgetUsd'])

const valueCharsMax = 60

/** Empty: the tasks of one run just as they would under the other. */
export function configChanges(before: ProjectConfig, now: ProjectConfig): string[] {
  return BINDING.flatMap((key) => {
    const [was, is] = [binding(key, before, now), binding(key, now, before)]
    if (same(was, is)) return []
    return LONG.has(key) ? longChange(key, was, is) : changesAt([key], was, is)
  })
}

/** The part of a configuration that both speak of: roles that only a plan asked for join its own snapshot alone. */
function binding(key: (typeof BINDING)[number], config: ProjectConfig, other: ProjectConfig): unknown {
  if (key === 'agents') return withoutGuests(config, other)
  if (key === 'definitions') {
    const shared = Object.keys(withoutGuests(config, other)).filter((role) => Object.hasOwn(other.agents, role))
    return Object.fromEntries(shared.map((role) => [role, config.definitions?.[role]]))
  }
  const value: unknown = config[key]
  return Array.isArray(value) && value.length === 0 ? undefined : (value ?? undefined)
}

function withoutGuests({ agents }: ProjectConfig, other: ProjectConfig): Record<string, unknown> {
  const isGuest = (role: string) => {
    const agent = agents[role]
    return agent !== undefined && 'like' in agent && agent.like !== undefined && !Object.hasOwn(other.agents, role)
  }
  return Object.fromEntries(Object.entries(agents).filter(([role]) => !isGuest(role)))
}

function longChange(key: string, was: unknown, is: unknown): string[] {
  if (key !== 'definitions')
    return [`${key}: ${was === undefined ? 'added' : is === undefined ? 'removed' : 'changed'}`]
  const [before, now] = [was as Record<string, unknown>, is as Record<string, unknown>]
  const roles = [...new Set([...Object.keys(before), ...Object.keys(now)])]
  return roles.filter((role) => !same(before[role], now[role])).map((role) => `definition of ${role}: changed`)
}

function changesAt(path: readonly string[], was: unknown, is: unknown): string[] {
  if (same(was, is) || AT_ONCE.has(path.join('.'))) return []
  if (isMap(was) && isMap(is)) {
    const keys = [...new Set([...Object.keys(was), ...Object.keys(is)])]
    return keys.flatMap((key) => changesAt([...path, key], was[key], is[key]))
  }
  const name = path.join('.').replace(/^checksOff$/, 'checks switched off')
  const at = name.replace(/Ms$/, '')
  const value = (one: unknown) => worded(one, at !== name)
  if (was === undefined || was === null) return [`${at}: added${is === true ? '' : ` ${value(is)}`}`]
  if (is === undefined || is === null) return [`${at}: removed`]
  return [`${at}: ${value(was)} → ${value(is)}`]
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Of a check or a setup, its command says what it is. */
function worded(value: unknown, isTime: boolean): string {
  const shown = isMap(value) && typeof value['run'] === 'string' ? value['run'] : value
  if (isTime && typeof shown === 'number') return formatDuration(shown)
  const text = typeof shown === 'string' ? shown : (JSON.stringify(shown) ?? '')
  return text.length > valueCharsMax ? `${text.slice(0, valueCharsMax - 1)}…` : text
}

/** Whatever the order of keys; a key without a value is not there. */
function same(a: unknown, b: unknown): boolean {
  return canonical(a) === canonical(b)
}

function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_, part: unknown) =>
      isMap(part) ? Object.fromEntries(Object.entries(part).toSorted(([x], [y]) => (x < y ? -1 : 1))) : part,
    ) ?? ''
  )
}
