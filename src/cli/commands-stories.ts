/** Commands for stories: from a goal to what is shipped. */
import { Option } from 'commander'
import { json, message, type CommandSpec } from './command.ts'

export const stories: readonly CommandSpec[] = [
  {
    usage: 'elaborate <goal>',
    description: 'let an agent break a goal down into a draft of a story',
    load: async () => (await import('./elaborate.ts')).elaborate,
    options: () => [json()],
    help: {
      examples: [
        ['muster elaborate "Let customers pay by card"', 'a draft with tasks and criteria'],
        ['muster elaborate "Let customers pay by card" --json', 'the same, for a script'],
      ],
      see: 'stories',
    },
  },
  {
    usage: 'story <action> [id]',
    description: 'list, show <story or draft>, approve <draft>, fix, cancel, archive or unarchive <story>',
    load: async () => (await import('./story.ts')).story,
    options: () => [
      new Option('--draft <file>', 'with approve: the draft as you edited it'),
      new Option('--all', 'with list: include archived stories'),
      message('with cancel: the reason'),
      json(),
    ],
    help: {
      examples: [
        ['muster story list', 'every story and its state'],
        ['muster story approve task-1', 'make a story of a draft'],
      ],
      see: 'stories',
    },
  },
  {
    usage: 'ship <story>',
    description: 'land a story on its base, deploy it and validate it',
    load: async () => (await import('./ship.ts')).ship,
    options: () => [
      new Option('--resume', 'continue a Ship that stopped halfway'),
      new Option('--deployed', 'confirm that a deploy with unknown outcome succeeded').conflicts('resume'),
      message('with --deployed: what you saw'),
      json(),
    ],
    help: {
      examples: [
        ['muster ship shop', 'verify with the base, land, deploy, validate'],
        ['muster ship shop --resume', 'continue where it stopped'],
      ],
      see: 'stories',
    },
  },
]
