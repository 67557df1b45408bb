/** Commands that other programs call. */
import { Option } from 'commander'
import { type CommandSpec } from './command.ts'

export const connect: readonly CommandSpec[] = [
  {
    usage: 'mcp',
    description: 'serve tools to an agent program, over stdin and stdout',
    load: async () => (await import('./mcp.ts')).mcp,
    options: () => [
      new Option('--role <role>', 'those of a judge that Muster runs; without it, those for your own program').choices([
        'judge',
      ]),
      new Option('--dir <folder>', 'of a judge: the folder of its run, where its environment does not say'),
    ],
    help: {
      examples: [
        ['claude mcp add muster -- muster mcp', 'let your agent create tasks and look at them'],
        ['muster mcp --role judge --dir <folder>', 'for a judge that is a command of yours'],
      ],
      see: 'mcp.md',
    },
  },
  {
    usage: 'completion <shell>',
    description: 'print a script that completes muster: bash, zsh or fish',
    load: async () => (await import('./completion.ts')).completion,
    help: {
      examples: [
        ['source <(muster completion bash)', 'in ~/.bashrc'],
        ['muster completion fish >~/.config/fish/completions/muster.fish', 'once'],
      ],
      see: 'commands',
    },
  },
  {
    usage: '__complete <what> [beginning]',
    description: 'ids, for it',
    load: async () => (await import('./complete.ts')).complete,
  },
]
