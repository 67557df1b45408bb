/** Commands that other programs call. */
import { Option } from 'commander'
import { type CommandSpec } from './command.ts'

export const connect: readonly CommandSpec[] = [
  {
    usage: 'mcp',
    description: 'serve MCP tools to an agent program, over stdin and stdout',
    load: async () => (await import('./mcp.ts')).mcp,
    options: () => [
      new Option(
        '--role <role>',
        'serve the tools for a judge that Muster runs; without it, those for your own program',
      ).choices(['judge']),
      new Option('--dir <folder>', 'with --role judge: the folder of its run, if the environment does not name it'),
    ],
    help: {
      examples: [
        ['claude mcp add muster -- muster mcp', 'let your agent create and read tasks'],
        ['muster mcp --role judge --dir <folder>', 'for a judge that is your own command'],
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
    description: 'print ids for completion',
    load: async () => (await import('./complete.ts')).complete,
  },
]
