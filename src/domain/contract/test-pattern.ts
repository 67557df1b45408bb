/** The pattern with which a criterion names the file whose tests count for it. */

/** Shorter ones would fit any test. */
const patternCharsMin = 3

/** The file's name without its ending, or as much of its path as tells it from the others; an index is its folder. */
export function testPattern(path: string, among: readonly string[]): string {
  const own = nameParts(path)
  const others = among.filter((other) => other !== path).map(nameParts)
  const tail = (parts: readonly string[], length: number) => parts.slice(-length).join('/')
  for (let length = 1; length <= own.length; length++) {
    const pattern = tail(own, length)
    if (pattern.length >= patternCharsMin && others.every((other) => tail(other, length) !== pattern)) return pattern
  }
  return path
}

/** Whether a file may have been given this pattern. */
export function fitsPattern(path: string, pattern: string): boolean {
  return path === pattern || `/${nameParts(path).join('/')}`.endsWith(`/${pattern}`)
}

function nameParts(path: string): string[] {
  const parts = path.replace(/(?<=[^/])\.[^/]*$/, '').split('/')
  const isIndex = /^(?:__init__|index|main|mod|page|route)$/.test(parts.at(-1) ?? '')
  return isIndex && parts.length > 1 ? parts.slice(0, -1) : parts
}
