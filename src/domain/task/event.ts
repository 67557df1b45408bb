/** The events of a task, and what `decide` returns for them. */
import type { LogEntry } from './history.ts'
import type { Comment } from './comment.ts'
import type { Limits } from '../limits.ts'
import type { NoticeText } from '../notice.ts'
import type { TaskPull } from '../forge.ts'
import type { Gate } from './gate.ts'
import type { PhaseMap } from './phase-map.ts'
import type { Purpose } from './purpose.ts'
import { wordsOf, type Reason } from './reasons.ts'
import type { Player } from '../role.ts'
import type { NewTerms } from './terms.ts'
import type { ActiveRun, Approval, Check, TaskState, Verified } from './task.ts'
import type { Finding, FindingText, Verdict } from '../verdict/verdict.ts'

/** The result of a step: what was said, what it means for the task, and what is known from it. */
export type StepResult = Said & Meaning & Facts

interface Said {
  verdict?: Verdict | undefined
  detail: string
  findings: readonly FindingText[]
}

type Meaning =
  /** `hold`: why only a person can decide about this result. */
  | { outcome: 'ADVANCE'; hold?: Reason | undefined }
  /** `person`: it is a person's answer. */
  | { outcome: 'RETRY'; person?: boolean | undefined }
  /** `reverify`: the merged tree differs from the verified one: verify it first. */
  | { outcome: 'WAIT'; waits?: Reason | undefined; reverify?: boolean | undefined }
  /**
   * `interrupted`: Muster itself died or was stopped during the run. `limited`: the agent program is at its rate limit. Neither says
   * anything about the task. `hold`: why trying again is useless. `fails`: why the task fails: nobody in Muster can continue it.
   */
  | {
      outcome: 'ERROR'
      interrupted?: boolean | undefined
      limited?: boolean | undefined
      hold?: Reason | undefined
      fails?: Reason | undefined
    }

/** What is known from a step, whatever it means. */
export interface Facts {
  /** The snapshot this run made, for an author. */
  commit?: string | null | undefined
  /** Whether that equals what the attempt started from. */
  unchanged?: boolean | undefined
  /** Of a planner: the digest of the plan that it wrote. */
  plan?: string | undefined
  /** Of a landing: the target's old and new head, and its tree now, if known. */
  landed?: { from: string; to: string; tree?: string } | undefined
  /** The worker ended on its own without a verdict. */
  crashed?: boolean | undefined
  /** The sandbox that was used. */
  sandbox?: string | undefined
  /** The tree that the run found to pass, and the contract it passed. */
  verified?: Verified | undefined
  /** Of a judge that passes: the criteria that it found met. */
  answers?: readonly string[] | undefined
  /** Of a judge: the criteria that it found not met. */
  denies?: readonly string[] | undefined
  /** Fingerprints of the failures, if they are more exact than those of the findings. */
  prints?: readonly string[] | undefined
  /** Criteria that it did not find met. */
  unmet?: readonly string[] | undefined
  /** The task's pull request, and the commit that it was given. */
  pr?: TaskPull | undefined
  /** Something really checked the deployment. */
  validates?: boolean | undefined
  /** Somebody merged it at the forge before everything was answered, which waives the open criteria. */
  merged?: { by: string } | undefined
  /** The reviewer of the snapshot has approved landing on a protected branch. */
  approval?: Approval | undefined
}

/** The result of a step that must wait. */
export function waitsFor(reason: Reason, more: Facts & { reverify?: boolean } = {}): StepResult {
  return { outcome: 'WAIT', detail: wordsOf(reason), findings: [], waits: reason, ...more }
}

/** The result of a step that makes the task fail. */
export function failsFor(reason: Reason): StepResult {
  return { outcome: 'ERROR', detail: wordsOf(reason), findings: [], fails: reason }
}

export type TaskEvent =
  /**
   * The engine gives the task its turn: start the step of its phase, of this one if it is named. `first`: an action that
   * the step needs before it can run itself; the phase stays what it is. `merged`: somebody has merged the work at the
   * forge already; what nobody answered before that, they have waived.
   */
  | { type: 'step'; phase?: string; first?: string; merged?: { by: string } }
  | { type: 'run-ended'; runId: string; result: StepResult }
  | { type: 'signal'; name: string; result: StepResult }
  /** An action cannot run yet. */
  | { type: 'waited'; phase?: string; reason: Reason }
  /** The engine must not start the step of its phase: a person must act first. */
  | { type: 'barred'; reason: Reason }
  | {
      type: 'decided'
      kind: 'accept' | 'reject' | 'approve'
      message: string
      by: string
      comments?: readonly Comment[] | undefined
    }
  /** A person has chosen or written the contract of a task that has not started; `held` says what is still open. */
  | { type: 'contract-agreed'; held: Reason | null }
  /** A person's own commit, as an attempt. */
  | { type: 'submitted'; commit: string; by: string }
  /**
   * `asks`: what a person still had to say before its start when it was cancelled. `under`: from now on it works under these
   * terms; what was found out and decided under the others counts no more.
   */
  | { type: 'retried'; by: string; asks?: Reason | null; under?: NewTerms | undefined }
  | { type: 'cancelled'; reason: string; by: string }
  /** The task's checker has ended. */
  | {
      type: 'checked'
      check: string
      /** How many runs it had: each new one is news to people. */
      runs: number
      verdict: Verdict
      detail: string
      findings: readonly FindingText[]
      /** The criteria that it found met. */
      answers: readonly string[]
    }
  /** To a checker: the task that it checks has moved on. */
  | { type: 'superseded'; reason: string }
  /** The database is older than the branch, which already has the work. `known`: the task as it was when it landed. */
  | { type: 'landing-found'; target: string; to: string; known: TaskState }

export type Command =
  | { type: 'start'; run: ActiveRun; phase: string; attempt: number; round: number }
  | { type: 'stop'; runId: string }
  /** The commands that answer it follow from the task's state, unless it names its own. */
  | ({ type: 'notify'; next?: readonly string[] } & Omit<NoticeText, 'next'>)
  /** A new checker, made in this commit. */
  | { type: 'check'; check: Check }
  /** An event for another task in the same commit. */
  | { type: 'also'; task: string; event: TaskEvent }

export interface Decided {
  state: TaskState
  commands: Command[]
  log: LogEntry[]
  findings: Finding[]
}

export interface Rules extends Gate {
  map: PhaseMap
  limits: Limits
  /** Who replaces the implementer in this task. */
  agent: Player | null
  /** Whether a checker judges what reaches acceptance. */
  checked: boolean
  purpose: Purpose
  /** The branch it lands on, if that is protected: its landing then needs a person's approval. */
  protectedTarget?: string | null | undefined
}
