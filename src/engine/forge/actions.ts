/**
 * `action open-pr` and `action mark-ready`. Both look first and do only what is still to do, so that a crash anywhere
 * inside, and a repetition, leave one pull request in the right state (S2.30, S2.31, E-30).
 */
import { taskBranch } from '../../domain/task.ts'
import type { Forge } from '../../ports/forge.ts'
import type { Action, ActionContext } from '../../ports/steps.ts'
import type { StepResult } from '../../domain/transition.ts'
import { attempt, closedReason, covered, hasPull, pullHere, result } from './pull.ts'

const never = async () => false

export function openPrAction(forge: Forge): Action {
  return {
    // It has been tried: before that is done and written down again, what it waited for is looked at.
    async notYet({ target }, state) {
      if (state.wait === null) return null
      const pr = pullHere(state, forge)
      // One that a person closed meanwhile waits for nothing any more.
      if (pr !== null && (await forge.read(pr)).state === 'closed') return null
      const reason = await forge.meet(target, 'look')
      return reason === null ? null : { reason }
    },
    execute: (context) => attempt(() => open(forge, context)),
    happened: never,
  }
}

async function open(forge: Forge, { spec, state }: ActionContext): Promise<StepResult> {
  const { id, target, title } = spec
  const { commit } = state
  const pr = pullHere(state, forge)
  if (!hasPull(spec)) return result('ADVANCE', covered(spec.parent))
  if (commit === null) return result('ERROR', 'there is nothing to show: no attempt has left a result')
  const branch = taskBranch(id)
  const before = pr === null ? null : await forge.read(pr)
  if (before?.state === 'closed') return closed(closedReason(before, forge))
  if (before?.state === 'merged' && before.head === commit) return opened(forge, before, commit)
  // Nobody's checkout has to follow before there is something to land.
  const waits = await forge.meet(target, 'give')
  if (waits !== null) return result('WAIT', waits)
  const published = await forge.publish(branch, commit)
  if (published.kind === 'foreign') {
    const { commit: theirs, author, there } = published
    return result(
      'WAIT',
      `${there} at ${forge.name} holds ${theirs.slice(0, 12)} by ${author}, which is not Muster's: delete the branch there, or fetch it and: muster submit ${id} <commit>`,
    )
  }
  const body = bodyOf(spec)
  const pull = await forge.ensure({ task: id, branch, target, head: commit, title, body })
  if (pull.state === 'closed') return closed(closedReason(pull, forge))
  return opened(forge, pull, commit)
}

function opened(
  forge: Forge,
  { id, url, state }: { id: string; url: string; state: string },
  head: string,
): StepResult {
  const what = state === 'draft' ? 'draft pull request' : 'pull request'
  return result('ADVANCE', `${what} ${url} at ${forge.name} has ${head.slice(0, 12)}`, {
    pr: { id, url, head, place: forge.place },
  })
}

const closed = (reason: string): StepResult => result('ERROR', reason, { fails: reason })

/** For people at the forge. The task's texts stay with Muster; its title is the pull request's. */
function bodyOf({ id, target }: ActionContext['spec']): string {
  return [
    `Task \`${id}\`, onto \`${target}\`. \`muster show ${id}\` has its contract, and what was found out about this commit.`,
    '',
    'An approving review lets it go on, a review that asks for changes sends it back to its author with every comment.',
    'Closing this ends the task. A commit on the branch is taken as an attempt, and verified like any other.',
    '',
    `<!-- muster task: ${id.replaceAll('--', '- -')} -->`,
  ].join('\n')
}

export function markReadyAction(forge: Forge): Action {
  return { notYet: async () => null, execute: (context) => attempt(() => ready(forge, context)), happened: never }
}

async function ready(forge: Forge, { spec, state }: ActionContext): Promise<StepResult> {
  const pr = pullHere(state, forge)
  if (!hasPull(spec)) return result('ADVANCE', covered(spec.parent))
  if (pr === null) return result('ERROR', 'it has no pull request')
  const before = await forge.read(pr)
  if (before.state === 'closed') return closed(closedReason(before, forge))
  await forge.markReady(pr)
  const pull = await forge.read(pr)
  // Nothing counts as done that is not found to be so (L7).
  if (pull.state === 'draft')
    return result('WAIT', `${pull.url} to be ready for review: it is still a draft`, { byItself: true })
  return result('ADVANCE', `${pull.url} is ready`)
}
