/** Which changes a check applies to, by the files that they touch. */
import { posix } from 'node:path'
import picomatch from 'picomatch'

const pathsShownMax = 5

/** As in .gitignore, the last path that fits a file decides, and a folder means what is in it. */
export function concerns(paths: readonly string[], changed: readonly string[]): boolean {
  const rules = paths.map((path) => {
    const glob = path.replace(/^!/, '')
    const takes = glob === path
    // A pattern that takes files out takes no folder of such a name out with all that is in it.
    const fits = isMatch(takes || isPlain(posix.basename(glob)) ? [glob, `${glob}/**`] : [glob])
    // Of a submodule nobody can say here what was changed in it.
    return { takes, fits: (file: string) => fits(file) || (takes && glob.startsWith(`${file}/`)) }
  })
  return changed.some((file) => rules.findLast(({ fits }) => fits(file))?.takes === true)
}

/** A name may hold line breaks, which no wildcard would fit by itself. */
const isMatch = (globs: string[]) => picomatch(globs, { dot: true, flags: 's' })
const isPlain = (name: string): boolean => !/[*?[{(]/.test(name)

/** Of a check's paths, those that fit none of these files: a name that was mistyped, or has changed. */
export const pathsWithoutFile = (paths: readonly string[], files: readonly string[]): string[] =>
  paths.filter((path) => !path.startsWith('!') && !concerns([path], files))

/** Why a check was not run; never that it passed. */
export function untouchedWords(paths: readonly string[]): string {
  const more = paths.length - pathsShownMax
  const shown = paths.slice(0, pathsShownMax).join(', ') + (more > 0 ? ` and ${more} more` : '')
  return `not run: the change does not touch its paths (${shown})`
}
