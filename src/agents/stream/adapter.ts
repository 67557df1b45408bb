/**
 * What Muster must know about an agent program to run it: one folder per program, one value of this type. Everything
 * else (processes, sandbox, limits, verdicts) is the same for all programs and is in ../program/.
 */
import type { AgentEvent } from '../../domain/agent-event.ts'
import type { Program } from '../../domain/program.ts'

/** A run of the program. */
export interface AgentSpec {
  /** It may look and must not change anything. */
  judge: boolean
  workspace: string
  /** Muster's own sandbox hides files and, from a judge, makes the workspace read-only. */
  confined: boolean
  network: boolean
  model?: string | undefined
  /** Of the tools that it may use only these. */
  tools?: readonly string[] | undefined
  /** The user's own, after all others. */
  args: readonly string[]
  maxTurns?: number | undefined
  maxBudgetUsd?: number | undefined
  /** What a judge is to tell its verdict: a command that serves its tools. */
  server?: readonly [program: string, ...args: string[]] | undefined
  /** The session to go on with. */
  session?: string | undefined
}

export interface AgentAdapter extends Program {
  /** The command, looked for on the PATH. */
  program: string
  /** The oldest version that was tried. */
  minVersion: string
  /** How to get it, and how to log in: what a person types. */
  install: string
  login: string
  /** Names of variables that say where it keeps its account: places, no secrets. Passed on without being listed. */
  pass: readonly string[]
  /** Where its account, settings and sessions are, which it uses in place; the first is a folder. Relative ones are below the home. */
  homes(env: Readonly<Record<string, string>>): [string, ...string[]]
  /** What in there says what it does and runs, for the user too: no run may change it, and what is missing is made, empty. */
  settings: readonly string[]
  /** The same, but for what must not be made: what a run leaves there is taken away. */
  foreign: readonly string[]
  /** Folders in there whose files the program runs while it works: each run has its own. */
  scratch: readonly string[]
  /** A file that it writes to and takes commands from: each run has a copy. */
  state?(env: Readonly<Record<string, string>>): string
  /** The file in there that exists when somebody is logged in; never read. */
  account: string
  /** Arguments with which it says whether somebody is: exit code 0 if so. */
  loginStatus: readonly string[]
  /** The variable that holds a key in place of a login. */
  key: string
  /** A file in which it writes what a session used so far, if it tells that nowhere else in time. */
  ledger?: {
    find(env: Readonly<Record<string, string>>, session: string): string | null
    parse(line: string): AgentEvent[]
  }
  /** Two that start at the same moment in one home harm each other. */
  startsAlone: boolean
  /** The arguments and the variables it is started with; the prompt comes on stdin. Variables that the user lists win. */
  commandLine(spec: AgentSpec): { args: string[]; env: Record<string, string> }
  /** One line of its output. Never throws: what it does not understand is no event. */
  parse(line: string): AgentEvent[]
}
