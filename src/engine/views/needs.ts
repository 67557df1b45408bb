/**
 * Everything that needs a person: tasks at gates, held or failed ones, stories that only a person can move on, and
 * whatever prevents work from starting.
 */
import type { NeedAction, NeedKind } from '../../domain/task/need.ts'
import { codeOf, wordsOf } from '../../domain/task/reasons.ts'
import type { StoryStanding, StoryState } from '../../domain/story/story.ts'
import type { Story } from '../../domain/task/task.ts'
import type { ListedTask, Store } from '../../ports/store.ts'
import { requestOfStory, requestOfTask } from '../asking.ts'
import { limitedPrograms } from '../loop/rate-limits.ts'
import type { Asked } from './task-need.ts'
import { askedOf, landsOn } from './task-need.ts'
import { unpushed, unpushedText } from './unpushed.ts'
import { iso, storyView } from './views.ts'

interface Need {
  kind: NeedKind
  /** Of the task, of the story, the name of the program, or of the branch that is not pushed; empty for the project as a whole. */
  id: string
  title: string
  story: { id: string; name: string } | null
  reason: string
  /** What the checker has against it. */
  report: string | null
  /** Why an agent asks for the decision. */
  request: string | null
  /** The address of its pull request. */
  pr: string | null
  since: string
  round: number
  version: number | null
  actions: NeedAction[]
  /** The branch that accepting it lets it land on; null: none of the user's, or something else comes first. */
  lands: string | null
  /** Accepting it overrules somebody, and needs words. */
  reasonNeeded: boolean
}

/** The longest waiting first. */
export async function needsView(store: Store, limit: number, now: number): Promise<{ items: Need[]; more: boolean }> {
  const stories = await store.stories()
  const names = new Map(stories.map(({ id, name }) => [id, name]))
  const standings = await store.standings()
  // Nobody is asked about what a person gave up or put away.
  const quiet = new Set(standings.filter(isQuiet).map(({ id }) => id))
  const idle = await store.idleTasks(limit + 1)
  const stuck = Map.groupBy(await store.deadlocked(limit), ({ behind }) => behind)
  const tasks: Need[] = []
  const tell = async (task: ListedTask, asked: Asked) => {
    const { spec, state, version, updatedAt } = task
    const story = spec.story === null ? null : { id: spec.story, name: names.get(spec.story) ?? spec.story }
    const common = { id: spec.id, title: spec.title, story, since: iso(updatedAt), round: state.round, version }
    const request = await requestOfTask(store, state)
    const lands = landsOn(task)
    tasks.push({ report: null, request, pr: state.pr?.url ?? null, lands, reasonNeeded: false, ...common, ...asked })
  }
  for (const task of idle) {
    if (task.spec.story !== null && quiet.has(task.spec.story)) continue
    const asked = stuck.has(task.spec.id) ? null : await askedOf(store, task)
    if (asked !== null) await tell(task, asked)
  }
  for (const [id, behind] of stuck) {
    const task = await store.task(id)
    if (task !== null) await tell(task, deadlock(task, behind))
  }
  const known = new Map(stories.map((story) => [story.id, story]))
  const whole: (Need | null)[] = []
  for (const standing of standings) {
    if (isQuiet(standing)) continue
    const story = known.get(standing.id)
    if (story !== undefined) whole.push(await storyNeed(store, story, standing))
  }
  const items = [...tasks, ...whole.filter((need) => need !== null), ...(await projectNeeds(store, now))]
  items.sort((a, b) => a.since.localeCompare(b.since))
  return { items: items.slice(0, limit), more: idle.length > limit || items.length > limit }
}

const isQuiet = ({ state, archived }: StoryStanding): boolean => state === 'CANCELLED' || archived === true

const namedMax = 3

/** What failed or was cancelled, and keeps others from ever starting. */
function deadlock({ state }: Pick<ListedTask, 'state'>, behind: readonly { title: string }[]): Asked {
  const named = behind.slice(0, namedMax).map(({ title }) => `“${title}”`)
  const others = behind.length - named.length
  const who = [...named, ...(others === 0 ? [] : [others === 1 ? '1 other' : `${others} others`])].join(', ')
  const why =
    state.status === 'failed' ? (state.failure === null ? 'it failed' : wordsOf(state.failure)) : 'it was cancelled'
  const reason = `${why}, so ${who} can never start: retry it, or cancel what waits for it`
  return { kind: 'deadlock', reason, actions: ['retry'] }
}

/** Of what is no task. */
const NOBODYS = { story: null, pr: null, round: 0, version: null, lands: null }

/** What stops work altogether, or that of one program. */
async function projectNeeds(store: Store, now: number): Promise<Need[]> {
  const common = { ...NOBODYS, report: null, request: null, reasonNeeded: false }
  const limits = (await limitedPrograms(store, now)).map(({ program, until, since = now }): Need => {
    const reason = `its account is at its rate limit until ${iso(until)}. Tasks that need it wait until then and continue by themselves`
    return { ...common, kind: 'limit', id: program, title: program, reason, since: iso(since), actions: [] }
  })
  const pushes = (await unpushed(store)).map((one): Need => {
    const { branch, since } = one
    const title = `${branch} is not pushed`
    return { ...common, kind: 'push', id: branch, title, reason: unpushedText(one), since: iso(since), actions: [] }
  })
  const stopped = [...limits, ...pushes]
  const paused = await store.setting('paused')
  if (paused === null) return stopped
  const since = iso(Number(paused) || now)
  const reason = 'somebody paused Muster: nothing new starts until it is resumed'
  return [
    ...stopped,
    { ...common, kind: 'paused', id: '', title: 'Muster is paused', reason, since, actions: ['unpause'] },
  ]
}

/** Where a story may wait for a person; also while it is open, if something stopped with a message to one. */
const PERSONS: ReadonlySet<StoryState> = new Set<StoryState>(['SHIPPABLE', 'NEEDS_FIX', 'SHIPPING'])

async function storyNeed(store: Store, story: Story, standing: StoryStanding): Promise<Need | null> {
  const { state, message: stopped } = standing
  if (state === 'OPEN' ? stopped === null : !PERSONS.has(state)) return null
  const { id } = story
  const { message, work, tasks } = await storyView(store, story)
  const unknown = codeOf(work?.reason ?? null) === 'deploy-unknown'
  const asked = ((): Asked | null => {
    const done = `${tasks.completed} of ${tasks.completed} tasks are completed`
    if (state === 'SHIPPABLE') return { kind: 'ship', reason: message ?? done, actions: ['ship'] }
    if (state === 'OPEN') return { kind: 'deferred', reason: message ?? '', actions: ['resume'] }
    if (state === 'NEEDS_FIX') return { kind: 'fix', reason: message ?? 'its validation failed', actions: ['fix'] }
    if (work?.stage !== 'review') return null
    const reason = work.reason?.text ?? 'it stopped halfway'
    return { kind: 'deploy', reason, actions: unknown ? ['deployed', 'resume'] : ['resume'] }
  })()
  if (asked === null) return null
  const last = (await store.events(`story:${id}`)).at(-1)?.at ?? story.createdAt
  const common = { id, title: story.name, since: iso(last), ...NOBODYS }
  const request = await requestOfStory(store, standing)
  return { report: null, request, reasonNeeded: false, ...common, ...asked }
}
