/** Paths as lines of an ignore file, each matching exactly itself. */
export function ignorePatterns(paths: readonly string[]): string {
  return paths.map((path) => `/${path.replace(/[\\*?[\]!# ]/g, '\\$&')}\n`).join('')
}
