/**
 * What hostile code in a worker tries in order to get out: each act is a line of shell that a worker runs, and a look from
 * outside at what came of it. An act never says itself whether it succeeded. The machine it is tried on is in
 * escape/stage.ts; what succeeds where is in docs/sandbox.md.
 */
import { data } from './escape/data.ts'
import { decisions } from './escape/decisions.ts'
import { home } from './escape/home.ts'
import { links } from './escape/links.ts'
import { processes } from './escape/processes.ts'
import { repository } from './escape/repository.ts'
import { system } from './escape/system.ts'

/** An agent that writes, code that a check runs, and an agent that judges. */
export const WHO = ['author', 'check', 'judge'] as const
export type Who = (typeof WHO)[number]

/** What can be seen from outside of one act of one run. */
export interface Seen {
  /** A path with the places in it: `$H` is the home, `$R` the repository, and so on; see stage.ts. */
  at(path: string): string
  /** Text that only this act of this run writes. */
  mark: string
  /** What the whole run printed. */
  output: string
  /** What Muster tells people of the run. */
  told: string
  /** Where it worked. */
  workspace: string
  /** What was said to the sockets of others, and on the user's terminal. */
  heard: string
  /** Whether a task that waits for a person was decided. */
  decided(task: string): boolean
  /** The files that processes of this act held open for writing while the run went on. */
  held: readonly string[]
  /** The tree that Muster would take over from an author, as text. */
  result: string
}

export interface Act {
  id: string
  /** What it tries, for the table. */
  says: string
  /** Everybody, if not given. */
  who?: readonly Who[]
  /** A file that holds a text of its own before the run, which nobody inside can know. */
  secret?: string
  snippet: string
  /** Not given: the secret was printed. */
  look?: (seen: Seen) => boolean
  /** A place outside the stage where it may leave something, which is removed afterwards. */
  leaves?: string
  /** Only root can, where nothing keeps it in. */
  root?: true
}

export const GROUPS: Readonly<Record<string, readonly Act[]>> = {
  'the home': home,
  'the repository': repository,
  "Muster's data": data,
  decisions,
  'the system': system,
  'links and leftovers': links,
  // The last of these stops Muster.
  'other processes': processes,
}

export const ACTS: readonly Act[] = Object.values(GROUPS).flat()
