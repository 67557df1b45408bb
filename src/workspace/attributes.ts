/**
 * Filters in a repository's attributes. Muster runs none of them, so files behind a filter would have the wrong
 * content.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { git } from './git.ts'
import { pathsIn } from './listing.ts'
import type { Mirror } from './mirror.ts'

/** The names of the filters, with the file that names each: `lfs (.gitattributes)`. The user's own file counts too. `tree`: a tree or a commit, by its hash. */
export async function namedFilters(gitDir: string, tree: string, userGitDir = gitDir): Promise<string[]> {
  const pattern = '(^|[[:space:]])filter=[^[:space:]]'
  const args = ['grep', '-zE', pattern, tree, '--', ':(glob)**/.gitattributes']
  const hasAny = (await pathsIn(gitDir, tree)).some((path) => /(^|\/)\.gitattributes$/.test(path))
  const found = hasAny ? (await git(args, { gitDir, okCodes: [1] })).stdout : ''
  const lines = found.matchAll(/[0-9a-f]{40,64}:([^\0]*)\0([^\n]*)/g)
  const committed = [...lines].flatMap(([, file = '', line = '']) => inText(line).map((name) => `${name} (${file})`))
  const own = await readFile(join(userGitDir, 'info/attributes'), 'utf8').catch(() => '')
  return [...new Set([...committed, ...inText(own).map((name) => `${name} (.git/info/attributes)`)])]
}

/** Those that this blob names as a .gitattributes. */
export async function filtersIn(mirror: Mirror, blob: string): Promise<string[]> {
  return inText((await mirror.run(['cat-file', 'blob', blob])).stdout)
}

function inText(text: string): string[] {
  const lines = text.split('\n').filter((line) => !line.trimStart().startsWith('#'))
  return lines.flatMap((line) => [...line.matchAll(/(?:^|\s)filter=(\S+)/g)].map(([, name = '']) => name))
}
