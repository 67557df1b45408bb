/** What a tree says about a file, links included: to git they are files whose text is where they lead. */
import { expect, test } from 'vitest'
import type { Assertion } from '../domain/contract/contract.ts'
import { checkAssertion } from './assertion.ts'

const FILES: Record<string, string> = { 'docs/AGENTS.md': 'be kind\n', 'empty.txt': '' }
const LINKS: Record<string, string> = {
  'docs/CLAUDE.md': 'AGENTS.md',
  'CLAUDE.md': 'docs/CLAUDE.md',
  'price.txt': '12 euros',
  'here.txt': 'there.txt',
  'there.txt': 'here.txt',
}
const trees = {
  files: async () => [...Object.keys(FILES), ...Object.keys(LINKS)],
  read: async (_: string, path: string) => FILES[path] ?? LINKS[path] ?? null,
  link: async (_: string, path: string) => LINKS[path] ?? null,
}

test.each<[Assertion['kind'], string, string | undefined, string | null]>([
  ['exists', 'empty.txt', undefined, null],
  ['exists', 'missing.txt', undefined, 'missing.txt does not exist'],
  ['exists', 'CLAUDE.md', undefined, null],
  ['contains', 'CLAUDE.md', 'be kind', null],
  ['contains', 'CLAUDE.md', 'AGENTS.md', 'CLAUDE.md does not contain "AGENTS.md"'],
  ['lacks', 'CLAUDE.md', 'be kind', 'CLAUDE.md still contains "be kind"'],
  ['lacks', 'missing.txt', 'debug', null],
  ['absent', 'price.txt', undefined, 'price.txt still exists'],
  ['exists', 'price.txt', undefined, 'price.txt is a link to a file that does not exist'],
  ['contains', 'price.txt', '12 euros', 'price.txt is a link to a file that does not exist'],
  ['contains', 'here.txt', 'there', 'here.txt is a link to a file that does not exist'],
])('S1.28 %s %s %s', async (kind, path, text, wrong) => {
  expect(await checkAssertion(trees, 'c', { kind, path, ...(text === undefined ? {} : { text }) })).toBe(wrong)
})
