/** Which changes a check is about, by the files that they touch. */
import picomatch from 'picomatch'

const pathsShownMax = 5

/** As in .gitignore, the last path that fits a file decides, and a folder means what is in it. */
export function concerns(paths: readonly string[], changed: readonly string[]): boolean {
  const rules = paths.map((path) => {
    const glob = path.replace(/^!/, '')
    return { takes: glob === path, fits: picomatch([glob, `${glob}/**`], { dot: true }) }
  })
  return changed.some((file) => rules.findLast(({ fits }) => fits(file))?.takes === true)
}

/** Why a check was not run; never that it passed. */
export function untouchedWords(paths: readonly string[]): string {
  const more = paths.length - pathsShownMax
  const shown = paths.slice(0, pathsShownMax).join(', ') + (more > 0 ? ` and ${more} more` : '')
  return `not run: the change touches none of its paths (${shown})`
}
