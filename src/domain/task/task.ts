/** A task: its definition (fixed when it is created) and its state (changed only by `decide`). */
import type { Comment } from './comment.ts'
import type { Waiver } from '../verdict/evidence.ts'
import type { Answers } from './answers.ts'
import type { TaskPull } from '../forge.ts'
import type { Phase, PhaseMap } from './phase-map.ts'
import { phaseNamed } from './phase-map.ts'
import type { Purpose } from './purpose.ts'
import type { Reason } from './reasons.ts'
import type { Duty } from '../role.ts'
import type { TaskPlan } from './task-plan.ts'
import type { Verdict } from '../verdict/verdict.ts'

export type TaskStatus = 'not-started' | 'in-progress' | 'completed' | 'failed' | 'cancelled'

export function isOver(status: TaskStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled'
}

/** The run that owns the task right now; at most one. */
export interface ActiveRun {
  id: string
  kind: 'agent' | 'check' | 'action'
  /** The role, check or action. */
  name: string
  /** Of an agent: what its role does. */
  does?: Duty | undefined
  /** Tried again: what the task waited for when it began. */
  waited?: Reason
}

/** A person's answer at the task's gate, until the gate has read it. */
export interface Decision {
  kind: 'accept' | 'reject'
  message: string
  by: string
  /** Of a rejection: comments on single lines. */
  comments?: readonly Comment[] | undefined
}

/** A person's permission to land one snapshot on a protected branch. */
export interface Approval {
  commit: string
  by: string
}

/** What a verification passed: the tree, the contract it met, and how many tests were excused. */
export interface Verified {
  tree: string
  contract: string
  /** The target's head that the snapshot was merged onto. */
  base?: string
  excused?: number
}

/** The judgement of an attempt by a checker. */
export interface Check {
  /** The checker's own task. */
  id: string
  attempt: number
  commit: string
  /** null while it works. */
  verdict: Verdict | null
  /** What it found wrong, or why it could not judge; empty after a plain PASS. */
  report: string
}

/** The verdict of one of several judges at the current phase. */
export interface PanelVerdict {
  role: string
  verdict: Verdict
  detail: string
  /** Fingerprints of what it found. */
  prints: readonly string[]
}

/** The state of a task. Only `decide` makes a new one. */
export interface TaskState {
  id: string
  status: TaskStatus
  phase: string | null
  round: number
  /** The round at which the task fails; a person's retry raises it. */
  roundsMax: number
  attempt: number
  /** How many runs the task has had; numbers the next one. */
  runs: number
  run: ActiveRun | null
  /** ERROR outcomes in a row at this phase, and runs in a row that died with Muster. */
  errors: number
  interruptions: number
  /** RETRY outcomes by phase, for phases with `attempts`. */
  retries: Readonly<Record<string, number>>
  decision: Decision | null
  approval: Approval | null
  /** The tree that was verified last for this snapshot. */
  verified: Verified | null
  /** The tree must be verified first; then the task goes to this phase, or to `done`. */
  verifyThen: string | null
  /** Criteria of the contract that judges and people have answered for this snapshot. */
  answers: Answers | null
  /** Criteria that the last verification of this snapshot did not find met. */
  unmet: readonly string[]
  waiver: Waiver | null
  check: Check | null
  panel: readonly PanelVerdict[]
  /** How many rounds in a row each finding recurred, by its fingerprint. */
  recurring: Readonly<Record<string, number>>
  /** Attempts in a row that changed nothing. */
  idle: number
  /** Why only a person can move it on. */
  held: Reason | null
  /** The reason of a WAIT. */
  wait: Reason | null
  /** Its newest plan, if its map has a planner. */
  plan: TaskPlan | null
  /** The snapshot of the last attempt. */
  commit: string | null
  /** The target's commit after its landing. */
  landed: string | null
  /** Of a story's validation: something really checked the deployment. */
  validated: boolean
  /** Its pull request, once there is one. */
  pr: TaskPull | null
  /** Why it failed, or was cancelled. */
  failure: Reason | null
}

/** The definition of a task. A state change never rewrites it. */
export interface TaskSpec {
  id: string
  title: string
  instructions: string
  acceptanceCriteria: string
  story: string | null
  parent: string | null
  dependsOn: readonly string[]
  checks: readonly string[]
  expectedFiles: readonly string[]
  /** The role that replaces the implementer, if the task names one. */
  agent: string | null
  purpose: Purpose
  /** The file on the target that describes the defect to fix. */
  defect: string | null
  /** Where its specification is: a path, a section or a URL. */
  specRef: string | null
  /** The round at which it fails, if its plan sets one. */
  maxRounds: number | null
  /** The branch it lands on, by its name in the user's repository. */
  target: string
  phases: PhaseMap
  /** The configuration the task runs under, by hash. */
  configHash: string
  createdAt: number
}

export function initialState(id: string, roundsMax: number): TaskState {
  return {
    id,
    status: 'not-started',
    phase: null,
    round: 0,
    roundsMax,
    attempt: 0,
    runs: 0,
    run: null,
    errors: 0,
    interruptions: 0,
    retries: {},
    decision: null,
    approval: null,
    verified: null,
    verifyThen: null,
    answers: null,
    unmet: [],
    waiver: null,
    check: null,
    panel: [],
    recurring: {},
    idle: 0,
    held: null,
    wait: null,
    plan: null,
    commit: null,
    landed: null,
    validated: false,
    pr: null,
    failure: null,
  }
}

/** Whether a `step` would do anything: the task is open, nothing works on it, and it is not held. */
export function canStep(state: TaskState): boolean {
  return !isOver(state.status) && state.run === null && state.held === null
}

/**
 * The phase the task is at or, before its start, the one it will start with. Where a tree has to be verified first, the
 * phase's step is that, and it leads where `verifyThen` says.
 */
export function currentPhase(state: TaskState, map: PhaseMap): Phase | undefined {
  if (isOver(state.status)) return undefined
  const phase = state.phase === null ? map[0] : phaseNamed(map, state.phase)
  if (phase === undefined || state.verifyThen === null) return phase
  return { ...phase, step: { type: 'check', name: CONTRACT }, panel: undefined, onPass: state.verifyThen, onWait: null }
}

/** The check that answers every criterion of the task's contract. */
export const CONTRACT = 'contract'

export const taskBranch = (id: string): string => `muster/task/${id}`
/** The branch for work that could be saved only after its run was over. */
export const keptBranch = (run: string): string => `muster/kept/${run}`
export const storyBranch = (key: string): string => `muster/story/${key}`

/** A story: a set of tasks with one branch. Its state is in story.ts. */
export interface Story {
  id: string
  name: string
  branch: string
  base: string
  createdAt: number
}
