/** Everything that waits for a person: tasks at their gates, held or failed, and stories that only somebody can move on. */
import { CHECKER, isChecking, standsAtAcceptance } from '../domain/check.ts'
import type { NeedAction, NeedKind } from '../domain/need.ts'
import { needsPerson } from '../domain/stage.ts'
import { UNKNOWN_DEPLOY } from '../domain/story.ts'
import { currentPhase } from '../domain/task.ts'
import type { ListedTask, Store } from '../ports/store.ts'
import { ELABORATOR } from './elaborate.ts'
import { iso, storyView } from './views.ts'

export interface Need {
  kind: NeedKind
  /** Of the task, or of the story. */
  id: string
  title: string
  story: { id: string; name: string } | null
  reason: string
  /** What the checker has against it. */
  report: string | null
  since: string
  round: number
  version: number | null
  actions: NeedAction[]
  /** Accepting it overrules somebody, and needs words. */
  reasonNeeded: boolean
}

type Asked = Pick<Need, 'kind' | 'reason' | 'actions'> & Partial<Pick<Need, 'report' | 'reasonNeeded'>>

/** The longest waiting first. */
export async function needsView(store: Store, limit: number): Promise<{ items: Need[]; more: boolean }> {
  const stories = await store.stories()
  const names = new Map(stories.map(({ id, name }) => [id, name]))
  const idle = await store.idleTasks(limit + 1)
  const tasks = idle.flatMap((task): Need[] => {
    const asked = askedOf(task)
    if (asked === null) return []
    const { spec, state, version, updatedAt } = task
    const story = spec.story === null ? null : { id: spec.story, name: names.get(spec.story) ?? spec.story }
    const { id, title } = spec
    const common = { id, title, story, since: iso(updatedAt), round: state.round, version }
    return [{ report: null, reasonNeeded: false, ...common, ...asked }]
  })
  const whole = await Promise.all(stories.map(({ id }) => storyNeed(store, id)))
  const items = [...tasks, ...whole.filter((need) => need !== null)]
  items.sort((a, b) => a.since.localeCompare(b.since))
  return { items: items.slice(0, limit), more: idle.length > limit || items.length > limit }
}

function askedOf({ spec, state }: ListedTask): Asked | null {
  if (state.status === 'failed') {
    return { kind: 'failed', reason: state.failureReason ?? 'it failed', actions: ['retry'] }
  }
  if (!needsPerson(state, spec.phases)) return null
  const step = currentPhase(state, spec.phases)?.step
  if (state.held !== null) {
    const begun = state.status === 'in-progress'
    const over: NeedAction[] = state.commit === null ? [] : [step?.type === 'action' ? 'approve' : 'accept']
    const actions: NeedAction[] = ['retry', ...(begun ? (['reject', ...over] as const) : []), 'cancel']
    return { kind: 'held', reason: state.held, actions, reasonNeeded: step?.type !== 'action' }
  }
  if (step?.type === 'action') {
    return { kind: 'landing', reason: state.wait ?? 'it waits to land', actions: ['approve', 'reject', 'cancel'] }
  }
  if (spec.phases.some((phase) => phase.step.name === ELABORATOR)) {
    const reason = 'a draft of the story is ready: read it, then approve it or say what should be otherwise'
    return { kind: 'draft', reason, actions: ['approve-draft', 'reject', 'cancel'] }
  }
  const yes = yesTo(spec)
  const { verdict = null, report = '' } = state.check ?? {}
  if (standsAtAcceptance(state, spec.phases) && (verdict === 'FAIL' || verdict === 'ERROR')) {
    const failed = verdict === 'FAIL'
    const reason = failed ? `the ${CHECKER} says that it is not done` : `the ${CHECKER} could not tell`
    const actions: NeedAction[] = [...(failed ? [] : (['retry'] as const)), 'reject', yes]
    return { kind: failed ? 'checker-failed' : 'checker-error', reason, report, actions, reasonNeeded: true }
  }
  return { kind: 'review', reason: 'the work is done and waits for your word', actions: [yes, 'reject', 'cancel'] }
}

/** What lands on the base needs an approval sooner or later: one word is enough. */
const yesTo = ({ story, parent }: ListedTask['spec']): NeedAction =>
  story === null && parent === null ? 'approve' : 'accept'

/** Everything a person can do to a task now, asked or not: they may also speak before its checker does. */
export function possibleActions(task: ListedTask): NeedAction[] {
  const { spec, state } = task
  if (state.status === 'completed') return []
  if (state.status === 'failed' || state.status === 'cancelled') return ['retry']
  const asked = askedOf(task)?.actions ?? (isChecking(state, spec.phases) ? [yesTo(spec), 'reject' as const] : [])
  return [...new Set([...asked, 'cancel' as const])]
}

async function storyNeed(store: Store, id: string): Promise<Need | null> {
  const story = await store.story(id)
  const state = (await store.standing(id))?.standing.state
  if (story === null || (state !== 'SHIPPABLE' && state !== 'NEEDS_FIX' && state !== 'SHIPPING')) return null
  const { message, work, tasks } = await storyView(store, story)
  const asked = ((): Asked | null => {
    const done = `${tasks.completed} of ${tasks.completed} tasks are completed`
    if (state === 'SHIPPABLE') return { kind: 'ship', reason: message ?? done, actions: ['ship'] }
    if (state === 'NEEDS_FIX') return { kind: 'fix', reason: message ?? 'its validation failed', actions: ['fix'] }
    if (work?.stage !== 'review') return null
    const reason = work.waitingFor?.replace(/^a person: /, '') ?? 'it stopped half-way'
    return { kind: 'deploy', reason, actions: reason.startsWith(UNKNOWN_DEPLOY) ? ['deployed', 'resume'] : ['resume'] }
  })()
  if (asked === null) return null
  const last = (await store.events(`story:${id}`)).at(-1)?.at ?? story.createdAt
  const common = { id, title: story.name, story: null, since: iso(last), round: 0, version: null }
  return { report: null, reasonNeeded: false, ...common, ...asked }
}
