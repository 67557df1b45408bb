/** Statements about files, answered by reading the tree. */
import { posix } from 'node:path'
import type { Assertion } from '../domain/contract/contract.ts'
import type { Workspaces } from '../ports/workspaces.ts'

type Trees = Pick<Workspaces, 'files' | 'read' | 'link'>

const fileBytesMax = 4 * 1024 * 1024
const linksMax = 5

/** What is wrong, in words, or null. */
export async function checkAssertion(
  trees: Trees,
  commit: string,
  { kind, path, text = '' }: Assertion,
): Promise<string | null> {
  const paths = new Set(await trees.files(commit))
  const isThere = paths.has(path)
  if (kind === 'absent') return isThere ? `${path} still exists` : null
  if (!isThere) return kind === 'lacks' ? null : `${path} does not exist`
  // To git a link is a file whose text is where it leads: that says nothing about what was asked for.
  const file = await behindLinks(trees, commit, path)
  if (file === null || !paths.has(file)) return `${path} is a link to a file that does not exist`
  if (kind === 'exists') return null
  const content = await trees.read(commit, file, fileBytesMax)
  if (content === null) return `${path} is too large to search`
  const has = content.includes(text)
  if (kind === 'contains') return has ? null : `${path} does not contain "${text}"`
  return has ? `${path} still contains "${text}"` : null
}

/** Where a path leads, which need not be a file of the commit; null for links without an end. */
async function behindLinks(trees: Trees, commit: string, path: string, links = 0): Promise<string | null> {
  const target = await trees.link(commit, path)
  if (target === null) return path
  const next = posix.normalize(posix.join(posix.dirname(path), target))
  return links < linksMax ? behindLinks(trees, commit, next, links + 1) : null
}
