/** The contents of one commit of the transactor while it is assembled, and the small rules about them. */
import { CHECKER_MAP } from '../../domain/task/check.ts'
import type { ProjectConfig } from '../../domain/config.ts'
import type { Contract } from '../../domain/contract/contract.ts'
import { MusterError } from '../../domain/errors.ts'
import { titleCharsMax } from '../../domain/limits.ts'
import type { NoticeText } from '../../domain/notice.ts'
import { bounded } from '../../domain/notice.ts'
import type { Proof } from '../../domain/proof.ts'
import type { StoryDecided } from '../../domain/story/story.ts'
import { servedStory } from '../../domain/task/purpose.ts'
import type { NewTerms } from '../../domain/task/terms.ts'
import { initialState, taskBranch, type Check, type TaskSpec, type TaskState } from '../../domain/task/task.ts'
import type { Command, Decided, TaskEvent } from '../../domain/task/event.ts'
import type { Channel } from '../../ports/channel.ts'
import type { NewEvent, NewStory, NewTask, RunEnd, StoredStanding, TaskSummary } from '../../ports/store.ts'
import type { NewIntent } from '../../ports/intent.ts'
import type { EngineParts } from './parts.ts'
import type { Entry, TaskTable } from './task-table.ts'

/** A configuration that takes the place of a task's own, and what of the task's definition follows it. */
export interface Reconfigured {
  config: ProjectConfig
  /** As stored: see submit.ts. */
  snapshot: { hash: string; body: string }
  spec: Partial<Pick<TaskSpec, 'phases' | 'checks'>>
  /** What the history says of it. */
  terms: NewTerms
}

/** What the task is with that. */
export function specUnder<T extends TaskSummary>(spec: T, under: Reconfigured | undefined): T {
  return under === undefined ? spec : { ...spec, ...under.spec, configHash: under.snapshot.hash }
}

/** What is stored beside the transition itself. */
export interface Beside {
  actor?: string
  /** What shows that a person decided it. */
  proof?: Proof | undefined
  ended?: { id: string; end: RunEnd }
  settled?: readonly string[]
  /** A contract that is in force from now on. */
  contract?: Contract | null | undefined
  /** The configuration that the task works under from now on. */
  under?: Reconfigured | undefined
  /** The version that the task must still have. */
  version?: number | undefined
}

/** What an event makes of one task. */
export interface Move {
  entry: Entry
  decided: Decided
  event: TaskEvent
  beside: Beside
  /** Tasks that can never start because of it. */
  blocked: string[]
  commands: readonly Command[]
}

/** What the history keeps of something that a person decided. */
export function shown(data: Record<string, unknown>, proof: Proof | undefined): Record<string, unknown> {
  return proof === undefined ? data : { ...data, proof }
}

/** Two events on one task in one commit. */
export function together(first: Move, second: Pick<Move, 'decided' | 'commands' | 'blocked'>): Partial<Move> {
  const { log, findings } = first.decided
  return {
    decided: {
      ...second.decided,
      log: [...log, ...second.decided.log],
      findings: [...findings, ...second.decided.findings],
    },
    commands: [...first.commands, ...second.commands],
    blocked: [...first.blocked, ...second.blocked],
  }
}

/** What a move leaves in the task's history. Without words of its own it still leaves a trace: the history explains every version. */
export function tracesOf(
  task: string,
  { log }: Pick<Decided, 'log'>,
  { type: moved }: TaskEvent,
  { actor, proof }: { actor: string; proof: Proof | undefined },
): NewEvent[] {
  const lines = log.length > 0 ? log : [{ type: 'noted', data: { event: moved } }]
  return lines.map(({ type, data }) => ({ chain: `task:${task}`, type, actor, data: shown({ ...data }, proof) }))
}

export type Sealable = NewTask & { contract?: Contract | null }

/** New things that are stored together. */
export interface Added {
  configs?: readonly { hash: string; body: string }[]
  stories?: readonly NewStory[]
  tasks?: readonly Sealable[]
  redefined?: readonly (Sealable & { version: number })[]
  events?: readonly NewEvent[]
  actor?: string
  proof?: Proof | undefined
}

export type StoryBeside = Pick<Added, 'tasks' | 'configs' | 'actor' | 'proof'> & {
  /** Tasks that end with it. */
  ends?: { tasks: readonly string[]; by: string; reason: string }
  /** The version of the story that it was made for: nothing happens if that has moved on. */
  seen?: number
}

/** What one commit will hold. */
export interface Draft extends Required<Omit<Added, 'actor' | 'proof'>>, Pick<Added, 'actor' | 'proof'> {
  moves: Move[]
  standings: Map<string, StoryDraft>
}

interface StoryDraft extends StoredStanding {
  log: StoryDecided['log']
  notices: NoticeText[]
}

export function emptyDraft(): Draft {
  return { configs: [], stories: [], tasks: [], redefined: [], events: [], moves: [], standings: new Map() }
}

export function refuseIfMoved({ spec: { id }, version }: Entry, wanted: number | undefined): void {
  if (wanted === undefined || wanted === version) return
  throw new MusterError('conflict', `${id} has changed: it is at version ${version}, not ${wanted}`, {
    hint: `check it again (muster show ${id}), then decide`,
  })
}

/** A task that failed or was cancelled takes all that depend on it with it: they can never start (S2.25). */
export function newlyStuck(decided: Decided, table: TaskTable): string[] {
  const { status, id } = decided.state
  return status === 'failed' || status === 'cancelled' ? table.dependentsOf(id) : []
}

export function stuckNotice({ id: cause, runs, round }: TaskState, blocked: readonly string[]): Command {
  const names = blocked.slice(0, 10).join(', ') + (blocked.length > 10 ? ` and ${blocked.length - 10} more` : '')
  const text = `${names} cannot start: they depend on ${cause}, which did not complete`
  return {
    type: 'notify',
    kind: 'failed',
    key: `deadlock:${cause}:${runs}:${round}`,
    subject: `${cause} blocks ${blocked.length}`,
    text,
    next: [`muster explain ${cause}`, `muster retry ${cause}`],
  }
}

/** Of a task that serves a story, what needs a person is told by the story itself (L16). */
export function ownWords(spec: Pick<TaskSummary, 'purpose'>, commands: Command[]): Command[] {
  const isStorys = (command: Command) =>
    command.type === 'notify' && (command.kind === 'needs-you' || command.kind === 'failed')
  return servedStory(spec) === null ? commands : commands.filter((command) => !isStorys(command))
}

/** One for each channel that wants to know: each is carried out by itself, once. */
export function noticeIntents(
  channels: readonly Channel[],
  taskId: string | null,
  notice: NoticeText,
  at: number,
): NewIntent<'notify'>[] {
  const { key, kind, subject, text, next } = bounded(notice)
  return channels
    .filter(({ on }) => on.includes(kind))
    .map(({ name }) => {
      const data = { channel: name, key, kind, subject, text, next, at }
      return { key: `notify:${key}@${name}`, kind: 'notify', taskId, data }
    })
}

/** What has to be carried out for a command, once it is stored. */
export function intentsOf(
  { channels, clock }: Pick<EngineParts, 'channels' | 'clock'>,
  taskId: string | null,
  command: Command,
): NewIntent[] {
  switch (command.type) {
    case 'start': {
      const data = { runId: command.run.id, worker: command.run.kind !== 'action' }
      return [{ key: `start:${command.run.id}`, kind: 'start', taskId, data }]
    }
    case 'stop':
      return [{ key: `stop:${command.runId}`, kind: 'stop', taskId, data: { runId: command.runId } }]
    case 'notify':
      return noticeIntents(channels, taskId, { next: [], ...command }, clock.now())
    case 'check':
    case 'also':
      return []
  }
}

/** A new snapshot is shown to the user as the task's branch. */
export function publishIntent({ spec, state }: Entry, decided: Decided): NewIntent[] {
  const { commit } = decided.state
  if (commit === null || commit === state.commit) return []
  const data = { branch: taskBranch(spec.id), commit }
  return [{ key: `publish:${spec.id}:${commit}`, kind: 'publish', taskId: spec.id, data }]
}

/** The same task but for its name, at the commit that is to be judged. */
export function checkerTask(checked: TaskSpec, { id, attempt, commit }: Check, createdAt: number): NewTask {
  return {
    spec: {
      ...checked,
      id,
      title: `Check: ${checked.title}`.slice(0, titleCharsMax),
      story: null,
      dependsOn: [],
      checks: [],
      agent: null,
      phases: CHECKER_MAP,
      purpose: { is: 'check', of: checked.id },
      createdAt,
    },
    state: { ...initialState(id, 1), attempt, commit },
    definitionHash: '',
  }
}
