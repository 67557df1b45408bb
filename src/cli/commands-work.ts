/** Commands that have work done. */
import { Option } from 'commander'
import { json, repeated, type CommandSpec } from './command.ts'

export const work: readonly CommandSpec[] = [
  {
    usage: 'run [plan]',
    description: 'work on a plan file, one sentence, or all open tasks',
    load: async () => (await import('./run.ts')).run,
    options: () => [
      new Option('--dry-run', 'show what would happen, and change nothing'),
      new Option('--new', 'start the plan again instead of resuming it'),
      new Option('--agent <role>', 'with a sentence: the role that does it, or a program such as claude'),
      new Option('--model <model>', 'with a sentence: the model to use'),
      new Option('--checks <names>', 'with a sentence: checks it must pass, separated by commas'),
      repeated('--criteria <text>', 'with a sentence: a criterion it is judged by; repeatable'),
      json(),
    ],
    help: {
      examples: [
        ['muster run plan.yaml --dry-run', 'show what would happen, and what it may cost'],
        ['muster run "Add a /health endpoint" --checks unit-test', 'a plan of one task'],
      ],
      see: 'plans',
    },
  },
  {
    usage: 'import [plan]',
    description: "import another orchestrator's plan, or issues of the forge",
    load: async () => (await import('./import.ts')).importCommand,
    options: () => [
      new Option('--issues <numbers>', 'these issues, separated by commas'),
      new Option('--label <label>', 'all open issues with this label'),
      new Option(
        '--story <name>',
        'put the issues into one story; without it, each becomes a task for the base branch',
      ),
      new Option('--dry-run', 'show what would be imported, and change nothing'),
      json(),
    ],
    help: {
      examples: [
        ['muster import plan.yaml --dry-run', "another orchestrator's plan"],
        ['muster import --label bug --story "Fix the bugs"', 'issues of the forge, as one story'],
      ],
      see: 'plans',
    },
  },
  {
    usage: 'add [title]',
    description: 'add one task',
    load: async () => (await import('./add.ts')).add,
    options: () => [
      new Option('--from <file>', 'a task file: a heading, lines such as CHECKS: a,b, and the instructions'),
      new Option('--instructions <text>', 'what to do; - reads it from stdin'),
      new Option('--criteria <text>', 'its acceptance criteria'),
      new Option('--checks <names>', 'checks it must pass, separated by commas'),
      new Option('--files <paths>', 'files expected to change, separated by commas'),
      new Option('--depends <tasks>', 'tasks it waits for, separated by commas'),
      new Option('--story <story>', 'add it to this story; without one it lands on the base branch'),
      new Option('--agent <role>', 'the role that does it'),
      new Option('--phases <preset>', 'its phase map'),
      new Option(
        '--defect <path>',
        'the report of the defect it fixes; the role issue-verifier checks that it is gone',
      ),
      new Option('--spec-ref <place>', 'where its specification is: a path, a section or a URL'),
      json(),
    ],
    help: {
      examples: [
        ['muster add "Fix the login form" --checks unit-test', 'a task for the base branch'],
        ['muster add --from task.md --story shop', 'from a file, for a story'],
      ],
      see: 'plans',
    },
  },
  {
    usage: 'pause',
    description: 'start nothing new, and stop the time limits of running work',
    load: async () => (await import('./pause.ts')).pause,
    options: () => [json()],
    help: {
      examples: [
        ['muster pause', 'running work finishes, nothing new starts'],
        ['muster pause --json', 'the same, for a script'],
      ],
      see: 'commands',
    },
  },
  {
    usage: 'resume',
    description: 'continue after a pause',
    load: async () => (await import('./pause.ts')).resume,
    options: () => [json()],
    help: {
      examples: [
        ['muster resume', 'after muster pause'],
        ['muster resume --json', 'the same, for a script'],
      ],
      see: 'commands',
    },
  },
  {
    usage: 'serve',
    description: 'work on all open tasks, and serve the board and the HTTP API',
    load: async () => (await import('./serve.ts')).serveCommand,
    options: () => [
      new Option('--port <n>', 'the port to listen on; 0 takes any free port').default('4747'),
      new Option('--host <address>', 'the address to listen on; beyond loopback, also set serve.allowHosts').default(
        '127.0.0.1',
      ),
      new Option('--json', 'print one line of JSON when it is ready'),
    ],
    help: {
      examples: [
        ['muster serve', 'work on all open tasks, with a board in the browser'],
        ['muster serve --port 0 --json', 'on any free port; one line of JSON names it'],
      ],
      see: 'board',
    },
  },
]
