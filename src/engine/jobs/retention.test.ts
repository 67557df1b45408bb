import { describe, expect, test } from 'vitest'
import { dutyByName } from '../../domain/role.ts'
import type { TaskState } from '../../domain/task/task.ts'
import { initialState } from '../../domain/task/task.ts'
import type { RunRecord, RunStanding } from '../../ports/store.ts'
import { runFolderState, supersededSnapshots, workspaceState } from './retention.ts'

const endedAt = 1000

function standing(run: Partial<RunRecord>, task: Partial<TaskState> = {}, movedAt = 2000): RunStanding {
  const start = { id: 't.r1', taskId: 't', kind: 'agent', name: 'implementer', phase: 'p', attempt: 1 } as const
  const { kind = start.kind, name = start.name } = run
  const does = kind === 'agent' ? dutyByName(name) : null
  return {
    run: { ...start, does, round: 0, nonce: 'n', contract: null, startedAt: 1, end: ended(null), ...run },
    task: { ...initialState('t', 5), status: 'completed', ...task },
    movedAt,
  }
}

function ended(commit: string | null): RunRecord['end'] {
  return { at: endedAt, outcome: 'ERROR', verdict: 'ERROR', detail: 'no', commit, exit: null, facts: {} }
}

describe('a workspace', () => {
  test.each([
    ['without a record is unknown', undefined, 'unknown'],
    ['of a run that has not ended is in use', standing({ end: null }), 'in-use'],
    ['of a judge that has not ended is in use', standing({ name: 'checker', end: null }), 'in-use'],
    ['whose result is a commit is saved', standing({ end: ended('c') }), 'saved'],
    ['of an author without a commit is unsaved', standing({}), 'unsaved'],
    ['of a judge holds no work', standing({ name: 'checker' }), 'saved'],
    ['of a check holds no work', standing({ kind: 'check', name: 'unit' }), 'saved'],
  ] as const)('%s', (_, of, state) => {
    expect(workspaceState(of)).toBe(state)
  })
})

describe('F-14 a run folder', () => {
  test.each([
    ['without a record is unknown, however old', undefined, false, 9999, 'unknown'],
    ['of an open task is needed, however old', standing({}, { status: 'in-progress' }), false, 9999, 'needed'],
    [
      'of a run that has not ended is needed, though its task was cancelled',
      standing({ end: null }),
      false,
      9999,
      'needed',
    ],
    ['is needed while its workspace is there', standing({}), true, 9999, 'needed'],
    ['is kept for its time from the end of the task on', standing({}), false, 2000, 'recent'],
    ['goes after that', standing({}), false, 2001, 'expired'],
    ['whose run ended after its task counts from that', standing({}, {}, 500), false, 1000, 'recent'],
    ['is kept for ever if that is wanted', standing({}), false, null, 'recent'],
  ] as const)('%s', (_, of, hasWorkspace, before, state) => {
    expect(runFolderState(of, hasWorkspace, before)).toBe(state)
  })
})

test('a snapshot is let go of when a later one took its place and its task is over for long; the last one never', () => {
  const of = (id: string, attempt: number, task: Partial<TaskState>) =>
    [id, standing({ id, taskId: id.split('.')[0] ?? '', attempt }, task)] as const
  const snapshots = new Map([
    ['t.r1', 'first'],
    ['t.r2', 'last'],
    ['t.r4', 'last'],
    ['open.r1', 'first'],
    ['open.r2', 'last'],
    ['gone.r1', 'interrupted'],
    ['gone.r10', 'and again'],
    ['nobody.r1', 'unknown'],
  ])
  const standings = new Map([
    of('t.r1', 1, { commit: 'last' }),
    of('t.r2', 2, { commit: 'last' }),
    of('t.r4', 3, { commit: 'last' }),
    of('open.r1', 1, { commit: 'last', status: 'in-progress' }),
    of('open.r2', 2, { commit: 'last', status: 'in-progress' }),
    of('gone.r10', 2, { commit: null, status: 'cancelled' }),
    of('gone.r1', 1, { commit: null, status: 'cancelled' }),
  ])
  expect(supersededSnapshots(snapshots, standings, 2001)).toEqual(['t.r1', 'gone.r1'])
  expect(supersededSnapshots(snapshots, standings, 2000)).toEqual([])
  expect(supersededSnapshots(snapshots, standings, null)).toEqual([])
})
