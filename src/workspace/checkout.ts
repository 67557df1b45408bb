/** The user's own checkouts of a branch, and what in them a landing would have to overwrite. Looks, never changes anything. */
import { git, gitLine } from './git.ts'
import type { Mirror } from './mirror.ts'

const filesShownMax = 3

/** What somebody has to do in a checkout of the branch before the commit can land there, or null. */
export async function dirtyCheckout(mirror: Mirror, branch: string, commit: string): Promise<string | null> {
  for (const { root: path } of (await checkouts(mirror.userGitDir)).filter((at) => at.branch === branch)) {
    // A landing moves no files of a submodule.
    const how = ['--porcelain', '-z', '--untracked-files=all', '--no-renames', '--ignore-submodules=all']
    const status = await git(['status', ...how], { cwd: path })
    const entries = status.stdout.split('\0').filter((entry) => entry !== '')
    const changed = entries.filter((entry) => !entry.startsWith('??')).map((entry) => entry.slice(3))
    if (changed.length > 0)
      return `${listed(changed)} changed in ${path}, where ${branch} is checked out: commit or stash there`
    const untracked = new Set(entries.map((entry) => entry.slice(3)))
    const head = await mirror.userHead(branch)
    if (head === null || untracked.size === 0) continue
    const added = await mirror.line(['diff', '--name-only', '-z', '--no-renames', '--diff-filter=A', head, commit])
    const inTheWay = added.split('\0').filter((name) => untracked.has(name))
    if (inTheWay.length > 0)
      return `${listed(inTheWay)} in the way in ${path}, where ${branch} is checked out: untracked there; move or commit`
  }
  return null
}

/** The folders in which the user works with the repository, each with the branch that is checked out there. */
export async function checkouts(userGitDir: string): Promise<{ root: string; branch: string | null }[]> {
  const list = await gitLine(['worktree', 'list', '--porcelain'], { gitDir: userGitDir })
  return list.split('\n\n').flatMap((entry) => {
    const root = /^worktree (.*)$/m.exec(entry)?.[1]
    return root === undefined ? [] : [{ root, branch: /^branch refs\/heads\/(.*)$/m.exec(entry)?.[1] ?? null }]
  })
}

function listed(files: readonly string[]): string {
  const more = files.length > filesShownMax ? ` and ${files.length - filesShownMax} more` : ''
  return `${files.slice(0, filesShownMax).join(', ')}${more} ${files.length === 1 ? 'is' : 'are'}`
}
