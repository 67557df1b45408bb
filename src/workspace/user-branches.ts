/** Branches of the user's repository that Muster makes and shows its work on, and commits that people put there. */
import { MusterError } from '../domain/errors.ts'
import type { PersonalCommit } from '../ports/landing.ts'
import type { Workspaces } from '../ports/workspaces.ts'
import { makeBranch, moveBranch } from './branches.ts'
import type { Mirror } from './mirror.ts'
import { headOf, ownBranches, retire, whyKept } from './retired.ts'
import type { Submodules } from './submodules.ts'

const racesMax = 5

export function userBranchesIn(mirror: Mirror, submodules: Submodules) {
  return {
    head: (branch) => headOf(mirror, branch),

    async ensureBranch(branch, from) {
      await mirror.fetch(from)
      const existing = await mirror.userHead(branch)
      // Left over from a start that was cut short: it holds nothing of its own, so it may follow.
      const behind = existing !== null && existing !== from && (await mirror.isAncestor(existing, from))
      if (existing !== null && !behind) return existing
      const made = existing === null ? makeBranch(mirror, branch, from) : moveBranch(mirror, branch, existing, from)
      if ((await made) === 'ok') return from
      const head = await mirror.userHead(branch)
      if (head !== null) return head
      const [top = ''] = branch.split('/')
      const inTheWay =
        (await mirror.userHead(top)) === null ? 'the repository refuses it' : `the branch "${top}" is in the way`
      throw new MusterError('config', `cannot create the branch ${branch}: ${inTheWay}`, {
        hint: `git branch -m ${top} <another name>`,
      })
    },

    async publish(branch, commit) {
      for (let race = 0; race < racesMax; race++) {
        const head = await mirror.userHead(branch)
        if (head === commit) return null
        if (head !== null && !(await mirror.isOwn(head)) && !(await mirror.isAncestor(head, commit)))
          return `it has a commit that is not Muster's (git show ${branch}; muster submit takes it as an attempt)`
        await submodules.show(commit, branch)
        const moved = await moveBranch(mirror, branch, head, commit)
        if (moved === 'ok') return null
        // Moved in between: what it moved to decides.
        if (moved !== 'moved') return moved.detail
      }
      return 'somebody else keeps moving it'
    },

    ownBranches: () => ownBranches(mirror.userGitDir),

    whyKept: (branch, landed) => whyKept(mirror, branch, landed),

    retire: (branch, landed) => retire(mirror, branch, landed),

    find: (revision) => findCommit(mirror, revision),

    async personalHead(branch, own) {
      const head = await mirror.userHead(branch)
      if (head === null || head === own || (await mirror.isOwn(head)) || !(await mirror.isAncestor(own, head)))
        return null
      return findCommit(mirror, head)
    },

    adopt: (commit) => mirror.keep(`adopted/${commit}`, commit),
  } satisfies Partial<Workspaces>
}

async function findCommit(mirror: Mirror, revision: string): Promise<PersonalCommit | null> {
  const commit = await mirror.resolveUser(revision)
  if (commit === null) return null
  await mirror.fetch(commit)
  return { commit, author: await mirror.line(['show', '-s', '--format=%an', commit]) }
}
