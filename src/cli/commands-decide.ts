/** Commands for what a person decides about a task. */
import { Option } from 'commander'
import { json, message, repeated, type CommandSpec } from './command.ts'

/** Of a decision for the work. */
const forIt = () => [
  message('your comment'),
  new Option('--reason <text>', 'why you accept it despite what was found'),
  json(),
]

export const decide: readonly CommandSpec[] = [
  {
    usage: 'accept <task>',
    description: 'accept the result of a task that needs you',
    load: async () => (await import('./decide.ts')).decision('accept'),
    options: forIt,
    help: {
      examples: [
        ['muster accept shop-2', 'a task that needs you'],
        ['muster accept shop-2 --reason "the flaky test is known"', 'despite what was found'],
      ],
      see: 'judges',
    },
  },
  {
    usage: 'reject <task>',
    description: 'send a task back to its author, with your comments',
    load: async () => (await import('./decide.ts')).decision('reject'),
    options: () => [
      message('your comment'),
      repeated('--comment <file:line: text>', 'a comment on one line; repeatable'),
      json(),
    ],
    help: {
      examples: [
        ['muster reject shop-2 -m "the form needs a label"', 'the agent reads this first in its next prompt'],
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
        ['muster approve task-3 -m "seen on the test machine"', 'with a comment for the history'],
      ],
      see: 'judges',
    },
  },
  {
    usage: 'submit <task> [commit]',
    description: "use your own commit as the task's next attempt (default: the head of its branch)",
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
    description: 'try a failed, cancelled or held task again',
    load: async () => (await import('./decide.ts')).retry,
    options: () => [json()],
    help: {
      examples: [
        ['muster retry shop-2', 'keep its findings, allow as many rounds again'],
        ['muster retry shop-2 --json', 'the same, for a script'],
      ],
      see: 'commands',
    },
  },
  {
    usage: 'cancel <task>',
    description: 'end a task without a result',
    load: async () => (await import('./decide.ts')).cancel,
    options: () => [message('the reason'), json()],
    help: {
      examples: [
        ['muster cancel shop-2', 'its worker is stopped'],
        ['muster cancel shop-2 -m "no longer needed"', 'with the reason'],
      ],
      see: 'commands',
    },
  },
]
