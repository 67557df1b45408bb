/** Small complete objects for the store's tests. */
import type { PhaseMap } from '../domain/task/phase-map.ts'
import { WORK } from '../domain/task/purpose.ts'
import { initialState, type Story, type TaskSpec, type TaskState } from '../domain/task/task.ts'
import type { NewEvent, NewTask, RunEnd, RunRecord } from '../ports/store.ts'

export const PHASES: PhaseMap = [
  {
    name: 'implement',
    step: { type: 'agent', name: 'implementer', does: 'work' },
    onPass: 'check',
    onFail: 'implement',
    onWait: null,
    attempts: null,
    timeoutMs: null,
  },
  {
    name: 'check',
    step: { type: 'check', name: 'unit' },
    onPass: 'done',
    onFail: 'implement',
    onWait: null,
    attempts: 3,
    timeoutMs: 60_000,
  },
]

export function newTask(id: string, spec: Partial<TaskSpec> = {}, state: Partial<TaskState> = {}): NewTask {
  return {
    spec: {
      id,
      title: `Title of ${id}`,
      instructions: `Do ${id}.`,
      acceptanceCriteria: `${id} is done.`,
      story: null,
      parent: null,
      dependsOn: [],
      checks: ['unit'],
      expectedFiles: ['src/a.ts'],
      agent: null,
      purpose: WORK,
      defect: null,
      specRef: null,
      maxRounds: null,
      target: 'main',
      phases: PHASES,
      configHash: 'c1',
      createdAt: 1000,
      ...spec,
    },
    state: { ...initialState(id, 50), ...state },
    definitionHash: `definition of ${id}`,
  }
}

export function newStory(id: string, createdAt = 1000): Story {
  return { id, name: `Story ${id}`, branch: `muster/story/${id}`, base: 'main', createdAt }
}

export function taskEvent(id: string, type: string, data: Record<string, unknown> = {}): NewEvent {
  return { chain: `task:${id}`, type, actor: 'muster', data }
}

export function begun(id: string, more: Partial<TaskState> = {}): TaskState {
  return { ...initialState(id, 50), status: 'in-progress', phase: 'implement', attempt: 1, ...more }
}

export function newRun(taskId: string, n: number, more: Partial<RunRecord> = {}): RunRecord {
  const id = `${taskId}.r${n}`
  const step = { kind: 'agent', name: 'implementer', does: 'work', phase: 'implement' } as const
  return {
    id,
    taskId,
    ...step,
    attempt: n,
    round: 0,
    nonce: `nonce ${n}`,
    contract: null,
    startedAt: 2000,
    end: null,
    ...more,
  }
}

export const PASSED: RunEnd = {
  at: 3000,
  outcome: 'ADVANCE',
  verdict: 'PASS',
  detail: 'fine',
  commit: 'abc',
  exit: 'exit 0',
  facts: { sandbox: 'bubblewrap' },
}

export const FAILED: RunEnd = {
  at: 3000,
  outcome: 'RETRY',
  verdict: 'FAIL',
  detail: 'a test fails',
  commit: null,
  exit: 'exit 1',
  facts: {},
}

export function runEnded(taskId: string, n: number, { outcome, verdict }: RunEnd): NewEvent {
  return taskEvent(taskId, 'run-ended', { run: `${taskId}.r${n}`, outcome, verdict })
}
