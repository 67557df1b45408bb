/** The contents of commits, without a checkout. */
import type { Workspaces } from '../ports/workspaces.ts'
import { git } from './git.ts'

export function treesOf(gitDir: string): Pick<Workspaces, 'files' | 'read' | 'link' | 'changed'> {
  const paths = async (args: readonly string[]): Promise<string[]> =>
    (await git(args, { gitDir })).stdout.split('\0').filter(Boolean)
  return {
    files: (commit) => paths(['ls-tree', '-r', '-z', '--name-only', '--end-of-options', commit]),

    async read(commit, path, bytesMax) {
      const name = `${commit}:${path}`
      const size = await git(['cat-file', '-s', name], { gitDir, okCodes: [128] })
      if (size.code !== 0 || Number(size.stdout) > bytesMax) return null
      const found = await git(['cat-file', 'blob', name], { gitDir, okCodes: [128] })
      return found.code === 0 ? found.stdout : null
    },

    async link(commit, path) {
      const [entry = ''] = await paths(['ls-tree', '-z', '--end-of-options', commit, path])
      const object = /^120000 blob (\S+)\t/.exec(entry)?.[1]
      return object === undefined ? null : (await git(['cat-file', 'blob', object], { gitDir })).stdout
    },

    changed: (from, to) => paths(['diff-tree', '-r', '-z', '--name-only', '--no-renames', from, to]),
  }
}
