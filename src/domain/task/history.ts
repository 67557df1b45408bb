/**
 * The lines of a task's history that the transition writes: what each kind of line says. They are stored for ever, so a
 * kind or a field may be added and none changed; what an older Muster wrote may lack some.
 */
import type { Comment } from './comment.ts'
import type { ActiveRun, TaskStatus } from './task.ts'
import type { Told } from './reasons.ts'
import type { Outcome, Verdict } from '../verdict/verdict.ts'
import type { NewTerms } from './terms.ts'

/** What a step came to, as far as people look back at it. */
export interface DescribedResult {
  outcome: Outcome
  verdict?: Verdict
  detail: string
  crashed?: boolean
  interrupted?: boolean
  limited?: boolean
  landed?: { from: string; to: string; tree?: string }
  sandbox?: string
  plan?: string
}

type CheckSaid = { check: string; verdict: Verdict; detail: string }

interface Entries {
  'task-started': { phase: string }
  'phase-entered': { from: string | null; to: string; round: number }
  'run-started': Pick<ActiveRun, 'kind' | 'name'> & { run: string; phase: string; attempt: number; round: number }
  'run-ended': DescribedResult & Pick<ActiveRun, 'kind' | 'name'> & { run: string; commit: string | null }
  'signal-read': DescribedResult & { name: string }
  'late-result-ignored': (DescribedResult & { run: string }) | CheckSaid
  'check-started': { check: string; attempt: number; commit: string }
  'check-called-off': { check: string }
  checked: CheckSaid & { outcome: 'ADVANCE' | 'WAIT'; attempt: number }
  'verification-needed': { at: string | null }
  'merged-unanswered': { by: string; waived: readonly string[] }
  waiting: Told
  'contract-agreed': { open: string | null }
  decision: {
    kind: 'accept' | 'reject' | 'approve'
    message: string
    by: string
    phase: string | null
    attempt: number
    commit: string | null
    comments?: readonly Comment[]
    /** The plan that it is about. */
    plan?: string | undefined
    /** What the checker had said of this attempt. */
    check?: Verdict | null
    /** The protected branch that the same word lets it land on. */
    approves?: string | null | undefined
    /** What spoke against it, and what is waived by it. */
    over?: string
    waived?: readonly string[]
  }
  submitted: { by: string; commit: string; attempt: number }
  'task-held': Told
  'task-failed': Told
  'task-cancelled': { reason: string; by: string; asks?: unknown }
  'task-retried': { by: string; from: TaskStatus; held: string | null } & Partial<NewTerms>
  'task-completed': { from: string | null }
  'landing-found': { target: string; commit: string }
}

export type EntryType = keyof Entries

/** One line of the task's history. */
export type LogEntry = { [Type in EntryType]: { type: Type; data: Entries[Type] } }[EntryType]

/** A line of one kind. */
export type EntryOf<Type extends EntryType> = Extract<LogEntry, { type: Type }>
