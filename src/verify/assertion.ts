/** Statements about files that need nothing but a look at the tree. */
import type { Assertion } from '../domain/contract.ts'
import type { Workspaces } from '../ports/workspaces.ts'

const fileBytesMax = 4 * 1024 * 1024

/** What is wrong, in words, or null. */
export async function checkAssertion(
  { files, read }: Pick<Workspaces, 'files' | 'read'>,
  commit: string,
  { kind, path, text = '' }: Assertion,
): Promise<string | null> {
  const exists = (await files(commit)).includes(path)
  if (kind === 'exists') return exists ? null : `${path} does not exist`
  if (kind === 'absent') return exists ? `${path} still exists` : null
  if (!exists) return kind === 'lacks' ? null : `${path} does not exist`
  const content = await read(commit, path, fileBytesMax)
  if (content === null) return `${path} is too large to look into`
  const has = content.includes(text)
  if (kind === 'contains') return has ? null : `${path} does not contain "${text}"`
  return has ? `${path} still contains "${text}"` : null
}
