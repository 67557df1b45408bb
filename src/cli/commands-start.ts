/** Commands to begin with: setting up, looking around, reading. */
import { Option } from 'commander'
import { json, type CommandSpec } from './command.ts'

export const start: readonly CommandSpec[] = [
  {
    usage: 'init',
    description: 'write a muster.yaml that fits this repository',
    load: async () => (await import('./init.ts')).init,
    options: () => [
      new Option('--agent <command>', 'the command that does the work'),
      new Option('--force', 'replace an existing muster.yaml'),
      new Option('--no-try', 'write what was found, without trying it'),
      new Option('--schema', 'copy the JSON schema beside it, for editors that explain the file'),
      json(),
    ],
    help: {
      examples: [
        ['muster init', 'look around, try the checks, write muster.yaml'],
        ['muster init --agent ./agent.sh --no-try', 'with a command of your own, trying nothing'],
      ],
      see: 'configuration',
    },
  },
  {
    usage: 'doctor',
    description: 'check the repository, the configuration, the agents and the stored history',
    load: async () => (await import('./doctor.ts')).doctor,
    options: () => [
      new Option('--repair', 'mend what can be mended, saying what first'),
      new Option('--no-try', 'only look: run neither setup nor checks'),
      json(),
    ],
    help: {
      examples: [
        ['muster doctor', 'say what is missing'],
        ['muster doctor --repair', 'mend what can be mended'],
      ],
      see: 'configuration',
    },
  },
  {
    usage: 'demo',
    description: 'see it work on a throwaway repository, on the board, without any account',
    load: async () => (await import('./demo.ts')).demo,
    options: () => [
      new Option('--once', 'to its end by itself, as it is without a terminal'),
      new Option('--board', 'until it is ended, also without a terminal').conflicts('once'),
      new Option('--terminal', 'in the terminal, without the board').conflicts(['once', 'board']),
      new Option('--keep', 'keep the repository afterwards'),
    ],
    help: {
      examples: [
        ['muster demo', 'on the board, until Ctrl-C'],
        ['muster demo --terminal', 'in the terminal'],
      ],
      see: 'board',
    },
  },
  {
    usage: 'help [topic]',
    description: 'show a command, or a page of the documentation',
    load:
      async () =>
      async (here, [topic = ''], _, root) => {
        const command = root.commands.find((one) => one.name() === topic)
        if (topic === '' || command !== undefined) return (command ?? root).outputHelp()
        await (await import('./help.ts')).showTopic(here, topic)
      },
    help: {
      examples: [
        ['muster help run', 'the options of a command'],
        ['muster help checks', 'a page of the documentation'],
      ],
      see: 'commands',
    },
  },
]
