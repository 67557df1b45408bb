/** `muster elaborate`: turns a goal into a draft of a story. It is a task whose result is its agent's answer. */
import type { ProjectConfig } from '../../domain/config.ts'
import { MusterError } from '../../domain/errors.ts'
import type { Plan } from '../../domain/story/plan.ts'
import { ELABORATION_MAP } from '../../domain/task/elaboration.ts'
import { isElaboration } from '../../domain/task/purpose.ts'
import type { StoryDraft } from '../../domain/story/draft.ts'
import type { Store } from '../../ports/store.ts'
import type { Engine } from '../loop/engine.ts'
import type { SubmitResult } from '../loop/submit.ts'
import { addTask } from '../loop/new-task.ts'

export async function elaborate(engine: Engine, goal: string, config: ProjectConfig): Promise<{ id: string }> {
  const text = goal.trim()
  if (text === '') throw new MusterError('usage', 'the goal is empty', { hint: 'muster elaborate "…"' })
  const { id } = await addTask(
    engine,
    {
      title: `Elaborate: ${text.split('\n')[0]?.slice(0, 200) ?? ''}`,
      instructions: text,
      acceptanceCriteria: '',
      checks: [],
      expectedFiles: [],
      dependsOn: [],
      story: null,
      agent: null,
      phases: ELABORATION_MAP,
      type: 'advisory',
    },
    config,
  )
  return { id }
}

export interface DraftView {
  id: string
  goal: string
  status: 'elaborating' | 'waiting' | 'approved' | 'failed' | 'cancelled'
  draft: StoryDraft | null
  /** The run that wrote it: another draft has another. */
  revision: string | null
  warnings: string[]
  /** What it became. */
  story: string | null
}

/** The last draft of an elaboration; rejects if the task is none. */
export async function draftOf(store: Store, id: string): Promise<DraftView> {
  const task = await store.task(id)
  const runs = await store.runs(id)
  if (task === null || !isElaboration(task.spec)) {
    throw new MusterError('not_found', `${id} is not the elaboration of a goal`, { hint: 'muster elaborate "<goal>"' })
  }
  const last = runs.findLast(({ end }) => end?.facts.draft !== undefined)
  const findings = await store.findings(id)
  const { status, phase, held } = task.state
  const stands =
    status === 'completed'
      ? 'approved'
      : status === 'failed' || status === 'cancelled'
        ? status
        : phase === 'draft'
          ? 'waiting'
          : held === null
            ? 'elaborating'
            : 'failed'
  return {
    id,
    goal: task.spec.instructions,
    status: stands,
    draft: last?.end?.facts.draft ?? null,
    revision: last?.id ?? null,
    warnings: findings.filter(({ severity }) => severity === 'WARN').map(({ message }) => message),
    story: status === 'completed' ? await becameOf(store, id) : null,
  }
}

const BECAME = 'story '

/** Whoever approved it said so. */
async function becameOf(store: Store, id: string): Promise<string | null> {
  const decided = (await store.events(`task:${id}`)).findLast(({ type }) => type === 'decision')
  const message = String(decided?.data['message'] ?? '')
  return message.startsWith(BECAME) ? message.slice(BECAME.length) : null
}

/** Of what people can ask for, what approving a draft takes. */
interface Approving {
  submit(request: { plan: Plan; config: ProjectConfig; fresh: true; decides: true }): Promise<SubmitResult>
  decide(request: { kind: 'accept'; task: string; message: string; by: string }): Promise<unknown>
}

/** A person approves the draft, as it is or as they edited it: it becomes a story, and the elaboration is over. */
export async function approveDraft(
  { store, commands }: { store: Store; commands: Approving },
  { id, edited, by, revision }: { id: string; edited: StoryDraft | null; by: string; revision?: string | undefined },
  planOf: (draft: StoryDraft) => { plan: Plan; config: ProjectConfig },
): Promise<SubmitResult> {
  const { status, draft, revision: newest } = await draftOf(store, id)
  const chosen = edited ?? draft
  if (chosen === null || status !== 'waiting') {
    throw new MusterError('gate_closed', `${id} has no draft to approve: it is ${status}`, {
      hint: `muster explain ${id}`,
    })
  }
  if (revision !== undefined && revision !== newest) {
    throw new MusterError('conflict', `there is a newer draft of ${id} than the one that you approve`, {
      hint: 'read it, then approve that one',
    })
  }
  const submitted = await commands.submit({ ...planOf(chosen), fresh: true, decides: true })
  await commands.decide({ kind: 'accept', task: id, message: `${BECAME}${submitted.story}`, by })
  return submitted
}
