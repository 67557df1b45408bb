/** Special cases: code that asks for something by its name, outside the files that own the name. */
import { PROGRAMS } from '../../src/agents/registry.ts'
import { CHANNELS } from '../../src/channels/registry.ts'
import { FORGES } from '../../src/forge/registry.ts'
import { childOf, childrenOf, type Node } from '../mutants/walk.ts'
import { visit } from './imports.ts'
import { type Source } from './sources.ts'

interface Name {
  name: string
  /** Folders and files that declare it. */
  owners: readonly string[]
  /** Only as a text: as a word of the code it means something else too. */
  text?: true
}

const PURPOSE = ['src/domain/task/purpose.ts']
const SERVING = [...PURPOSE, 'src/store/task-row.ts']
const ROLE = ['src/domain/role.ts']
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
  { name: 'checkerFor', owners: SERVING },
  { name: 'worksFor', owners: SERVING },
  // What took their place: which kind a purpose is.
  { name: 'purpose.is', owners: PURPOSE },
  { name: 'isJudge', owners: [] },
  { name: 'isAuthor', owners: [] },
  { name: 'isPlanner', owners: [] },
  // What took their place: what a role does by its name, where older data and silent definitions are read.
  { name: 'dutyByName', owners: ROLE },
  { name: 'LEAD', owners: ROLE },
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

/**
 * A mention is the name as a whole: an identifier, a key, a text, or a member such as `purpose.is`. Sentences that have it
 * among other words are none.
 */
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
    for (const member of membersIn(node)) identifiers.add(member)
  })
  return { texts, identifiers }
}

/** `a.b`, also where it is taken apart as `{ a: { b } }`. */
function membersIn(node: Node): string[] {
  const object = childOf(node, 'object')
  if (node.type === 'MemberExpression' && object !== null) {
    const of = nameOf(object) ?? nameOf(childOf(object, 'property'))
    const property = nameOf(childOf(node, 'property'))
    return of === null || property === null ? [] : [`${of}.${property}`]
  }
  const [key, value] = [childOf(node, 'key'), childOf(node, 'value')]
  if (node.type !== 'Property' || value?.type !== 'ObjectPattern') return []
  const inner = childrenOf(value, 'properties').map((property) => nameOf(childOf(property, 'key')))
  return inner.flatMap((name) => (nameOf(key) === null || name === null ? [] : [`${nameOf(key)}.${name}`]))
}

const nameOf = (node: Node | null): string | null => (node?.type === 'Identifier' ? String(node['name']) : null)
