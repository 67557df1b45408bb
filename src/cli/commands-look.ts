/** Commands that show what there is, and change nothing. */
import { Option } from 'commander'
import { json, ofStory, type CommandSpec } from './command.ts'

export const look: readonly CommandSpec[] = [
  {
    usage: 'status',
    description: 'show stories, and tasks that are open or failed',
    load: async () => (await import('./status.ts')).status,
    options: () => [
      new Option('--all', 'list finished tasks too'),
      ofStory(),
      new Option('--limit <n>', 'how many tasks at the most').default('50'),
      new Option('--after <task>', 'start behind this task'),
      json(),
    ],
    help: {
      examples: [
        ['muster status', 'stories, and what is open'],
        ['muster status --story shop --all', 'one story, finished tasks too'],
      ],
      see: 'commands',
    },
  },
  {
    usage: 'list',
    description: 'list tasks, finished ones too',
    load: async () => (await import('./list.ts')).list,
    options: () => [
      new Option('--stage <stages>', 'only those at these stages, separated by commas'),
      ofStory(),
      new Option('--limit <n>', 'how many at the most').default('1000'),
      new Option('--after <task>', 'start behind this task'),
      json(),
    ],
    help: {
      examples: [
        ['muster list --stage review,failed', 'what needs somebody'],
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
      new Option('--prompt', 'what its agent was told'),
      new Option('--plan', 'the plan that its planner wrote, and nothing else').conflicts('prompt'),
      new Option('--run <run>', 'with --prompt or --plan: of another run than the last'),
      json(),
    ],
    help: {
      examples: [
        ['muster show shop-2', 'its contract with the evidence, its runs and findings'],
        ['muster show shop-2 --prompt', 'what its agent was told'],
      ],
      see: 'contracts',
    },
  },
  {
    usage: 'contract [task]',
    description: 'show how a task will be judged, or how a text would be',
    load: async () => (await import('./contract.ts')).contract,
    options: () => [
      new Option('--text <text>', 'a text instead of a task'),
      new Option('--files <paths>', 'files it is expected to change, separated by commas'),
      new Option('--batch <file>', 'lines { text, files? } instead; prints one contract per line, in order'),
      new Option('--explain', 'say why'),
      new Option('--type <type>', 'before it starts: make the task verifiable, advisory or skip'),
      new Option('--set <file>', 'before it starts: take the contract that this YAML or JSON file holds'),
      json(),
    ],
    help: {
      examples: [
        ['muster contract shop-2', 'how a task will be judged'],
        ['muster contract --text "Add a /health endpoint" --explain', 'how a text would be, and why'],
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
        ['muster advisory', 'questions, and their answers'],
        ['muster advisory --story shop', 'of one story'],
      ],
      see: 'contracts',
    },
  },
  {
    usage: 'cost',
    description: 'show what agents have used, by day, story, role and program',
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
    description: 'say why a task is where it is and what would move it on',
    load: async () => (await import('./explain.ts')).explainTask,
    options: () => [json()],
    help: {
      examples: [
        ['muster explain shop-2', 'why it is here, and what would move it'],
        ['muster explain shop-2 --json', 'the same, with its history'],
      ],
      see: 'phase-maps',
    },
  },
  {
    usage: 'logs <task>',
    description: "show the output of a task's last run",
    load: async () => (await import('./logs.ts')).logs,
    options: () => [
      new Option('-f, --follow', 'go on as it grows'),
      new Option('--run <run>', 'another run of the task'),
      new Option('--service <name>', 'what a service beside it printed'),
      new Option('--raw', 'the bytes as they came, escapes included'),
      json(),
    ],
    help: {
      examples: [
        ['muster logs shop-2 -f', 'as it is written'],
        ['muster logs shop-2 --raw', "an agent program's own stream"],
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
        ['muster diff shop-2 --stat', 'which files'],
      ],
      see: 'commands',
    },
  },
  {
    usage: 'open <task>',
    description: 'print the folder a task is worked on in',
    load: async () => (await import('./open.ts')).open,
    options: () => [json()],
    help: {
      examples: [
        ['muster open shop-2', 'the folder it is worked on in'],
        ['muster open shop-2 --json', 'the same, for a script'],
      ],
      see: 'commands',
    },
  },
]
