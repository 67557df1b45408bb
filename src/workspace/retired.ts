/**
 * Muster's own branches that were removed because their work has landed. The mirror stores the head of each, so it can
 * still be asked for, and restored when something must land there again.
 */
import { checkoutsOf } from './checkout.ts'
import { mayHaveRefs } from './files.ts'
import { moveBranch, requireHead } from './branches.ts'
import { git, gitLine } from './git.ts'
import type { Mirror } from './mirror.ts'

const OWN = 'refs/heads/muster/'

/** The branches of the user's repository that Muster made for tasks and stories. */
export async function ownBranches(userGitDir: string): Promise<string[]> {
  if (!(await mayHaveRefs(userGitDir, OWN))) return []
  const kinds = ['task', 'story'].map((kind) => `${OWN}${kind}/`)
  const listed = await gitLine(['for-each-ref', '--format=%(refname:lstrip=2)', ...kinds], { gitDir: userGitDir })
  return listed.split('\n').filter(Boolean)
}

/** Why the branch stays, although what `landed` has is on its target; null when it may go. Changes nothing, the mirror neither. */
export async function whyKept(mirror: Mirror, branch: string, landed: string): Promise<string | null> {
  const head = await mirror.lookUser(branch)
  if (head === null) return null
  const known = (await mirror.has(head)) && (await mirror.has(landed))
  // What a task made is kept; on the branch of a story others may have landed since.
  const own = known && branch.startsWith('muster/task/') && (await mirror.isOwn(head))
  if (!known || (!own && !(await mirror.isAncestor(head, landed))))
    return `it holds a commit that has not landed: git show ${branch}`
  const [checkout] = await checkoutsOf(mirror.userGitDir, branch)
  return checkout === undefined ? null : `it is checked out in ${checkout.workTree}`
}

/** Takes the branch away if nothing of it would be lost; says why not. Safe to repeat. */
export async function retire(mirror: Mirror, branch: string, landed: string): Promise<string | null> {
  const head = await mirror.userHead(branch)
  if (head === null) return null
  const why = await whyKept(mirror, branch, landed)
  if (why !== null) return why
  // First: what is asked of it afterwards is answered from there.
  await mirror.keep(nameOf(branch), head)
  const gone = await git(['update-ref', '--no-deref', '-m', 'muster', '-d', `refs/heads/${branch}`, head], {
    gitDir: mirror.userGitDir,
    okCodes: [1, 128],
  })
  return gone.code === 0 ? null : 'it moved in the meantime'
}

/** The head of a branch or, of one that went, where it was. */
export async function headOf(mirror: Mirror, branch: string): Promise<string | null> {
  return (await mirror.userHead(branch)) ?? (await retiredHead(mirror, branch))
}

/** The head of a branch that something is to land on or start from: one that went comes back. Null: it is not there. */
export async function headAgain(mirror: Mirror, branch: string): Promise<string | null> {
  const head = await mirror.userHead(branch)
  const before = head === null ? await retiredHead(mirror, branch) : null
  if (before === null) return head
  return (await moveBranch(mirror, branch, null, before)) === 'ok' ? before : mirror.userHead(branch)
}

/** The same of a branch that must be there. */
export async function requireAgain(mirror: Mirror, branch: string): Promise<string> {
  return (await headAgain(mirror, branch)) ?? requireHead(mirror, branch)
}

async function retiredHead(mirror: Mirror, branch: string): Promise<string | null> {
  const before = branch.startsWith('muster/') ? await mirror.kept(nameOf(branch)) : null
  // One that came back and was seen elsewhere since is the user's to take away.
  const last = before === null ? null : await mirror.lastHead(branch)
  return before !== null && (last ?? before) === before && (await mirror.has(before)) ? before : null
}

const nameOf = (branch: string): string => `retired/${branch}`
