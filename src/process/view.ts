/**
 * What a worker sees of the file system. Rules name places; the deepest rule above a file applies, so a workspace can
 * be in a hidden folder that is in a readable one. This file is for bubblewrap, container.ts for containers.
 */
import { lstatSync, readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

/** `hide`: an empty folder that is gone afterwards. At the same place the later of these holds. */
const ACCESS = ['read', 'hide', 'write'] as const

const SYSTEM = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'] as const
/**
 * Bubblewrap leaves the kernel's settings to root, who could have the kernel start a program outside. Nobody else may
 * write them; and covering a part of /proc would keep a user's sandbox from another one inside it.
 */
const KERNEL = process.geteuid?.() === 0 ? ['--ro-bind-try', '/proc/sys', '/proc/sys'] : []

export interface Rule {
  path: string
  access: (typeof ACCESS)[number]
  /** What is shown at the path, if it is not what lies there. Nothing need lie there then. */
  from?: string
  /** It is there whatever is around it: empty in a hidden folder, the machine's own in a container. */
  always?: true
}

/** A rule at the real path of its place. */
export interface Place extends Rule {
  given: string
}

export interface Places {
  /** The outermost first. */
  places: Place[]
  /** Links that lead to them, with their targets, in folders that are hidden. */
  links: [path: string, target: string][]
  isHidden(path: string): boolean
}

/** What does not exist needs no rule and gets none; nor does what would be readable anyway. */
export function placesOf(rules: readonly Rule[]): Places {
  const real = new Map<string, Place>()
  for (const access of ACCESS) {
    for (const rule of rules) {
      const path = rule.access === access ? placeOf(rule) : null
      if (path !== null) real.set(path, { ...rule, path, given: resolve(rule.path) })
    }
  }
  const places: Place[] = []
  for (const rule of [...real.values()].toSorted((a, b) => a.path.split('/').length - b.path.split('/').length)) {
    const above = places.findLast(({ path }) => isWithin(rule.path, path))
    const same = rule.access === (above?.access ?? 'read') && above?.from === undefined
    if (!same || rule.from !== undefined || rule.always === true) places.push(rule)
  }
  const isHidden = (path: string): boolean => places.findLast((rule) => isWithin(path, rule.path))?.access === 'hide'
  const links = new Map(rules.flatMap(({ path }) => linksOn(path)).filter(([path]) => isHidden(path)))
  return { places, links: [...links], isHidden }
}

/** For bubblewrap: everything is readable but where a rule says otherwise. */
export function viewArguments(rules: readonly Rule[]): string[] {
  const { places, links } = placesOf(rules)
  const linked = links.flatMap(([path, target]) => ['--symlink', target, path])
  return [...SYSTEM, ...KERNEL, ...places.flatMap(mount), ...linked]
}

/** A place that does not exist is made, by its nearest folder that does. */
function placeOf({ path, from }: Rule): string | null {
  const real = realPath(path)
  if (real !== null || from === undefined) return real
  const above = placeOf({ path: dirname(path), access: 'read', from })
  return above === null ? null : join(above, basename(path))
}

function mount({ path, access, from = path }: Rule): string[] {
  if (access === 'hide') return ['--tmpfs', path]
  return [access === 'write' ? '--bind' : '--ro-bind', from, path]
}

/** The links a path leads through, with their targets: in a hidden folder they would be missing. */
function linksOn(path: string): [string, string][] {
  const links: [string, string][] = []
  let at = '/'
  for (const name of resolve(path).split('/').filter(Boolean)) {
    const next = join(at, name)
    const isLink = lstatSync(next, { throwIfNoEntry: false })?.isSymbolicLink() === true
    if (isLink) links.push([next, readlinkSync(next)], ...linksOn(resolve(dirname(next), readlinkSync(next))))
    const real = isLink ? realPath(next) : next
    if (real === null) break
    at = real
  }
  return links
}

export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
}

export function realPath(path: string): string | null {
  try {
    return realpathSync(path)
  } catch {
    return null
  }
}
