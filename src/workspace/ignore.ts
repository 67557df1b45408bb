/** Paths as lines of an ignore file, each meaning exactly itself. */
export function ignorePatterns(paths: readonly string[]): string {
  return paths.map((path) => `/${path.replace(/[\\*?[\]!# ]/g, '\\$&')}\n`).join('')
}
