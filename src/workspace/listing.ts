/** All files of a tree, cached: a tree never changes, and a task asks for the same few repeatedly. */
import { git } from './git.ts'

const listingsMax = 16
const keptCharsMax = 1024 * 1024
const kept = new Map<string, string>()

/** As `ls-tree -r -z` has it, byte for byte (names.ts). `tree`: a tree or a commit, by its hash. */
export async function listingOf(gitDir: string, tree: string): Promise<string> {
  const known = kept.get(tree)
  if (known !== undefined) return known
  const listed = (await git(['ls-tree', '-r', '-z', tree], { gitDir, bytes: true })).stdout
  if (listed.length > keptCharsMax) return listed
  const [oldest] = kept.keys()
  if (kept.size >= listingsMax && oldest !== undefined) kept.delete(oldest)
  kept.set(tree, listed)
  return listed
}

/** The paths alone, as bytes. */
export async function pathsIn(gitDir: string, tree: string): Promise<string[]> {
  const lines = (await listingOf(gitDir, tree)).split('\0').slice(0, -1)
  return lines.map((line) => line.slice(line.indexOf('\t') + 1))
}
