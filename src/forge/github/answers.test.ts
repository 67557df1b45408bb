import { expect, test } from 'vitest'
import { pullOf, type PullJson } from './answers.ts'

const HASH = 'a'.repeat(40)

function pull(head: string, mergedAs: string): PullJson {
  const merged = { merged_at: '2026-01-01T00:00:00Z', merge_commit_sha: mergedAs }
  return {
    number: 1,
    node_id: 'n',
    state: 'closed',
    ...merged,
    head: { sha: head },
    base: { ref: 'main' },
  }
}

test('a commit that is no hash becomes no argument of git and no name of a file', () => {
  expect(pullOf(pull(HASH, HASH), 'https://x.invalid/a/b', 'k3')).toMatchObject({ head: HASH, mergedAs: HASH })
  for (const odd of ['', '--output=x', '../../x', 'main', `${HASH}\n`, HASH.toUpperCase()]) {
    expect(() => pullOf(pull(odd, HASH), '', '')).toThrow('no hash')
    expect(() => pullOf(pull(HASH, odd), '', '')).toThrow('no hash')
  }
})
