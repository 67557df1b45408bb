/**
 * The commands, in the groups and the order in which `--help` lists them. A new one is an entry in the file of its group
 * and a file beside this one, which holds what it does. Help, examples and completion scripts are made of the entries.
 */
import type { CommandHelp, CommandSpec } from './command.ts'
import { connect } from './commands-connect.ts'
import { decide } from './commands-decide.ts'
import { house } from './commands-house.ts'
import { look } from './commands-look.ts'
import { start } from './commands-start.ts'
import { stories } from './commands-stories.ts'
import { work } from './commands-work.ts'

interface CommandGroup {
  name: string
  commands: readonly CommandSpec[]
}

export const COMMANDS: readonly CommandGroup[] = [
  { name: 'Start', commands: start },
  { name: 'Work', commands: work },
  { name: 'Look', commands: look },
  { name: 'Decide', commands: decide },
  { name: 'Stories', commands: stories },
  { name: 'Maintain', commands: house },
  { name: 'Connect', commands: connect },
]

/** What stands below the options of a command. */
export function examplesText({ examples, see }: CommandHelp): string {
  const width = Math.max(...examples.map(([typed]) => typed.length))
  const lines = examples.map(([typed, what]) => `  ${typed.padEnd(width)}  # ${what}`)
  return `\nExamples:\n${lines.join('\n')}\n\nMore: muster help ${see}\n`
}
