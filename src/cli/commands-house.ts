/** Commands for what Muster keeps on disk. */
import { Option } from 'commander'
import { json, ofStory, type CommandSpec } from './command.ts'

export const house: readonly CommandSpec[] = [
  {
    usage: 'clean',
    description: 'show what Muster keeps on disk for this project, and remove what may go',
    load: async () => (await import('./clean.ts')).clean,
    options: () => [
      new Option('--apply', 'remove what can go; save unsaved work first, keep it if that fails'),
      new Option('--discard <run>', 'remove one workspace with unsaved work, by its run or task').conflicts('apply'),
      json(),
    ],
    help: {
      examples: [
        ['muster clean', 'what is on disk, and what may go'],
        ['muster clean --apply', 'remove what may go'],
      ],
      see: 'commands',
    },
  },
  {
    usage: 'backup <file>',
    description: "save Muster's data of this project to a file, whatever is at work",
    load: async () => (await import('./backup.ts')).backupCommand,
    options: () => [json()],
    help: {
      examples: [
        ['muster backup shop.bundle', 'whatever is at work'],
        ['muster -C ../shop backup shop.bundle', 'of a project elsewhere'],
      ],
      see: 'commands',
    },
  },
  {
    usage: 'restore <file>',
    description: 'put back what muster backup has saved; what landed since is found',
    load: async () => (await import('./backup.ts')).restoreCommand,
    options: () => [json()],
    help: {
      examples: [
        ['muster restore shop.bundle', 'while nothing is at work'],
        ['muster -C ../shop restore shop.bundle', 'from another folder'],
      ],
      see: 'commands',
    },
  },
  {
    usage: 'export',
    description: 'print everything stored about tasks as JSON',
    load: async () => (await import('./export.ts')).exportAll,
    options: () => [ofStory(), json()],
    help: {
      examples: [
        ['muster export >all.json', 'everything stored about tasks'],
        ['muster export --story shop >shop.json', 'of one story'],
      ],
      see: 'commands',
    },
  },
]
