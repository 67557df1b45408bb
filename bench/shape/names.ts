/** Special cases: code that asks for something by its name, outside the files that own the name. */
import { PROGRAMS } from '../../src/agents/registry.ts'
import { CHANNELS } from '../../src/channels/registry.ts'
import { FORGES } from '../../src/forge/registry.ts'
import { visit } from './imports.ts'
import { type Source } from './sources.ts'

interface Name {
  name: string
  /** Folders and files that declare it. */
  owners: readonly string[]
  /** Only as a text: as a word of the code it means something else too. */
  text?: true
}

const TASK = ['src/domain/task/task.ts', 'src/store/task-row.ts']
const ROLES = ['src/config/roles/']
const PRESETS = ['src/domain/task/presets.ts']

/** Kinds whose names are words of the language: nobody can tell which is meant. */
const WORDS = new Set(['local', 'terminal', 'webhook'])

/** What the registries list: each kind has a folder or a file of its name, and a line there. */
export const KINDS: readonly Name[] = [
  ...PROGRAMS.map(({ name }) => owned(name, `src/agents/${name}/`, 'src/agents/registry.ts')),
  ...FORGES.map(({ type }) => owned(type, `src/forge/${type}/`, 'src/forge/registry.ts')),
  ...CHANNELS.map(({ type }) => owned(type, `src/channels/${type}.ts`, 'src/channels/registry.ts')),
].filter(({ name }) => !WORDS.has(name))

function owned(name: string, ...owners: string[]): Name {
  return { name, owners }
}

const NAMES: readonly Name[] = [
  { name: 'checkerFor', owners: [...TASK, 'src/domain/task/check.ts'] },
  { name: 'worksFor', owners: [...TASK, 'src/domain/story/story-work.ts'] },
  { name: 'isJudge', owners: ['src/domain/verdict/verdict.ts'] },
  { name: 'isAuthor', owners: ['src/domain/verdict/verdict.ts'] },
  {
    name: 'deploy',
    text: true,
    owners: ['src/deploy/', 'src/domain/story/story-work.ts', 'src/engine/steps/deploys.ts'],
  },
  { name: 'post-deploy', text: true, owners: [...ROLES, 'src/domain/story/story-work.ts'] },
  { name: 'contract', text: true, owners: ['src/contract/', ...PRESETS] },
  { name: 'merge', text: true, owners: ['src/engine/steps/actions/merge.ts', ...PRESETS] },
  ...['elaborator', 'implementer', 'planner', 'checker', 'validator'].map((name) => ({
    name,
    text: true as const,
    owners: [...ROLES, ...PRESETS],
  })),
  ...KINDS,
]

export interface Mentions {
  name: string
  /** Files outside of its owners that mention it. */
  files: string[]
}

/** A mention is the name as a whole: an identifier, a key or a text. Sentences that have it among other words are none. */
export function mentions(house: readonly Source[]): Mentions[] {
  const words = new Map(house.map((source) => [source.path, wordsOf(source)]))
  return NAMES.map(({ name, owners, text = false }) => {
    const files = house
      .map(({ path }) => path)
      .filter((path) => !owners.some((owner) => path.startsWith(owner)))
      .filter((path) => {
        const { texts, identifiers } = words.get(path) ?? { texts: new Set(), identifiers: new Set() }
        return texts.has(name) || (!text && identifiers.has(name))
      })
    return { name, files }
  })
}

function wordsOf({ tree }: Source): { texts: Set<string>; identifiers: Set<string> } {
  const texts = new Set<string>()
  const identifiers = new Set<string>()
  visit(tree, (node) => {
    if (node.type === 'Literal' && typeof node['value'] === 'string') texts.add(node['value'])
    if (node.type === 'Identifier') identifiers.add(String(node['name']))
  })
  return { texts, identifiers }
}
