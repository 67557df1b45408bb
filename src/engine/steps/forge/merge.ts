/**
 * `action merge` for a task with a pull request. If the forge merges, Muster first verifies the merge, then tells the
 * forge to merge exactly that head, checks the result, and moves the user's own branch after it (D-15, E-23, L7, L8).
 * If Muster lands itself, it lands as usual and records that in the pull request.
 */
import { PR_REVIEW, weighReviews, type Pull, type TaskPull } from '../../../domain/forge.ts'
import { because, type Reason } from '../../../domain/task/reasons.ts'
import { failsFor, waitsFor, type StepResult } from '../../../domain/task/event.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Forge } from '../../../ports/forge.ts'
import type { Action, ActionContext } from '../../../ports/steps.ts'
import type { Workspaces } from '../../../ports/workspaces.ts'
import { mergeAction, unmerged, verifyFirst } from '../actions/merge.ts'
import { landingMessage } from '../actions/message.ts'
import { Mutexes } from '../../loop/mutex.ts'
import { attempt, closedReason, hasPull, meet, pullHere, result } from './pull.ts'

export function forgeMergeAction(workspaces: Workspaces, forge: Forge, clock: Clock): Action {
  const here = mergeAction(workspaces, clock)
  const landings = new Mutexes()
  const isThere = (spec: ActionContext['spec']) => forge.lands === 'there' && hasPull(spec)
  return {
    async notYet(spec, state, config) {
      if (!isThere(spec)) return here.notYet(spec, state, config)
      // How long it has waited says nothing here: the forge is asked as often as it may be.
      const early = await here.notYet(spec, { ...state, wait: null }, config)
      if (early !== null) return early
      return obstacleThere(forge, spec, state)
    },
    execute(context) {
      const { spec } = context
      if (!hasPull(spec)) return here.execute(context)
      if (forge.lands === 'here') return attempt(() => landHere(forge, here, context))
      return landings.run(spec.target, () => attempt(() => landThere(workspaces, forge, context)))
    },
    async happened(spec, pinned) {
      const { pr } = pinned as { pr?: TaskPull }
      if (pr === undefined) return here.happened(spec, pinned)
      const pull = await forge.read(pr).catch(() => null)
      return pull === null || pull.state === 'merged'
    },
  }
}

async function landHere(forge: Forge, here: Action, context: ActionContext): Promise<StepResult> {
  const { commit } = context.state
  const pr = pullHere(context.state, forge)
  if (pr === null || commit === null) return result('ERROR', 'it has no pull request')
  const pull = await forge.read(pr)
  if (pull.state === 'closed') return failsFor(closedReason(pull, forge))
  // Its map has made it ready, or it was made after that, when it came here from another forge: nobody else could.
  if (pull.state === 'draft') await forge.markReady(pr)
  const landed = await here.execute(context)
  if (landed.outcome === 'ADVANCE') {
    await forge.merge(pr, {
      head: commit,
      title: '',
      message: '',
      keepParents: false,
      landed: landed.landed?.to ?? null,
    })
  }
  return landed
}

/**
 * What can be seen to be in the way before the step begins. What waits for days is looked at as often, and each beginning
 * is written down: nothing is begun of which the forge says that it comes no further than the last time.
 */
async function obstacleThere(
  forge: Forge,
  { target }: ActionContext['spec'],
  state: ActionContext['state'],
): Promise<Reason | null> {
  const { commit, wait } = state
  const pr = pullHere(state, forge)
  if (pr === null) return null
  const pull = await forge.read(pr)
  if (pull.head !== commit || pull.state === 'closed' || isMerged(pull, target)) return null
  const waits = unfit(pull, target) ?? (await meet(forge, target, 'look'))
  const refused = pull.blocked && wait?.code === 'merge-refused' && wait.params.url === pull.url
  return waits ?? (refused ? wait : null)
}

async function landThere(workspaces: Workspaces, forge: Forge, context: ActionContext): Promise<StepResult> {
  const { spec, state, base, verified, pin } = context
  const { target } = spec
  const { commit } = state
  const pr = pullHere(state, forge)
  if (pr === null || commit === null) return result('ERROR', 'it has no pull request')
  const pull = await forge.read(pr)
  if (pull.state === 'closed') return failsFor(closedReason(pull, forge))
  // The engine finds out whose commit it is, and takes it as an attempt: the approval was of another.
  if (pull.head !== commit) return waitsFor(because('pull-moved', { url: pull.url }))
  if (isMerged(pull, target)) return arrive(workspaces, forge, context, pull.mergedAs)
  const waits = unfit(pull, target) ?? (await meet(forge, target, 'follow'))
  if (waits !== null) return waitsFor(waits)
  const merged = await workspaces.merge(target, commit, false)
  if (merged.kind === 'already') return result('ADVANCE', `${target} already contains it`)
  if (merged.kind !== 'merged') return unmerged(target, merged)
  if (verified !== merged.tree) return verifyFirst(target)
  const obstacle = await workspaces.obstacle(target, commit)
  if (obstacle !== null) return waitsFor(because('obstacle', { what: obstacle, brief: false }))
  const against = await saidSince(forge, pr, pull, context)
  if (against !== null) return against
  await pin({ pr, head: commit, old: merged.old, target })
  const { subject, body } = landingMessage(spec, await context.said())
  const answer = await forge.merge(pr, {
    head: commit,
    title: subject,
    message: body,
    keepParents: await workspaces.brings(target, commit, base),
    landed: null,
  })
  switch (answer.kind) {
    case 'merged':
      return arrive(workspaces, forge, context, answer.commit)
    case 'moved':
      return waitsFor(because('pull-moved', { url: pull.url }))
    case 'conflict':
      return waitsFor(because('target-moved', { target, forge: forge.name }))
    case 'blocked':
      return waitsFor(because('merge-refused', { forge: forge.name, url: pull.url, why: answer.why }))
  }
}

/**
 * It may have waited for days since it was approved: what people took back or asked for meanwhile is heard before it lands.
 * Null if nothing is against it.
 */
async function saidSince(
  forge: Forge,
  pr: TaskPull,
  { url }: Pull,
  { spec, state }: ActionContext,
): Promise<StepResult | null> {
  const { commit, approval } = state
  const isReviewed = spec.phases.some(({ step }) => step.type === 'signal' && step.name === PR_REVIEW)
  if (!isReviewed || commit === null) return null
  const found = weighReviews(await forge.reviews(pr), commit)
  if (found.status === 'changes') return result('RETRY', found.message, { findings: found.findings })
  const by = approval?.commit === commit ? approval.by.split(', ') : []
  const isTakenBack = found.status === 'pending' && found.dismissed.some((one) => by.includes(one))
  return isTakenBack ? waitsFor(because('review', { said: found.message, url })) : null
}

/** The forge has merged it: what it made of the target is brought here, and held against what was verified. */
async function arrive(
  workspaces: Workspaces,
  forge: Forge,
  { spec, state, verified }: ActionContext,
  made: string | null,
): Promise<StepResult> {
  const { target } = spec
  const { commit } = state
  if (made === null || commit === null) return waitsFor(because('merge-untold', { target, forge: forge.name }))
  const from = await workspaces.head(target)
  const landed = await forge.follow(target, made, commit)
  if (landed.kind === 'blocked') return waitsFor(because('obstacle', { what: landed.detail, brief: landed.brief }))
  if (landed.kind !== 'landed' || !(await workspaces.isAncestor(made, target))) {
    return result('ERROR', `${made} is not part of ${target} here, though ${forge.name} merged it`)
  }
  if (verified !== landed.tree) {
    // It moved at the forge in the moment of the merge. What stands there now is verified instead.
    const head = await workspaces.head(target)
    const now = head === null ? null : (await workspaces.at(head)).tree
    if (verified !== now) return { ...verifyFirst(target), landed: { from: from ?? made, to: made } }
  }
  return result('ADVANCE', `landed on ${target}`, { landed: { from: from ?? made, to: made } })
}

const isMerged = ({ state, base }: Pull, target: string): boolean => state === 'merged' && base === target
const unfit = ({ url, base, state }: Pull, target: string): Reason | null => {
  if (base !== target)
    return because(state === 'merged' ? 'pull-merged-elsewhere' : 'pull-turned', { url, base, target })
  return state === 'draft' ? because('pull-draft', { url, by: 'map' }) : null
}
