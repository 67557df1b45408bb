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

/** What a step came to: what was said, what it means for the task, and what is known from it. */
export type StepResult = Said & Meaning & Facts

interface Said {
  verdict?: Verdict | undefined
  detail: string
  findings: readonly FindingText[]
}

type Meaning =
  /** `hold`: only a person can go on from here all the same. */
  | { outcome: 'ADVANCE'; hold?: Reason | undefined }
  /** `person`: a person says so. */
  | { outcome: 'RETRY'; person?: boolean | undefined }
  /** `reverify`: the merged tree is another than the verified one, which comes first. */
  | { outcome: 'WAIT'; waits?: Reason | undefined; reverify?: boolean | undefined }
  /**
   * `interrupted`: Muster itself died or was stopped under the run. `limited`: the agent program is at its account's limit. Neither
   * says anything about the task. `hold`: trying again is of no use. `fails`: nothing and nobody in Muster can go on from this.
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
  /** Whether that is just what the attempt started from. */
  unchanged?: boolean | undefined
  /** Of a planner: the digest of the plan that it wrote. */
  plan?: string | undefined
  /** What a landing moved the target from and to, and the tree that stands there now where that is known. */
  landed?: { from: string; to: string; tree?: string } | undefined
  /** The worker ended by itself and left no verdict. */
  crashed?: boolean | undefined
  /** The sandbox that was used. */
  sandbox?: string | undefined
  /** The tree that the run found to pass, and the contract it passed. */
  verified?: Verified | undefined
  /** Of a judge that passes: the criteria that it found met. */
  answers?: readonly string[] | undefined
  /** Of a judge: the criteria that it found not met. */
  denies?: readonly string[] | undefined
  /** Fingerprints of what failed, where they are more exact than those of the findings. */
  prints?: readonly string[] | undefined
  /** Criteria that it did not find met. */
  unmet?: readonly string[] | undefined
  /** The task's pull request, and the commit that it was given. */
  pr?: TaskPull | undefined
  /** Something has looked at what was deployed. */
  validates?: boolean | undefined
  /** Somebody merged it at the forge, whatever was still to be answered: that is their waiver. */
  merged?: { by: string } | undefined
  /** Who reviewed the snapshot has allowed it to land on a protected branch. */
  approval?: Approval | undefined
}

/** What a step that goes no further now came to. */
export function waitsFor(reason: Reason, more: Facts & { reverify?: boolean } = {}): StepResult {
  return { outcome: 'WAIT', detail: wordsOf(reason), findings: [], waits: reason, ...more }
}

/** What a step came to from which nothing and nobody in Muster can go on. */
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
  /** An action says beforehand that it cannot run yet. */
  | { type: 'waited'; phase?: string; reason: Reason }
  /** The engine must not start the step of its phase: only a person can see to that. */
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
  /** The checker of the task has ended. */
  | {
      type: 'checked'
      check: string
      /** How often it was at work: one more tells people something new. */
      runs: number
      verdict: Verdict
      detail: string
      findings: readonly FindingText[]
      /** The criteria that it found met. */
      answers: readonly string[]
    }
  /** To a checker: the task it checks went on without it. */
  | { type: 'superseded'; reason: string }
  /** The database is older than the branch: the work is there already. `known`: the task as it went to land. */
  | { type: 'landing-found'; target: string; to: string; known: TaskState }

export type Command =
  | { type: 'start'; run: ActiveRun; phase: string; attempt: number; round: number }
  | { type: 'stop'; runId: string }
  /** What to type about it is what the task's standing asks for, unless it says so itself. */
  | ({ type: 'notify'; next?: readonly string[] } & Omit<NoticeText, 'next'>)
  /** A checker of its own, made with this commit. */
  | { type: 'check'; check: Check }
  /** What another task hears of in the same commit. */
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
  /** Who takes the implementer's place in this task. */
  agent: Player | null
  /** Whether a checker judges what reaches acceptance. */
  checked: boolean
  purpose: Purpose
  /** The branch it lands on, if that is protected: then its landing needs a person's word. */
  protectedTarget?: string | null | undefined
}
