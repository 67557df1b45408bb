/**
 * The hash chain: every event is hashed together with the hash of the event before it, so that no event can be edited,
 * moved or removed without making every later hash wrong. Pure except for the hash function.
 */
import { hash } from 'node:crypto'
import type { TaskState } from '../domain/task/task.ts'
import type { ChainId } from '../ports/store.ts'
import type { FindingRow } from './schema.ts'

export interface ChainHead {
  n: number
  hash: string
}

/** Where a new chain starts. */
export const noHead: Readonly<ChainHead> = { n: 0, hash: '' }

/** What an event says the task's row looked like after it, so that an edited row is noticed too. */
export type StateDigest = Pick<TaskState, 'status' | 'phase' | 'round' | 'attempt'>

export interface EventBody {
  data: Record<string, unknown>
  /** In a task's chain only. */
  state?: StateDigest
  /** The findings that were stored with it. */
  findings?: FindingsDigest
}

/** The numbers of the first and the last, and what they said. */
export interface FindingsDigest {
  from: number
  to: number
  digest: string
}

export interface Link {
  chain: ChainId
  n: number
  type: string
  at: number
  actor: string
  /** As it is stored, letter by letter: the same object may be written in several ways. */
  body: string
}

/** Over a JSON list and not joined text: no choice of separators can make two different links look the same. */
export function linkHash(previous: string, link: Link): string {
  return sha256(JSON.stringify([previous, link.chain, link.n, link.type, link.at, link.actor, link.body]))
}

export function sha256(text: string): string {
  return hash('sha256', text, 'hex')
}

export function digestOf({ status, phase, round, attempt }: TaskState): StateDigest {
  return { status, phase, round, attempt }
}

/** Rows of one task, in their order. */
export function digestOfFindings(rows: readonly FindingRow[]): FindingsDigest {
  const said = rows.map(({ n, round, source, severity, message, file, line, basis }) => {
    return [n, round, source, severity, message, file, line, basis]
  })
  return { from: rows[0]?.n ?? 0, to: rows.at(-1)?.n ?? 0, digest: sha256(JSON.stringify(said)) }
}

export function chainOwner(chain: ChainId): { noun: 'task' | 'story'; id: string } {
  const colon = chain.indexOf(':')
  return { noun: chain.slice(0, colon) === 'story' ? 'story' : 'task', id: chain.slice(colon + 1) }
}
