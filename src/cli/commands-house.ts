/** Commands for what Muster keeps on disk. */
import { Option } from 'commander'
import { json, ofStory, type CommandSpec } from './command.ts'

export const house: readonly CommandSpec[] = [
  {
    usage: 'clean',
    description: 'show what Muster stores on disk for this project, and remove what is no longer needed',
    load: async () => (await import('./clean.ts')).clean,
    options: () => [
      new Option('--apply', 'remove what is no longer needed; save unsaved work first, keep it if that fails'),
      new Option('--discard <run>', 'remove one workspace with unsaved work, by its run or task').conflicts('apply'),
      json(),
    ],
    help: {
      examples: [
        ['muster clean', 'what is on disk, and what can be removed'],
        ['muster clean --apply', 'remove it'],
      ],
      see: 'commands',
    },
  },
  {
    usage: 'backup <file>',
    description: "save Muster's data of this project to a file, even while it works",
    load: async () => (await import('./backup.ts')).backupCommand,
    options: () => [json()],
    help: {
      examples: [
        ['muster backup shop.bundle', 'even while Muster works'],
        ['muster -C ../shop backup shop.bundle', 'of another project'],
      ],
      see: 'commands',
    },
  },
  {
    usage: 'restore <file>',
    description: 'restore a backup; Muster then finds what landed after it',
    load: async () => (await import('./backup.ts')).restoreCommand,
    options: () => [json()],
    help: {
      examples: [
        ['muster restore shop.bundle', 'while no muster is at work'],
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
