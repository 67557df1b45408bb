/** Facts about a run besides its outcome: stored with its end and shown beside it. No decision depends on them. */
import { keepsIn, type SandboxKind } from './config.ts'
import type { StoryDraft } from './story/draft.ts'
import type { Results } from './verdict/evidence.ts'
import type { CriterionAnswer } from './verdict/verdict.ts'
import type { Usage } from './usage.ts'

export interface RunFacts {
  /** The sandbox that was used; absent if it never ran. */
  sandbox?: SandboxKind
  /** The end of what an author printed: all there is of an advisory task. */
  output?: string
  /** Of a verification: the answer to every criterion. */
  results?: Results
  /** Of an elaborator: the story it made of a goal. */
  draft?: StoryDraft
  /** Of a planner: what it wrote. */
  plan?: string
  /** Of a judge: what it said of single criteria. */
  criteria?: readonly CriterionAnswer[]
  /** Of an agent that ran: the runtime that did the work. */
  program?: string
  /** What it used of a model, as far as anybody knows. */
  usage?: Usage
  /** Of an agent program. */
  session?: string
  /** An author's that was cut short, not by itself, or that could not find its session: the next run goes on from here. */
  unfinished?: boolean
}

/** Most kinds hide nothing, and are to be shown as such. */
export function isUnsandboxed({ sandbox }: RunFacts): boolean {
  return sandbox !== undefined && !keepsIn(sandbox)
}

/** In the folder of a verification: one folder for each command it ran, with its log and the command itself. */
export const commandFolder = (n: number): string => `check-${n}`
export const isCommandFolder = (name: string): boolean => /^check-\d+$/.test(name)
export const COMMAND_FILE = 'command'
