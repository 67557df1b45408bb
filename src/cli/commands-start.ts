/** Commands to begin with: setting up, looking around, reading. */
import { Option } from 'commander'
import { json, type CommandSpec } from './command.ts'

export const start: readonly CommandSpec[] = [
  {
    usage: 'init',
    description: 'write a muster.yaml for this repository',
    load: async () => (await import('./init.ts')).init,
    options: () => [
      new Option('--agent <command>', 'the command that does the work'),
      new Option('--force', 'replace an existing muster.yaml'),
      new Option('--no-try', 'do not run the setup and the checks'),
      new Option('--schema', 'also copy the JSON schema, so that editors can explain the file'),
      json(),
    ],
    help: {
      examples: [
        ['muster init', 'detect the project, run its checks, write muster.yaml'],
        ['muster init --agent ./agent.sh --no-try', 'with your own command, running nothing'],
      ],
      see: 'configuration',
    },
  },
  {
    usage: 'doctor',
    description: 'check the repository, the configuration, the agents and the stored history',
    load: async () => (await import('./doctor.ts')).doctor,
    options: () => [
      new Option('--repair', 'list what can be repaired, then repair it'),
      new Option('--no-try', 'do not run the setup and the checks'),
      json(),
    ],
    help: {
      examples: [
        ['muster doctor', 'list what is missing'],
        ['muster doctor --repair', 'repair what can be repaired'],
      ],
      see: 'configuration',
    },
  },
  {
    usage: 'demo',
    description: 'watch Muster work in a throwaway repository; needs no account',
    load: async () => (await import('./demo.ts')).demo,
    options: () => [
      new Option('--once', 'run to the end without asking; the default without a terminal'),
      new Option('--board', 'keep the board running until Ctrl-C, even without a terminal').conflicts('once'),
      new Option('--terminal', 'run in the terminal, without the board').conflicts(['once', 'board']),
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
