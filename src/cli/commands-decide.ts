/** Commands for what a person decides about a task. */
import { Option } from 'commander'
import { json, message, repeated, type CommandSpec } from './command.ts'

/** Of a decision for the work. */
const forIt = () => [
  message('what you want to say'),
  new Option('--reason <text>', 'why it is fine, over what was found'),
  json(),
]

export const decide: readonly CommandSpec[] = [
  {
    usage: 'accept <task>',
    description: 'accept the result of a task that waits for you',
    load: async () => (await import('./decide.ts')).decision('accept'),
    options: forIt,
    help: {
      examples: [
        ['muster accept shop-2', 'a task that waits for you'],
        ['muster accept shop-2 --reason "the flaky test is known"', 'over what was found'],
      ],
      see: 'judges',
    },
  },
  {
    usage: 'reject <task>',
    description: 'send a task back to its author, with words',
    load: async () => (await import('./decide.ts')).decision('reject'),
    options: () => [
      message('what you want to say'),
      repeated('--comment <file:line: text>', 'what must change there; may be given more than once'),
      json(),
    ],
    help: {
      examples: [
        ['muster reject shop-2 -m "the form needs a label"', 'the agent reads it first in its next prompt'],
        ['muster reject shop-2 --comment "order.html:12: no label"', 'about one line'],
      ],
      see: 'judges',
    },
  },
  {
    usage: 'approve <task>',
    description: 'accept a task and allow it to land on a protected branch',
    load: async () => (await import('./decide.ts')).decision('approve'),
    options: forIt,
    help: {
      examples: [
        ['muster approve task-3', 'it may land on the base'],
        ['muster approve task-3 -m "seen on the test machine"', 'with words for the history'],
      ],
      see: 'judges',
    },
  },
  {
    usage: 'submit <task> [commit]',
    description: "take a commit of your own as the task's next attempt (default: the head of its branch)",
    load: async () => (await import('./decide.ts')).submit,
    options: () => [json()],
    help: {
      examples: [
        ['muster submit shop-2', 'the head of muster/task/shop-2 is its next attempt'],
        ['muster submit shop-2 my-branch', 'or the commit that you name'],
      ],
      see: 'commands',
    },
  },
  {
    usage: 'retry <task>',
    description: 'give a failed, cancelled or held task another chance',
    load: async () => (await import('./decide.ts')).retry,
    options: () => [json()],
    help: {
      examples: [
        ['muster retry shop-2', 'with its findings, and as many rounds more'],
        ['muster retry shop-2 --json', 'the same, for a script'],
      ],
      see: 'commands',
    },
  },
  {
    usage: 'cancel <task>',
    description: 'end a task',
    load: async () => (await import('./decide.ts')).cancel,
    options: () => [message('why'), json()],
    help: {
      examples: [
        ['muster cancel shop-2', 'its worker is stopped'],
        ['muster cancel shop-2 -m "not needed any more"', 'with the reason'],
      ],
      see: 'commands',
    },
  },
]
