/** What `npm run mutants` changes in the code, and how it learns which tests run through a place. */
import { readFileSync, rmSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { chooseTests } from '../bench/mutants/choose.ts'
import { mutantsOf } from '../bench/mutants/mutate.ts'
import equivalents from '../bench/mutants/equivalent.json' with { type: 'json' }
import { withProbes } from '../bench/mutants/probes.ts'
import { copyTree } from '../bench/mutants/tree.ts'

const changed = (source: string): string[] =>
  mutantsOf('a.ts', source).map(({ start, end, text }) => source.slice(0, start) + text + source.slice(end))

describe('a source becomes', () => {
  test.each([
    ['if (a(b)) c = 1', ['if (!(a(b))) c = 1']],
    [
      'for (const a of b) if (a === 1) break',
      ['for (const a of b) if (a === 1) ;', 'for (const a of b) if (a !== 1) break'],
    ],
    ['x = a && b', ['x = (a) || (b)', 'x = (a)', 'x = (b)']],
    ['x = a ?? b', ['x = (b)']],
    ['x = a < b', ['x = a <= b']],
    ['x = a + 1', ['x = a - 1']],
    ['x = `a` + b', []],
    ['x = a ? b : c', ['x = (b)', 'x = (c)']],
    ['x = !a', ['x = a']],
    ['x = true', ['x = false']],
    ["x = 'a'", ["x = ''"]],
    ["x = ''", ["x = 'mutated'"]],
    ['x = [1]', ['x = []']],
    ['await a.b()', [';']],
    ['x = a.some(b)', ['x = a.every(b)']],
  ])('%s: %j', (source, expected) => {
    expect(changed(source)).toEqual(expected)
  })

  test.each([
    "import { a } from 'b'",
    "export * from 'b'",
    "type A = 'b' | true",
    "const x = { 'a': 1 }['a'] as 'b'",
    'x = a.constructor(b)',
    "assert(a === b, 'they are the same')",
    "x = 'There is no such task.'",
  ])('nothing else where nothing runs or only a message is said: %s', (source) => {
    expect(changed(source)).toEqual([])
  })

  test('a change keeps its name when other lines move, and two of the same line differ', () => {
    const ids = (source: string) => mutantsOf('a.ts', source).map(({ id }) => id)
    const line = 'x = [true, true]'
    expect(ids(`\n\n${line}`)).toEqual(ids(line))
    expect(new Set(ids(line)).size).toBe(3)
  })
})

test('what no test can notice is made of the code as it is', () => {
  const { root, sources } = copyTree()
  const ids = new Map(sources.map((file) => [file, () => mutantsOf(file, readFileSync(join(root, file), 'utf8'))]))
  const unmade = equivalents.filter(({ mutant }) => {
    const made = ids.get(mutant.slice(0, mutant.indexOf(' | ')))?.() ?? []
    return !made.some(({ id }) => id === mutant)
  })
  rmSync(root, { recursive: true })
  expect(unmade).toEqual([])
})

test('probes tell which parts of a file ran, and change nothing of what it does', () => {
  const source = `const pick = (n: number) => (n > 1 ? 'many' : 'one')
function name(n: number) {
  if (n === 0) return 'none'
  else for (const one of [n]) return pick(one)
}
out.push(name(2))`
  const { text, probeAt } = withProbes('a.ts', source, 3)
  const hits = new Set<number>()
  const out: string[] = []
  runInNewContext(stripTypeScriptTypes(text), { out, __hit: (probe: number) => hits.add(probe) })
  expect(out).toEqual(['many'])
  const ran = (words: string) => {
    const start = source.indexOf(words)
    return hits.has(probeAt(start, start + words.length))
  }
  expect(["'many'", "'one'", "'none'", 'n === 0', 'pick(one)', 'out.push'].map(ran)).toEqual([
    true,
    false,
    false,
    true,
    true,
    true,
  ])
})

test('a mutant meets the tests that run through it: units and what is about its place first, then more if it survives', () => {
  const seen = (file: string, ...tests: [string, number, number[]][]) => {
    return {
      file,
      ok: true,
      whole: file.includes('together'),
      load: [],
      tests: tests.map(([name, ms, hits]) => ({ name, ms, hits })),
    }
  }
  const many = Array.from({ length: 13 }, (_, n): [string, number, number[]] => [`${13 - n}`, (13 - n) * 100, [1]])
  const elsewhere = 100_002
  const files = [
    seen('test/scenario/b.test.ts', ...many),
    seen('test/scenario/c.test.ts', ['passes it', 1, [1, elsewhere]], ['does not', 1, [elsewhere]]),
    seen('test/scenario/d.test.ts', ['passes it', 1, [1, elsewhere]], ['is about it', 900, [1, 2]]),
    seen('src/x/other.test.ts', ['through', 5, [1]], ['past', 1, [2]]),
    seen('src/x/a.test.ts', ['own', 7, [1, 2]]),
    seen('src/y/together.test.ts', ['before', 9, [2]], ['through', 9, [1]]),
    seen('test/scenario/x.test.ts', ['named like it', 200, [1]]),
  ]
  const choose = (firstMs: number, moreMs: number) => {
    const steps = chooseTests({ files, unfit: [] }, 'src/x/a.ts', 1, { firstMs, moreMs })
    return steps.map(({ tests }) => tests.map(({ file, names }) => `${file}: ${names?.join(' ')}`))
  }
  const units = ['src/x/a.test.ts: own', 'src/x/other.test.ts: through', 'src/y/together.test.ts: before through']
  const like = 'test/scenario/x.test.ts: named like it'
  const [b, c, d] = ['b', 'c', 'd'].map((name) => `test/scenario/${name}.test.ts:`)
  expect(choose(60_000, 0)).toEqual([
    units,
    [like, `${d} is about it passes it`, `${b} 1 2 3 4 5 6 7 8 9 10 11 12 13`, `${c} passes it`],
  ])
  expect(choose(1_000, 1_000)).toEqual([
    units,
    [like, `${d} is about it passes it`, `${b} 1 2 3 4 5 6 7 8 9`],
    [`${b} 10 11 12 13`, `${c} passes it`],
  ])
})
