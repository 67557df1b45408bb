/**
 * The command line, made of the entries in commands.ts: each command is loaded only when it is called. The one place where
 * an error becomes a message and an exit code.
 */
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { Command, CommanderError, Option } from 'commander'
import { forDisplay } from '../domain/display.ts'
import { ERROR_CODES, MusterError, systemFailure } from '../domain/errors.ts'
import { COMMANDS, examplesText } from './commands.ts'
import type { CommandSpec } from './command.ts'
import type { Io } from './io.ts'
import { wrapped } from './markdown.ts'
import { topics } from './topics.ts'
import { version } from '../version.ts'

export function program(io: Io, setExit: (code: number) => void, groups = COMMANDS): Command {
  const root = new Command('muster')
    .description('Drives AI coding agents through tasks and decides whether their work passes.')
    .version(version, '-V, --version')
    .option('--no-input', 'never ask questions; fail if an answer is needed')
    .addOption(
      new Option('-C <dir>', 'run as if started in this folder').argParser((dir, before: string | undefined) =>
        resolve(before ?? io.cwd, dir),
      ),
    )
    .showHelpAfterError('(muster --help lists the commands)')
    .exitOverride()
    .configureOutput({ writeOut: (text) => io.out(text), writeErr: (text) => io.say(text) })
    .helpCommand(false)
    .addHelpText(
      'after',
      () => `\nDocumentation: muster help <topic>, with one of\n${wrapped(topics().join(', '), 80, '  ', '  ')}`,
    )
  for (const { name, commands } of groups) {
    for (const spec of commands) addCommand(root, name, spec, io, setExit)
  }
  return root
}

function addCommand(root: Command, group: string, spec: CommandSpec, io: Io, setExit: (code: number) => void): void {
  const { usage, description, options = () => [], help, load } = spec
  const command = root
    .command(usage, { hidden: usage.startsWith('__') })
    .description(description)
    .exitOverride()
  if (help !== undefined) command.helpGroup(`${group}:`).addHelpText('after', examplesText(help))
  for (const option of options()) command.addOption(option)
  command.action(async (...given: unknown[]) => {
    const args = given.slice(0, -2).map((arg) => (arg === undefined ? '' : String(arg)))
    const here = { ...io, cwd: folderOf(io.cwd, root.getOptionValue('C')) }
    setExit((await (await load())(here, args, given.at(-2) as Record<string, unknown>, root)) ?? 0)
  })
}

/** Where the command is to look, as `git -C` has it. */
function folderOf(cwd: string, given: unknown): string {
  if (typeof given !== 'string') return cwd
  const folder = resolve(cwd, given)
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return folder
  throw new MusterError('usage', `-C ${given}: there is no such folder`, { hint: 'name a folder of your project' })
}

export async function main(argv: readonly string[], io: Io, groups = COMMANDS): Promise<number> {
  let exit = 0
  const root = program(io, (code) => void (exit = code), groups)
  try {
    if (argv.length === 0) {
      root.outputHelp()
      return 0
    }
    await root.parseAsync(argv, { from: 'user' })
    return exit
  } catch (error) {
    return report(error, io, argv)
  }
}

/** The exit code of an error, after telling it: what happened, why, and what to type next. */
function report(error: unknown, io: Io, argv: readonly string[]): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : ERROR_CODES.usage.exit
  const known = error instanceof MusterError ? error : systemFailure(error)
  if (known === null) {
    io.say(`muster: internal error (a bug in Muster)\n${error instanceof Error ? error.stack : String(error)}\n`)
    return 1
  }
  const { code, message, hint } = known
  if (argv.includes('--json')) io.out(`${JSON.stringify({ error: { code, message, hint: hint ?? null } }, null, 2)}\n`)
  // What is wrong may be quoted from a file nobody has looked at yet.
  io.say(`${io.paint.red('muster:')} ${forDisplay(message, { colours: false })}\n`)
  if (hint !== undefined) io.say(`  ${forDisplay(hint, { colours: false }).replaceAll('\n', '\n  ')}\n`)
  return ERROR_CODES[code].exit
}
