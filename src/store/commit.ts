/** Writes one change in one transaction: checks it, extends its chains, then writes every row. */
import { assert, MusterError } from '../domain/errors.ts'
import { initialStory } from '../domain/story/story.ts'
import type { TaskState, TaskStatus } from '../domain/task/task.ts'
import type { ChainId, Change, NewEvent, StoredEvent } from '../ports/store.ts'
import {
  type ChainHead,
  chainOwner,
  digestOf,
  digestOfFindings,
  type EventBody,
  linkHash,
  noHead,
  type Link,
  type StateDigest,
} from './chain.ts'
import { insertConfig } from './queries/config.ts'
import { storeContract } from './queries/contract.ts'
import { insertEvent } from './queries/event.ts'
import { findingRows, storeFindings } from './queries/finding.ts'
import { queueIntent, settleIntent } from './queries/intent.ts'
import { storePhaseMaps } from './queries/phase-map.ts'
import { endRun, startRun } from './queries/run.ts'
import { extendStory, insertStory, moveStory, storyHead } from './queries/story.ts'
import * as task from './queries/task.ts'
import type { FindingRow } from './schema.ts'
import { extendSeal } from './seal.ts'
import type { Session } from './session.ts'
import {
  headColumns,
  servingColumns,
  specColumns,
  specText,
  stateColumns,
  stateOf,
  stateText,
  textColumns,
} from './task-row.ts'

/** A chain while the change extends it. */
interface GrowingChain extends ChainHead {
  /** Its length before. */
  readonly previous: number
  /** Of a task: how it stands after the change, told by each new event. */
  readonly digest?: StateDigest | undefined
  /** Of a task: the status its row has now. */
  readonly status?: TaskStatus | undefined
  /** Nothing else in the change writes the row, so the head must be written by itself. */
  readonly loose?: boolean | undefined
}

type Chains = Map<ChainId, GrowingChain>

export async function writeChange(on: Session, change: Change, key: string | undefined): Promise<StoredEvent[]> {
  assertSound(change)
  const chains = await readChains(on, change)
  const findings = await findingRows(on, change.findings ?? [])
  const links = linksOf(change, chains, findings)

  for (const config of change.configs ?? []) await insertConfig.run(on, config)
  await writeStories(on, change, chains)
  await writeTasks(on, change, chains)
  for (const [id, chain] of chains) if (chain.loose) await writeHead(on, id, chain)
  for (const { taskId, contract } of change.contracts ?? []) await storeContract(on, taskId, contract, change.at)
  await writeRuns(on, change)
  await storeFindings(on, findings)
  const events = await writeEvents(on, change, links)
  if (key !== undefined) await extendSeal(on, key, events)
  for (const intent of change.intents ?? []) await queueIntent(on, intent)
  for (const key of change.settled ?? []) await settleIntent(on, key)
  return events
}

/** What the engine must never ask for: a change without a trace, or a history that contradicts the rows. */
function assertSound({ updates = [], redefined = [], ended = [], events = [] }: Change): void {
  const told = new Set(events.map((event) => event.chain))
  for (const { state } of [...updates, ...redefined]) {
    assert(told.has(`task:${state.id}`), `task ${state.id} changes without an event that says so`)
  }
  for (const { id, end } of ended) {
    const event = events.find(({ type, data }) => type === 'run-ended' && data['run'] === id)
    if (event === undefined) continue
    const agrees = event.data['outcome'] === end.outcome && (event.data['verdict'] ?? null) === end.verdict
    assert(agrees, `the event that run ${id} ended tells another outcome or verdict than the run`)
  }
}

async function readChains(on: Session, change: Change): Promise<Chains> {
  const chains: Chains = new Map()
  const claim = (id: ChainId, chain: GrowingChain): void => {
    assert(!chains.has(id), `${id} is written twice in one change`)
    chains.set(id, chain)
  }
  for (const { id } of change.stories ?? []) claim(`story:${id}`, { ...noHead, previous: 0 })
  for (const { standing } of change.standings ?? []) {
    const chain = await looseChain(on, `story:${standing.id}`)
    claim(`story:${standing.id}`, { ...chain, loose: false })
  }
  for (const { state } of change.tasks ?? []) claim(`task:${state.id}`, newChain(state))
  for (const { state, version } of [...(change.redefined ?? []), ...(change.updates ?? [])]) {
    const row = await task.taskHead.first(on, { id: state.id })
    if (row?.version !== version) throw movedOn(state.id)
    const head = { n: row.chain_n, hash: row.chain_hash, previous: row.chain_n }
    claim(`task:${state.id}`, { ...head, status: row.status, digest: digestOf(state) })
  }
  for (const { chain } of change.events ?? []) if (!chains.has(chain)) claim(chain, await looseChain(on, chain))
  return chains
}

function newChain(state: TaskState): GrowingChain {
  return { ...noHead, previous: 0, digest: digestOf(state) }
}

async function looseChain(on: Session, chain: ChainId): Promise<GrowingChain> {
  const { noun, id } = chainOwner(chain)
  if (noun === 'story') {
    const row = await storyHead.first(on, { id })
    assert(row !== undefined, `an event names story ${id}, which does not exist`)
    return { n: row.chain_n, hash: row.chain_hash, previous: row.chain_n, loose: true }
  }
  const row = await task.taskHeadAndState.first(on, { id })
  assert(row !== undefined, `an event names task ${id}, which does not exist`)
  return { n: row.chain_n, hash: row.chain_hash, previous: row.chain_n, digest: digestOf(stateOf(row)), loose: true }
}

function chainIn(chains: Chains, id: ChainId): GrowingChain {
  const chain = chains.get(id)
  assert(chain !== undefined, `${id} was not read before it is written`)
  return chain
}

/** The last event of a task tells of the findings that come with it. */
function linksOf({ events = [], at }: Change, chains: Chains, findings: readonly FindingRow[]) {
  const last = new Map(events.map(({ chain }, index) => [chain, index]))
  const byChain = Map.groupBy(findings, (row): ChainId => `task:${row.task_id}`)
  for (const chain of byChain.keys()) assert(last.has(chain), `findings of ${chain} come without an event`)
  return events.map((event, index) => {
    const rows = last.get(event.chain) === index ? byChain.get(event.chain) : undefined
    return extend(chainIn(chains, event.chain), event, at, rows)
  })
}

/** Moves the head on, too. */
function extend(chain: GrowingChain, event: NewEvent, at: number, rows?: FindingRow[]): Link & { hash: string } {
  const { data, type } = event
  // Half a surrogate pair would come back from the database as another character and look like tampering.
  const actor = event.actor.toWellFormed()
  const body = JSON.stringify({
    data,
    ...(chain.digest && { state: chain.digest }),
    ...(rows && { findings: digestOfFindings(rows) }),
  } satisfies EventBody)
  const link: Link = { chain: event.chain, n: chain.n + 1, type, at, actor, body }
  chain.hash = linkHash(chain.hash, link)
  chain.n = link.n
  return { ...link, hash: chain.hash }
}

async function writeStories(on: Session, { stories = [], standings = [] }: Change, chains: Chains) {
  for (const { standing, ...story } of stories) {
    const head = headColumns(chainIn(chains, `story:${story.id}`))
    const state = JSON.stringify(standing ?? initialStory(story.id))
    const rows = await insertStory.run(on, { ...story, ...head, state })
    if (rows === 0) throw taken('story', story.id)
  }
  for (const { standing, version } of standings) {
    const { id } = standing
    const head = headColumns(chainIn(chains, `story:${id}`))
    const rows = await moveStory.run(on, { id, version, state: JSON.stringify(standing), ...head })
    if (rows === 0) throw movedOn(`story ${id}`)
  }
}

async function writeTasks(on: Session, { at, tasks = [], redefined = [], updates = [] }: Change, chains: Chains) {
  const maps = [...tasks, ...redefined, ...updates].flatMap(({ spec }) => (spec === undefined ? [] : [spec.phases]))
  const hashes = maps.length === 0 ? undefined : await storePhaseMaps(on, maps)
  for (const added of tasks) {
    const columns = specColumns(added, hashes?.get(added.spec.phases) ?? '')
    const head = headColumns(chainIn(chains, `task:${added.spec.id}`))
    const standing = { ...stateColumns(added.state), ...servingColumns(added), updated_at: at }
    const rows = await task.insertTask.run(on, { ...columns, ...standing, ...head })
    if (rows === 0) throw taken('task', added.spec.id)
    await task.insertTexts.run(on, textColumns(added.spec))
  }
  for (const again of redefined) {
    const { version, state, spec } = again
    const columns = { ...specColumns(again, hashes?.get(spec.phases) ?? ''), ...stateColumns(state) }
    const head = headColumns(chainIn(chains, `task:${spec.id}`))
    const rows = await task.redefineTask.run(on, { ...columns, ...head, version, updated_at: at })
    if (rows === 0) throw movedOn(spec.id)
    await task.rewriteTexts.run(on, textColumns(spec))
  }
  for (const { state, version, spec } of updates) {
    const { id, status } = state
    const chain = chainIn(chains, `task:${id}`)
    const columns = { id, version, state: stateText(state), ...headColumns(chain), updated_at: at }
    const same = chain.status === status
    const defined = spec && { spec: specText(spec), phases_hash: hashes?.get(spec.phases) ?? '' }
    const rows = await (defined !== undefined
      ? task.reconfigureTask.run(on, { ...columns, ...defined, status })
      : same
        ? task.stepTask.run(on, columns)
        : task.moveTask.run(on, { ...columns, status }))
    if (rows === 0) throw movedOn(id)
  }
}

async function writeRuns(on: Session, { runs = [], ended = [] }: Change) {
  for (const run of runs) if ((await startRun(on, run)) === 0) throw taken('run', run.id)
  for (const { id, end } of ended) if ((await endRun(on, id, end)) === 0) throw notRunning(id)
}

async function writeHead(on: Session, chain: ChainId, head: GrowingChain): Promise<void> {
  const { noun, id } = chainOwner(chain)
  const values = { id, previous: head.previous, ...headColumns(head) }
  const rows = await (noun === 'story' ? extendStory.run(on, values) : task.extendTask.run(on, values))
  if (rows === 0) throw movedOn(id)
}

async function writeEvents(on: Session, change: Change, links: readonly (Link & { hash: string })[]) {
  const stored: StoredEvent[] = []
  for (const [i, link] of links.entries()) {
    const row = await insertEvent.first(on, link)
    const { chain, type, at, n, actor, hash } = link
    stored.push({ chain, type, actor, data: change.events?.[i]?.data ?? {}, seq: row?.seq ?? 0, n, at, hash })
  }
  return stored
}

function movedOn(id: string): MusterError {
  return new MusterError('conflict', `${id} was changed in the meantime`, {
    hint: `check it (muster show ${id}), then try again`,
  })
}

function taken(noun: string, id: string): MusterError {
  return new MusterError('conflict', `there is a ${noun} ${id} already`, { hint: 'choose another id' })
}

function notRunning(id: string): MusterError {
  return new MusterError('conflict', `run ${id} is not running: its end is already stored`, {
    hint: 'Muster keeps the first end',
  })
}
