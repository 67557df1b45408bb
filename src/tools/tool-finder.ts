/** The type of every tool finder: what it gets and what it may return. facts.ts asks them one after the other. */
import { TOOLS, type ToolName } from '../domain/tool.ts'
import type { ReadText } from './packages.ts'
import type { Has } from './setup.ts'
import { signsOf } from './sign.ts'

export interface Tool {
  command: string
  /** Where that is known from, for people. */
  from: string
  /** The project says so itself; otherwise it is what its tool is run by as a rule. */
  own?: true
}

/** What helps to choose where a project has several ways. Without it, the first counts. */
export interface Hints {
  /** Whether a program is on this machine. */
  has: Has
  /** What the project's CI runs, by sign. */
  ci: ReadonlySet<string>
}

export interface Project {
  /** Files in the root. */
  names: ReadonlySet<string>
  files: readonly string[]
  read: ReadText
  hints: Hints | null
}

export const isInCi = (command: string, hints: Hints | null): boolean =>
  signsOf(command).some((sign) => hints?.ci.has(sign) === true)

export type Found = Partial<Record<ToolName, Tool>>

export function eachTool(find: (name: ToolName) => Tool | undefined): Found {
  return Object.fromEntries(
    TOOLS.flatMap((name) => {
      const tool = find(name)
      return tool === undefined ? [] : [[name, tool]]
    }),
  )
}
