/**
 * The command line: every command with its words and options in one place, each loaded only when it is called, and the
 * one place where an error becomes a message and an exit code.
 */
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { Command, CommanderError, Option } from 'commander'
import { forDisplay } from '../domain/display.ts'
import { ERROR_CODES, MusterError, systemFailure } from '../domain/errors.ts'
import { COMMAND_HELP, examplesText } from './examples.ts'
import type { Io } from './io.ts'
import { wrapped } from './markdown.ts'
import { topics } from './topics.ts'
import { version } from '../version.ts'

const json = () => new Option('--json', 'print JSON to stdout')
const message = (text: string) => new Option('-m, --message <text>', text)

/** What each command returns: an exit code, or nothing for 0. */
type Act = (io: Io, args: string[], options: Record<string, unknown>) => Promise<number | void>

export function program(io: Io, setExit: (code: number) => void): Command {
  const root = new Command('muster')
    .description('Drives AI coding agents through tasks and decides whether their work passes.')
    .version(version, '-V, --version')
    .option('--no-input', 'never ask; a question that needs an answer is an error')
    .addOption(
      new Option('-C <dir>', 'as if muster had been started in that folder').argParser(
        (dir, before: string | undefined) => resolve(before ?? io.cwd, dir),
      ),
    )
    .showHelpAfterError('(muster --help lists the commands)')
    .exitOverride()
    .configureOutput({ writeOut: (text) => io.out(text), writeErr: (text) => io.say(text) })
  const add = (usage: string, description: string, load: () => Promise<Act>, options: Option[] = []) => {
    const hidden = usage.startsWith('__')
    const command = root.command(usage, { hidden }).description(description).exitOverride()
    const help = COMMAND_HELP[command.name()]
    if (help !== undefined) command.helpGroup(`${help.group}:`).addHelpText('after', examplesText(help))
    for (const option of options) command.addOption(option)
    command.action(async (...given: unknown[]) => {
      const args = given.slice(0, -2).map((arg) => (arg === undefined ? '' : String(arg)))
      const here = { ...io, cwd: folderOf(io.cwd, root.getOptionValue('C')) }
      setExit((await (await load())(here, args, given.at(-2) as Record<string, unknown>)) ?? 0)
    })
  }
  root
    .helpCommand(false)
    .addHelpText(
      'after',
      () => `\nDocumentation: muster help <topic>, with one of\n${wrapped(topics().join(', '), 80, '  ', '  ')}`,
    )
  add('init', 'write a muster.yaml that fits this repository', async () => (await import('./init.ts')).init, [
    new Option('--agent <command>', 'the command that does the work'),
    new Option('--force', 'replace an existing muster.yaml'),
    new Option('--no-try', 'write what was found, without trying it'),
    new Option('--schema', 'copy the JSON schema beside it, for editors that explain the file'),
    json(),
  ])
  add(
    'doctor',
    'check the repository, the configuration, the agents and the stored history',
    async () => (await import('./doctor.ts')).doctor,
    [
      new Option('--repair', 'mend what can be mended, saying what first'),
      new Option('--no-try', 'only look: run neither setup nor checks'),
      json(),
    ],
  )
  add(
    'run [plan]',
    'work on a plan file, on one sentence, or on everything that is open',
    async () => (await import('./run.ts')).run,
    [
      new Option('--dry-run', 'show what would happen, and change nothing'),
      new Option('--new', 'start the plan once more instead of resuming it'),
      new Option('--agent <role>', 'of one sentence: the role that does it, or a program such as claude'),
      new Option('--model <model>', 'of one sentence: the model that does it'),
      new Option('--checks <names>', 'of one sentence: checks it must pass, separated by commas'),
      new Option('--criteria <text>', 'of one sentence: how it will be judged; may be given more than once').argParser(
        (value: string, before: string[] | undefined) => [...(before ?? []), value],
      ),
      json(),
    ],
  )
  add(
    'import [plan]',
    'take over a plan that another orchestrator wrote, or issues of the forge',
    async () => (await import('./import.ts')).importCommand,
    [
      new Option('--issues <numbers>', 'these issues, separated by commas'),
      new Option('--label <label>', 'all open issues with this label'),
      new Option('--story <name>', 'issues become one story; without one, each is a task for the base branch'),
      new Option('--dry-run', 'show what would be taken over, and change nothing'),
      json(),
    ],
  )
  add('add [title]', 'add one task', async () => (await import('./add.ts')).add, [
    new Option('--from <file>', 'a task file: a heading, lines such as CHECKS: a,b, and the instructions'),
    new Option('--instructions <text>', 'what to do; - reads it from stdin'),
    new Option('--criteria <text>', 'how it will be judged'),
    new Option('--checks <names>', 'checks it must pass, separated by commas'),
    new Option('--files <paths>', 'files expected to change, separated by commas'),
    new Option('--depends <tasks>', 'tasks it waits for, separated by commas'),
    new Option('--story <story>', 'add it to this story; without one it lands on the base branch'),
    new Option('--agent <role>', 'the role that does it'),
    new Option('--phases <preset>', 'its phase map'),
    new Option('--defect <path>', 'the report of the defect it fixes: the issue-verifier looks whether it is gone'),
    new Option('--spec-ref <place>', 'where its specification is: a path, a section, an address'),
    json(),
  ])
  add('status', 'show stories, and tasks that are open or failed', async () => (await import('./status.ts')).status, [
    new Option('--all', 'list finished tasks too'),
    new Option('--story <story>', 'only this story'),
    new Option('--limit <n>', 'how many tasks at the most').default('50'),
    new Option('--after <task>', 'start behind this task'),
    json(),
  ])
  add('list', 'list tasks, finished ones too', async () => (await import('./list.ts')).list, [
    new Option('--stage <stages>', 'only those at these stages, separated by commas'),
    new Option('--story <story>', 'only this story'),
    new Option('--limit <n>', 'how many at the most').default('1000'),
    new Option('--after <task>', 'start behind this task'),
    json(),
  ])
  add('show <task>', 'show a task with its runs and findings', async () => (await import('./show.ts')).show, [
    new Option('--prompt', 'what its agent was told'),
    new Option('--plan', 'the plan that its planner wrote, and nothing else').conflicts('prompt'),
    new Option('--run <run>', 'with --prompt or --plan: of another run than the last'),
    json(),
  ])
  add(
    'contract [task]',
    'show how a task will be judged, or how a text would be',
    async () => (await import('./contract.ts')).contract,
    [
      new Option('--text <text>', 'a text instead of a task'),
      new Option('--files <paths>', 'files it is expected to change, separated by commas'),
      new Option('--batch <file>', 'lines { text, files? } instead; prints one contract per line, in order'),
      new Option('--explain', 'say why'),
      new Option('--type <type>', 'before it starts: make the task verifiable, advisory or skip'),
      new Option('--set <file>', 'before it starts: take the contract that this YAML or JSON file holds'),
      json(),
    ],
  )
  add('advisory', 'list advisory tasks and their results', async () => (await import('./advisory.ts')).advisory, [
    new Option('--story <story>', 'only this story'),
    json(),
  ])
  add(
    'cost',
    'show what agents have used, by day, story, role and program',
    async () => (await import('./cost.ts')).cost,
    [new Option('--story <story>', 'only this story'), json()],
  )
  add(
    'stats',
    'show how often people overrule judges, how many rounds work takes, and the cost by role',
    async () => (await import('./stats.ts')).stats,
    [new Option('--story <story>', 'only this story'), json()],
  )
  add(
    'explain <task>',
    'say why a task is where it is and what would move it on',
    async () => (await import('./explain.ts')).explainTask,
    [json()],
  )
  add('logs <task>', "show the output of a task's last run", async () => (await import('./logs.ts')).logs, [
    new Option('-f, --follow', 'go on as it grows'),
    new Option('--run <run>', 'another run of the task'),
    new Option('--service <name>', 'what a service beside it printed'),
    new Option('--raw', 'the bytes as they came, escapes included'),
    json(),
  ])
  add('diff <task>', 'show what a task changed', async () => (await import('./diff.ts')).diff, [
    new Option('--stat', 'only a summary'),
    json(),
  ])
  for (const kind of ['accept', 'reject', 'approve'] as const) {
    const words = {
      accept: 'accept the result of a task that waits for you',
      reject: 'send a task back to its author, with words',
      approve: 'accept a task and allow it to land on a protected branch',
    }
    add(`${kind} <task>`, words[kind], async () => (await import('./decide.ts')).decision(kind), [
      message('what you want to say'),
      kind === 'reject'
        ? new Option('--comment <file:line: text>', 'what must change there; may be given more than once').argParser(
            (value: string, before: string[] | undefined) => [...(before ?? []), value],
          )
        : new Option('--reason <text>', 'why it is fine, over what was found'),
      json(),
    ])
  }
  add(
    'elaborate <goal>',
    'have a goal broken down into a draft of a story',
    async () => (await import('./elaborate.ts')).elaborate,
    [json()],
  )
  add(
    'story <action> [id]',
    'list, show <story or draft>, approve <draft>, fix, cancel, archive or unarchive <story>',
    async () => (await import('./story.ts')).story,
    [
      new Option('--draft <file>', 'with approve: the draft as you edited it'),
      new Option('--all', 'with list: archived stories too'),
      message('with cancel: why'),
      json(),
    ],
  )
  add(
    'ship <story>',
    'land a story on its base, deploy it and validate it',
    async () => (await import('./ship.ts')).ship,
    [
      new Option('--resume', 'go on with a Ship that stopped half-way'),
      new Option('--deployed', 'say that a deploy whose end nobody saw has done its work').conflicts('resume'),
      message('with --deployed: what you saw'),
      json(),
    ],
  )
  add(
    'submit <task> [commit]',
    "take a commit of your own as the task's next attempt (default: the head of its branch)",
    async () => (await import('./decide.ts')).submit,
    [json()],
  )
  add(
    'retry <task>',
    'give a failed, cancelled or held task another chance',
    async () => (await import('./decide.ts')).retry,
    [json()],
  )
  add('cancel <task>', 'end a task', async () => (await import('./decide.ts')).cancel, [message('why'), json()])
  add('pause', 'start nothing new and stop the clocks', async () => (await import('./pause.ts')).pause, [json()])
  add('resume', 'go on after a pause', async () => (await import('./pause.ts')).resume, [json()])
  add('open <task>', 'print the folder a task is worked on in', async () => (await import('./open.ts')).open, [json()])
  add(
    'clean',
    'show what Muster keeps on disk for this project, and remove what may go',
    async () => (await import('./clean.ts')).clean,
    [
      new Option('--apply', 'remove what can go; save unsaved work first, keep it if that fails'),
      new Option('--discard <run>', 'remove one workspace with unsaved work, by its run or task').conflicts('apply'),
      json(),
    ],
  )
  add(
    'backup <file>',
    "save Muster's data of this project to a file, whatever is at work",
    async () => (await import('./backup.ts')).backupCommand,
    [json()],
  )
  add(
    'restore <file>',
    'put back what muster backup has saved; what landed since is found',
    async () => (await import('./backup.ts')).restoreCommand,
    [json()],
  )
  add('export', 'print everything stored about tasks as JSON', async () => (await import('./export.ts')).exportAll, [
    new Option('--story <story>', 'only this story'),
    json(),
  ])
  add(
    'serve',
    'work on everything open and answer over HTTP, until it is ended',
    async () => (await import('./serve.ts')).serveCommand,
    [
      new Option('--port <n>', 'where to listen; 0 takes any port that is free').default('4747'),
      new Option('--host <address>', 'the address to listen on; beyond loopback, set serve.allowHosts too').default(
        '127.0.0.1',
      ),
      new Option('--json', 'print one line of JSON when it is ready'),
    ],
  )
  add('mcp', 'serve tools to an agent program, over stdin and stdout', async () => (await import('./mcp.ts')).mcp, [
    new Option('--role <role>', 'those of a judge that Muster runs; without it, those for your own program').choices([
      'judge',
    ]),
    new Option('--dir <folder>', 'of a judge: the folder of its run, where its environment does not say'),
  ])
  add(
    'demo',
    'see it work on a throwaway repository, on the board, without any account',
    async () => (await import('./demo.ts')).demo,
    [
      new Option('--once', 'to its end by itself, as it is without a terminal'),
      new Option('--board', 'until it is ended, also without a terminal').conflicts('once'),
      new Option('--terminal', 'in the terminal, without the board').conflicts(['once', 'board']),
      new Option('--keep', 'keep the repository afterwards'),
    ],
  )
  add('completion <shell>', 'print a script that completes muster: bash, zsh or fish', async () => {
    const { completion } = await import('./completion.ts')
    return async (here, [shell = '']) => completion(here, shell, root)
  })
  add('__complete <what> [beginning]', 'ids, for it', async () => (await import('./complete.ts')).complete)
  add('help [topic]', 'show a command, or a page of the documentation', async () => async (here, [topic = '']) => {
    const command = root.commands.find((one) => one.name() === topic)
    if (topic === '' || command !== undefined) return (command ?? root).outputHelp()
    await (await import('./help.ts')).showTopic(here, topic)
  })
  return root
}

/** Where the command is to look, as `git -C` has it. */
function folderOf(cwd: string, given: unknown): string {
  if (typeof given !== 'string') return cwd
  const folder = resolve(cwd, given)
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return folder
  throw new MusterError('usage', `-C ${given}: there is no such folder`, { hint: 'name a folder of your project' })
}

export async function main(argv: readonly string[], io: Io): Promise<number> {
  let exit = 0
  const root = program(io, (code) => {
    exit = code
  })
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
