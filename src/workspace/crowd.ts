/**
 * Folders with more new files than a person writes: a tool made them and nothing ignores them. Git would sync each file
 * and take minutes or hours for a useless result. Names are bytes (names.ts).
 */

interface Crowd {
  /** A folder, or `folder/*` for the files right in it. */
  path: string
  files: number
  /** What keeps git from it. */
  pathspec: string
}

/**
 * The deepest folder without which no more than `max` files are left; the largest folders at the top, where it takes
 * several. `paths` are sorted, as git tells them.
 */
export function crowdsIn(paths: readonly string[], max: number): Crowd[] {
  let surplus = paths.length - max
  if (surplus <= 0) return []
  const above = folderOfAll(paths)
  const groups = [...Map.groupBy(paths, (path) => nextName(path, above))].toSorted(
    ([, a], [, b]) => b.length - a.length,
  )
  const [name, inside] = groups[0] ?? ['', []]
  if (inside.length >= surplus) {
    return name === '' ? [crowdOf(above, name, inside.length)] : crowdsIn(inside, inside.length - surplus)
  }
  if (above !== '') return [crowdOf('', above.slice(0, -1), paths.length)]
  const crowds: Crowd[] = []
  for (const [name, { length }] of groups) {
    if (surplus <= 0) break
    crowds.push(crowdOf('', name, length))
    surplus -= length
  }
  return crowds
}

function crowdOf(above: string, name: string, files: number): Crowd {
  if (name === '') return { path: `${above}*`, files, pathspec: `:(exclude,glob)${escaped(above)}*` }
  return { path: above + name, files, pathspec: `:(exclude,literal)${above}${name}` }
}

/** With its slash; empty at the top. */
function folderOfAll(paths: readonly string[]): string {
  const [first = '', last = ''] = [paths[0], paths.at(-1)]
  let same = 0
  while (same < first.length && first[same] === last[same]) same += 1
  return first.slice(0, first.lastIndexOf('/', same - 1) + 1)
}

/** The folder below `above` that it is in; empty if it is right in `above`. */
function nextName(path: string, above: string): string {
  const end = path.indexOf('/', above.length)
  return end === -1 ? '' : path.slice(above.length, end)
}

const escaped = (path: string): string => path.replaceAll(/[*?[\]\\]/g, '\\$&')
