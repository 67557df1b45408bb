/** Commands that show what there is, and change nothing. */
import { Option } from 'commander'
import { json, ofStory, type CommandSpec } from './command.ts'

export const look: readonly CommandSpec[] = [
  {
    usage: 'status',
    description: 'show stories, and open or failed tasks',
    load: async () => (await import('./status.ts')).status,
    options: () => [
      new Option('--all', 'include finished tasks'),
      ofStory(),
      new Option('--limit <n>', 'show at most this many tasks').default('50'),
      new Option('--after <task>', 'start after this task'),
      json(),
    ],
    help: {
      examples: [
        ['muster status', 'stories and open tasks'],
        ['muster status --story shop --all', 'one story, with finished tasks'],
      ],
      see: 'commands',
    },
  },
  {
    usage: 'list',
    description: 'list all tasks, including finished ones',
    load: async () => (await import('./list.ts')).list,
    options: () => [
      new Option('--stage <stages>', 'only tasks at these stages, separated by commas'),
      ofStory(),
      new Option('--limit <n>', 'show at most this many').default('1000'),
      new Option('--after <task>', 'start after this task'),
      json(),
    ],
    help: {
      examples: [
        ['muster list --stage review,failed', 'tasks that need somebody'],
        ['muster list --story shop --json', 'the tasks of a story, for a script'],
      ],
      see: 'commands',
    },
  },
  {
    usage: 'show <task>',
    description: 'show a task with its runs and findings',
    load: async () => (await import('./show.ts')).show,
    options: () => [
      new Option('--prompt', 'print the prompt of its last run'),
      new Option('--plan', 'print only the plan that its planner wrote').conflicts('prompt'),
      new Option('--run <run>', 'with --prompt or --plan: use this run instead of the last'),
      json(),
    ],
    help: {
      examples: [
        ['muster show shop-2', 'its contract, evidence, runs and findings'],
        ['muster show shop-2 --prompt', 'the prompt of its last run'],
      ],
      see: 'contracts',
    },
  },
  {
    usage: 'contract [task]',
    description: 'show how a task, or a text, will be judged',
    load: async () => (await import('./contract.ts')).contract,
    options: () => [
      new Option('--text <text>', 'judge this text instead of a task'),
      new Option('--files <paths>', 'files it is expected to change, separated by commas'),
      new Option('--batch <file>', 'read JSON lines { text, files? } and print one contract per line'),
      new Option('--explain', 'explain the result'),
      new Option('--type <type>', 'before it starts: make the task verifiable, advisory or skip'),
      new Option('--set <file>', 'before it starts: use the contract in this YAML or JSON file'),
      json(),
    ],
    help: {
      examples: [
        ['muster contract shop-2', 'how a task will be judged'],
        ['muster contract --text "Add a /health endpoint" --explain', 'how a text would be judged, and why'],
      ],
      see: 'contracts',
    },
  },
  {
    usage: 'advisory',
    description: 'list advisory tasks and their results',
    load: async () => (await import('./advisory.ts')).advisory,
    options: () => [ofStory(), json()],
    help: {
      examples: [
        ['muster advisory', 'questions and their answers'],
        ['muster advisory --story shop', 'of one story'],
      ],
      see: 'contracts',
    },
  },
  {
    usage: 'cost',
    description: 'show what agents cost, by day, story, role and program',
    load: async () => (await import('./cost.ts')).cost,
    options: () => [ofStory(), json()],
    help: {
      examples: [
        ['muster cost', 'by day, story, role and program'],
        ['muster cost --story shop --json', 'of one story, for a script'],
      ],
      see: 'agents',
    },
  },
  {
    usage: 'stats',
    description: 'show how often people overrule judges, how many rounds work takes, and the cost by role',
    load: async () => (await import('./stats.ts')).stats,
    options: () => [ofStory(), json()],
    help: {
      examples: [
        ['muster stats', 'how often people overrule judges, and how many rounds work takes'],
        ['muster stats --story shop', 'of one story'],
      ],
      see: 'judges',
    },
  },
  {
    usage: 'explain <task>',
    description: 'explain why a task is where it is, and what would move it on',
    load: async () => (await import('./explain.ts')).explainTask,
    options: () => [json()],
    help: {
      examples: [
        ['muster explain shop-2', 'why it is here, and what would move it on'],
        ['muster explain shop-2 --json', 'the same as JSON'],
      ],
      see: 'phase-maps',
    },
  },
  {
    usage: 'logs <task>',
    description: "show the output of a task's last run",
    load: async () => (await import('./logs.ts')).logs,
    options: () => [
      new Option('-f, --follow', 'keep printing new output'),
      new Option('--run <run>', 'print this run instead of the last'),
      new Option('--service <name>', 'print the output of this service instead'),
      new Option('--raw', 'print the raw bytes, including escape sequences'),
      json(),
    ],
    help: {
      examples: [
        ['muster logs shop-2 -f', 'follow the output'],
        ['muster logs shop-2 --raw', 'the raw output of the program'],
      ],
      see: 'agents',
    },
  },
  {
    usage: 'diff <task>',
    description: 'show what a task changed',
    load: async () => (await import('./diff.ts')).diff,
    options: () => [new Option('--stat', 'only a summary'), json()],
    help: {
      examples: [
        ['muster diff shop-2', 'what it changed'],
        ['muster diff shop-2 --stat', 'only the changed files'],
      ],
      see: 'commands',
    },
  },
  {
    usage: 'open <task>',
    description: 'print the folder in which a task is worked on',
    load: async () => (await import('./open.ts')).open,
    options: () => [json()],
    help: {
      examples: [
        ['muster open shop-2', 'the folder in which it is worked on'],
        ['muster open shop-2 --json', 'the same, for a script'],
      ],
      see: 'commands',
    },
  },
]
