/** What the command line knows about a command before somebody calls it: its words, its options, its help. */
import { Option, type Command } from 'commander'
import type { Io } from './io.ts'

/** What a command returns: an exit code, or nothing for 0. `root`: the command line as a whole. */
type Act = (
  io: Io,
  args: string[],
  options: Record<string, unknown>,
  root: Command,
) => Promise<number | void> | number | void

export interface CommandSpec {
  /** As in `show <task>`. One that begins with `__` is asked by programs and shown to nobody. */
  usage: string
  description: string
  /** Its code, which is loaded when it is called and not before. */
  load(): Promise<Act>
  options?(): Option[]
  help?: CommandHelp
}

/** What stands below its options. */
export interface CommandHelp {
  /** What to type, and what it does. */
  examples: readonly (readonly [string, string])[]
  /** A topic of `muster help`. */
  see: string
}

export const json = () => new Option('--json', 'print JSON to stdout')
export const message = (text: string) => new Option('-m, --message <text>', text)
export const ofStory = () => new Option('--story <story>', 'only this story')
/** May be given more than once. */
export const repeated = (flags: string, text: string) =>
  new Option(flags, text).argParser((value: string, before: string[] | undefined) => [...(before ?? []), value])
