/** What one channel says, whatever its format: parsed, but not yet accepted. */
import { findingCharsMax } from '../limits.ts'
import type { CriterionAnswer, FindingText, VerdictScope } from './verdict.ts'

/** The words that are an agent's to say: ERROR is not. */
export const WORDS = ['PASS', 'WARN', 'FAIL'] as const
export type Word = (typeof WORDS)[number]

export interface Statement {
  /** Usually one; a text may say several. */
  words: readonly Word[]
  /** What it claims to be about, as it says so. */
  tasks: readonly unknown[]
  attempt?: unknown
  commit?: unknown
  nonce?: unknown
  detail: string
  findings: FindingText[]
  criteria: CriterionAnswer[]
}

/** A string says why it is refused. */
export type Reading = Statement | string

/** Letters that only look like the word's are none of it, nor are other kinds of space around it. */
export function wordOf(value: unknown): Word | null {
  const [, word] = (typeof value === 'string' && /^[ \t\n]*(pass|warn|fail)[ \t\r\n]*$/i.exec(value)) || []
  return word === undefined ? null : (word.toUpperCase() as Word)
}

/** Why a statement does not count in this scope; null if it does. */
export function foreign(said: Statement, scope: VerdictScope): string | null {
  const other = said.tasks.find((task) => task !== scope.taskId)
  if (other !== undefined) return `it is for task ${textOf(other) || 'nothing'}, not ${scope.taskId}`
  const { attempt, nonce, commit } = said
  if (attempt !== undefined && numberOf(attempt) !== scope.attempt) {
    return `it is for attempt ${textOf(attempt)}, and this is attempt ${scope.attempt}`
  }
  if (nonce !== undefined && nonce !== scope.nonce)
    return 'its nonce is not the nonce of this run: the verdict is stale or foreign'
  if (nonce === undefined && scope.judge) return 'it lacks the nonce of this run'
  if (commit !== undefined && scope.commit !== undefined && !isSameCommit(commit, scope.commit)) {
    return `it is for commit ${textOf(commit) || 'nothing'}, not ${scope.commit}`
  }
  if (scope.warns === false && said.words.includes('WARN')) return 'it says WARN, but only PASS and FAIL are allowed'
  return null
}

/** Also by its first digits. */
function isSameCommit(said: unknown, commit: string): boolean {
  return typeof said === 'string' && /^[0-9a-f]{7,64}$/i.test(said) && commit.startsWith(said.toLowerCase())
}

/** Anything else than a number or its digits is none, whatever JavaScript would make of it. */
export function numberOf(value: unknown): number {
  return typeof value === 'number' || typeof value === 'string' ? Number(value) : NaN
}

/** As JSON. Whoever nests lists a hundred thousand deep does not want to be understood. */
export function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'nothing'
  } catch {
    return '(nested too deeply)'
  }
}

export function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  const text = typeof value === 'string' ? value : jsonOf(value)
  return text.slice(0, findingCharsMax).toWellFormed()
}
