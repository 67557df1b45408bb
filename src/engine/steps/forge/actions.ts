/**
 * `action open-pr` and `action mark-ready`. Both read the state first and do only what is missing, so that a crash or a
 * repetition leaves one pull request in the right state (S2.30, S2.31, E-30).
 */
import { taskBranch } from '../../../domain/task/task.ts'
import type { Forge } from '../../../ports/forge.ts'
import type { Action, ActionContext } from '../../../ports/steps.ts'
import { because } from '../../../domain/task/reasons.ts'
import { failsFor, waitsFor, type StepResult } from '../../../domain/task/event.ts'
import { attempt, closedReason, covered, hasPull, meet, pullHere, result } from './pull.ts'

const never = async () => false

export function openPrAction(forge: Forge): Action {
  return {
    // It has been tried: before that is done and written down again, what it waited for is looked at.
    async notYet({ target }, state) {
      if (state.wait === null) return null
      const pr = pullHere(state, forge)
      // One that a person closed meanwhile waits for nothing any more.
      if (pr !== null && (await forge.read(pr)).state === 'closed') return null
      return meet(forge, target, 'look')
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
  if (commit === null) return result('ERROR', 'there is nothing to show: no attempt left a result')
  const branch = taskBranch(id)
  const before = pr === null ? null : await forge.read(pr)
  if (before?.state === 'closed') return failsFor(closedReason(before, forge))
  if (before?.state === 'merged' && before.head === commit) return opened(forge, before, commit)
  // Nobody's checkout has to follow before there is something to land.
  const waits = await meet(forge, target, 'give')
  if (waits !== null) return waitsFor(waits)
  const published = await forge.publish(branch, commit)
  if (published.kind === 'foreign') {
    const { commit: theirs, author, there } = published
    return waitsFor(because('foreign-commit', { there, forge: forge.name, commit: theirs, by: author, task: id }))
  }
  const body = bodyOf(spec)
  const pull = await forge.ensure({ task: id, branch, target, head: commit, title, body })
  if (pull.state === 'closed') return failsFor(closedReason(pull, forge))
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

/** For people at the forge. The task's texts stay with Muster; its title is the pull request's. */
function bodyOf({ id, target }: ActionContext['spec']): string {
  return [
    `Task \`${id}\`, onto \`${target}\`. \`muster show ${id}\` shows its contract and the results for this commit.`,
    '',
    'An approving review moves the task on. A review that requests changes sends it back to its author with every comment.',
    'Closing this pull request ends the task. Muster takes a commit on the branch as an attempt and verifies it like any other.',
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
  if (before.state === 'closed') return failsFor(closedReason(before, forge))
  await forge.markReady(pr)
  const pull = await forge.read(pr)
  // Nothing counts as done that is not found to be so (L7).
  if (pull.state === 'draft') return waitsFor(because('pull-draft', { url: pull.url, by: 'forge' }))
  return result('ADVANCE', `${pull.url} is ready`)
}
