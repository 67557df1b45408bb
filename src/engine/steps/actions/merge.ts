/**
 * `action merge`: brings a task's snapshot onto its target branch, one landing per target at a time. The merge commit and
 * the head it replaces are pinned before the branch moves, so that after a crash "is it an ancestor of the target" tells
 * whether it happened (L6), and nothing counts as landed that is not found there (L7).
 */
import { because } from '../../../domain/task/reasons.ts'
import { waitsFor, type StepResult } from '../../../domain/task/event.ts'
import { servedStory } from '../../../domain/task/purpose.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { LandResult } from '../../../ports/landing.ts'
import type { Action, ActionContext } from '../../../ports/steps.ts'
import type { MergeResult, Workspaces } from '../../../ports/workspaces.ts'
import { Mutexes } from '../../loop/mutex.ts'
import { landingMessage } from './message.ts'

/** Lost races in a row before it is an error, tried again on the budget for errors. */
const racesMax = 5
/** How long another git is waited for, in all some six seconds; a lock that stays is for a person. */
const PAUSES_MS = [50, 100, 200, 400, 800, 1600, 3200]

export function mergeAction(workspaces: Workspaces, clock: Pick<Clock, 'after'>): Action {
  const landings = new Mutexes()
  return {
    async notYet(spec, state, config) {
      if (config.protected.includes(spec.target) && state.approval?.commit !== state.commit) {
        return because('approval', { task: spec.id, target: spec.target, open: [] })
      }
      // Only a task that had to wait before looks at the checkout again: the usual landing asks git once.
      const { wait, commit } = state
      const what = wait === null || commit === null ? null : await workspaces.obstacle(spec.target, commit)
      return what === null ? null : because('obstacle', { what, brief: false })
    },
    execute: (context) => landings.run(context.spec.target, () => land(workspaces, clock, context)),
    happened: async (spec, pinned) => (await earlierLanding(workspaces, { spec, pinned })) !== null,
  }
}

async function land(workspaces: Workspaces, clock: Pick<Clock, 'after'>, context: ActionContext): Promise<StepResult> {
  const { commit } = context.state
  const { target } = context.spec
  if (commit === null) return result('RETRY', 'there is nothing to land: no attempt left a result')
  const before = await earlierLanding(workspaces, context)
  if (before !== null) return before
  const pauses = [...PAUSES_MS]
  for (let races = 0; races < racesMax;) {
    const tried = await tryToLand(workspaces, context, commit)
    if ('outcome' in tried) return tried
    if (tried.kind === 'moved') {
      races += 1
      continue
    }
    const pause = tried.brief ? pauses.shift() : undefined
    if (pause === undefined) return waitsFor(because('obstacle', { what: tried.detail, brief: false }))
    await new Promise<void>((resolve) => void clock.after(pause, resolve))
  }
  return result('ERROR', `${target} moved ${racesMax} times while this was landing`)
}

type NotLanded = { kind: 'moved' } | Extract<LandResult, { kind: 'blocked' }>

/** How it ended, or why it did not come to that this time. */
async function tryToLand(
  workspaces: Workspaces,
  context: ActionContext,
  snapshot: string,
): Promise<StepResult | NotLanded> {
  const { spec, config, base, verified, pin } = context
  const { target } = spec
  // A Ship keeps the story's history, or the next one would conflict with it.
  const squash = config.landing === 'squash' && servedStory(spec) === null ? { base } : false
  const merged = await workspaces.merge(target, snapshot, squash)
  if (merged.kind === 'already') return isThere(workspaces, context, merged)
  if (merged.kind !== 'merged') return unmerged(target, merged)
  if (verified !== merged.tree) return verifyFirst(target)
  const commit = await merged.commit(await messageOf(context))
  await pin({ commit, old: merged.old, target })
  const landed = await workspaces.land(target, merged.old, commit)
  if (landed.kind === 'blocked') return landed
  const isFound = landed.kind === 'landed' && (await workspaces.isAncestor(commit, target))
  return isFound ? landedOn(target, merged.old, commit, merged.tree) : { kind: 'moved' }
}

/** The target has it already, brought there by another Muster or by somebody else. */
async function isThere(
  workspaces: Workspaces,
  context: ActionContext,
  merged: Extract<MergeResult, { kind: 'already' }>,
): Promise<StepResult> {
  const { spec, verified } = context
  const { target } = spec
  const tree = servedStory(spec) === null && verified !== null ? (await workspaces.at(merged.commit)).tree : verified
  // A push that outlived the Muster which began it may have arrived only now.
  const landing = await earlierLanding(workspaces, context)
  if (landing !== null) return landing
  // Somebody brought it there, with something else: what stands there is verified.
  if (verified !== tree) return waitsFor(because('verify-target', { target }), { reverify: true })
  return { ...result('ADVANCE', `${target} already contains it`), ...(await whatLanded(workspaces, context, merged)) }
}

/** What is known of a landing that this execution found done, by another Muster or by somebody else. */
async function whatLanded(
  workspaces: Workspaces,
  { spec }: ActionContext,
  { as }: Extract<MergeResult, { kind: 'already' }>,
): Promise<Pick<StepResult, 'landed'>> {
  // A story's Ship is validated on what its base is then, whoever brought it there.
  const head = servedStory(spec) === null ? null : await workspaces.head(spec.target)
  if (head !== null) return { landed: { from: head, to: head } }
  const from = as === null ? null : await workspaces.find(`${as}^1`)
  return as === null || from === null ? {} : { landed: { from: from.commit, to: as } }
}

async function messageOf({ spec, config, said }: ActionContext): Promise<string> {
  const own = config.landing === 'squash' ? landingMessage(spec, await said()) : null
  const message = own === null ? `Merge ${spec.id}: ${spec.title}\n` : `${own.subject}\n\n${own.body}`
  return message.replaceAll('\0', ' ')
}

/** What an interrupted execution of this same step has landed, if it got that far. */
async function earlierLanding(
  workspaces: Workspaces,
  { spec, pinned }: Pick<ActionContext, 'spec' | 'pinned'>,
): Promise<StepResult | null> {
  const { commit: to, old: from } = (pinned ?? {}) as { commit?: string; old?: string }
  if (to === undefined || from === undefined || !(await workspaces.isAncestor(to, spec.target))) return null
  return landedOn(spec.target, from, to, (await workspaces.at(to)).tree)
}

function landedOn(target: string, from: string, to: string, tree: string): StepResult {
  return { ...result('ADVANCE', `landed on ${target}`), landed: { from, to, tree } }
}

/** What came of a merge that is none. The target moves on by itself: that it does so again says nothing about the author. */
export function unmerged(target: string, merged: Exclude<MergeResult, { kind: 'merged' | 'already' }>): StepResult {
  switch (merged.kind) {
    case 'missing':
      return waitsFor(because('obstacle', { what: merged.detail, brief: false }))
    case 'rewritten':
      return { ...result('RETRY', rewritten(target, merged.commits)), prints: [] }
    case 'conflict': {
      const names = merged.files.map((file) => file.path).join(', ')
      const findings = merged.files.map(({ path, excerpt }) => ({
        severity: 'FAIL' as const,
        message: excerpt,
        file: path,
      }))
      const detail = `conflict with ${target} in ${names}: the next attempt starts from both sides, with conflict markers to resolve`
      return { outcome: 'RETRY', detail, findings, prints: [] }
    }
  }
}

function rewritten(target: string, commits: number): string {
  if (commits === 0)
    return `its last result is lost: Muster's mirror no longer has it. The next attempt starts from ${target}`
  const what =
    commits === 1 ? 'a commit that this work builds on is' : `${commits} commits that this work builds on are`
  return `${target} was rewritten: ${what} no longer part of it. The next attempt starts from its new head and must do this work again`
}

/** The merge is another tree than the one that was verified. */
export function verifyFirst(target: string): StepResult {
  return waitsFor(because('verify-merge', { target }), { reverify: true })
}

function result(outcome: StepResult['outcome'], detail: string): StepResult {
  return { outcome, detail, findings: [] }
}
