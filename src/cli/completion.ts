/**
 * muster completion <shell>: a script for bash, zsh or fish, made of the command table itself. Commands, options and
 * topics are in the script; tasks and stories are asked for while somebody types (`muster __complete`).
 */
import type { Kind, OptionWords, Table } from './completion-table.ts'
import type { Command, Option } from 'commander'
import { MusterError } from '../domain/errors.ts'
import { STAGES } from '../domain/task/stage.ts'
import { bashScript } from './completion-bash.ts'
import { fishScript } from './completion-fish.ts'
import { zshScript } from './completion-zsh.ts'
import type { Io } from './io.ts'
import { topics } from './topics.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const
const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript }

export function completion(io: Io, [shell = '']: string[], _: unknown, root: Command): void {
  const script = SHELLS.find((name) => name === shell)
  if (script === undefined) {
    throw new MusterError('usage', `no completion script for "${shell}"`, {
      hint: `muster completion ${SHELLS.join(', muster completion ')}`,
    })
  }
  io.out(SCRIPTS[script](tableOf(root)))
}

/** Hidden commands are nobody's to complete. */
function tableOf(root: Command): Table {
  const shown = root.createHelp().visibleCommands(root)
  const names = shown.map((command) => command.name())
  const kind = (name: string) => kindOf(name, names)
  return {
    options: optionsOf(root, kind),
    commands: shown.map((command) => ({
      name: command.name(),
      description: command.description(),
      args: command.registeredArguments.map((argument) => kind(argument.name())),
      options: optionsOf(command, kind),
    })),
  }
}

function optionsOf(command: Command, kind: (name: string) => Kind): OptionWords[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .map((option: Option) => {
      const names = [option.short, option.long].filter((name) => name !== undefined && name !== null)
      const [, valueName] = /[<[]([^>\]:]+)/.exec(option.flags) ?? []
      const value = option.argChoices === undefined ? kind(valueName ?? '') : { words: option.argChoices }
      return { names, description: option.description, ...(valueName === undefined ? {} : { value }) }
    })
}

/** By the name that usage and flags give it: `<task>` is a task wherever it stands. */
function kindOf(name: string, commands: readonly string[]): Kind {
  const kinds: Record<string, Kind> = {
    task: 'tasks',
    tasks: 'tasks',
    story: 'stories',
    id: 'stories',
    file: 'files',
    plan: 'files',
    paths: 'files',
    path: 'files',
    dir: 'folders',
    folder: 'folders',
    topic: { words: [...commands, ...topics().filter((topic) => !commands.includes(topic))] },
    action: { words: ['list', 'show', 'approve', 'fix'] },
    shell: { words: SHELLS },
    stages: { words: STAGES },
    type: { words: ['verifiable', 'advisory', 'skip'] },
    preset: { words: ['checked', 'planned', 'reviewed', 'validated', 'pull-request', 'direct'] },
  }
  return kinds[name] ?? null
}
