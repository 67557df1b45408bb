/**
 * What will be verified for a task, fixed before the work starts: a type, and criteria with ids. A contract is sealed
 * by its hash and never edited; the finished work can only add to it.
 */

/**
 * `verifiable`: everything is verified. `skip`: prose, so only lint and types. `advisory`: nothing in the tree could
 * show that it was done; a person reads the output. The type is a claim that the diff confirms.
 */
export type ContractType = 'verifiable' | 'advisory' | 'skip'

/** `auto`: from the text and the project. `prd`: with criteria that the task's story gave it. `user`: written by hand. */
export type GeneratedFrom = 'auto' | 'user' | 'prd'

/** `deferred`: judged on the story's head before it ships, or at landing for a task without a story. */
export type Timing = 'immediate' | 'deferred'

/** A statement about the tree that Muster looks up itself, without running anything. */
export interface Assertion {
  kind: 'exists' | 'absent' | 'contains' | 'lacks'
  /** Relative to the root, never out of it. */
  path: string
  /** What the file has to contain, or must not. */
  text?: string
}

/** What a command has to do beyond exiting with 0. */
export interface Expectation {
  exit?: number
  /** Its output has to contain this. */
  output?: string
}

export interface Criterion {
  /** `c1`, `c2`, …: results and verdicts answer by it. */
  id: string
  /** `typecheck`, `lint`, `unit-test`, `e2e`, `critic`, `acceptance`, or a check of the project's. */
  activity: string
  description: string
  /** Part of the path or name of the tests that speak for this criterion. */
  pattern?: string
  timing?: Timing
  command?: string
  expect?: Expectation
  assertion?: Assertion
  /** A goal must be met whatever the base was; a guard must not get worse. */
  kind: 'goal' | 'guard'
  /** Who answers: Muster itself, the checker, or only a person. */
  judge: 'machine' | 'checker' | 'person'
  /** Why it does not count: the project had no such tool when the contract was sealed. */
  skipped?: string
  /** Of a criterion that a subtask could not answer: that subtask, and its id there (H-2). */
  origin?: { task: string; id: string }
}

/** A file the task is about, and how that is known. */
export interface ContractFile {
  path: string
  from: 'expected' | 'predicted'
  /** For a prediction: the words that led to it. */
  why?: string
}

export interface Contract {
  type: ContractType
  criteria: readonly Criterion[]
  generatedFrom: GeneratedFrom
  /** ISO 8601. Not part of the hash. */
  generatedAt: string
  /** Two types were about equally likely. */
  ambiguous: boolean
  /** The other one, if it is. */
  couldBe: ContractType | null
  /** Why this type, in one line for people. */
  why: string
  /** What people should know about how it came to be. */
  notices: readonly string[]
  files: readonly ContractFile[]
  /** The task's text it was made for, by hash. */
  taskHash: string
  /** Over everything above but `generatedAt`. */
  hash: string
}

/** What Muster answers later, on the story's head. */
export function deferredOf({ criteria }: Contract): Criterion[] {
  return criteria.filter(
    ({ timing, judge, skipped }) => timing === 'deferred' && judge === 'machine' && skipped === undefined,
  )
}

/** A contract as a person writes it: ids, kinds and judges are filled in. */
export interface WrittenContract {
  type: ContractType
  criteria: readonly WrittenCriterion[]
}

/** With fields that may be there without a value, as they come out of a file. */
type Optional<T> = { [K in keyof T]?: T[K] | undefined }

type WrittenCriterion = Pick<Criterion, 'activity' | 'description'> &
  Optional<Omit<Criterion, 'id' | 'activity' | 'description'>>

/** What the finished work adds to a sealed contract. Nothing is ever dropped or changed. */
export interface ContractAdditions {
  /** The sealed type, or `verifiable` where the diff says so. */
  type: ContractType
  criteria: readonly Criterion[]
  why: readonly string[]
}
