/**
 * The profile for macOS' sandbox-exec: which files a worker may read and write. Written from sandbox-exec(1) and the
 * profiles of macOS, and untested. Of all rules that match a path, the last one applies.
 */
import type { Place } from './view.ts'

/** Nothing is mounted: a place cannot show what lies elsewhere, and a hidden one is refused instead of empty. */
interface Seen {
  /** The outermost first. */
  places: readonly Pick<Place, 'path' | 'access'>[]
  /** Folders for temporary files, which everybody shares. */
  scratch: readonly string[]
}

/** Devices such as the terminal and /dev/null; names can be looked up everywhere, or no path could be followed. */
const BASE = `(version 1)
(allow default)
(deny file-write*)
(allow file-write* (subpath "/dev"))`

const NAMES = '(allow file-read-metadata)'
/** Whoever is not in the sandbox. */
const SIGNALS = '(deny signal)\n(allow signal (target same-sandbox))'

export function seatbeltProfile({ places, scratch }: Seen): string {
  const rules = places.flatMap(({ path, access }) => {
    if (access === 'hide' && scratch.includes(path)) return allow(path)
    if (access === 'hide') return `(deny file-read* file-write* (subpath ${quoted(path)}))`
    if (access === 'write') return allow(path)
    return [`(allow file-read* (subpath ${quoted(path)}))`, `(deny file-write* (subpath ${quoted(path)}))`]
  })
  return [BASE, ...rules, NAMES, SIGNALS].join('\n')
}

const allow = (path: string): string => `(allow file-read* file-write* (subpath ${quoted(path)}))`

const quoted = (path: string): string => `"${path.replaceAll(/["\\]/g, '\\$&')}"`
