/** Filters that a repository's attributes name. Muster runs none of them, so files under one would not be what they seem. */
import { git } from './git.ts'

/** The names of the filters, with the file that names each: `lfs (.gitattributes)`. */
export async function namedFilters(gitDir: string, commit: string): Promise<string[]> {
  const pattern = '(^|[[:space:]])filter=[^[:space:]]'
  const args = ['grep', '-zE', pattern, commit, '--', ':(glob)**/.gitattributes']
  const found = await git(args, { gitDir, okCodes: [1] })
  const filters = new Set<string>()
  for (const [, file = '', line = ''] of found.stdout.matchAll(/[0-9a-f]{40,64}:([^\0]*)\0([^\n]*)/g)) {
    if (line.trimStart().startsWith('#')) continue
    for (const [, name] of line.matchAll(/(?:^|\s)filter=(\S+)/g)) filters.add(`${name} (${file})`)
  }
  return [...filters]
}
