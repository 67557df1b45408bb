/**
 * The house may become simpler, and not the other way: cycles, big functions and exports that nobody imports are listed
 * in shape.json, and nothing may join them. What is gone leaves the list by `npm run shape -- --shrink`.
 */
import { describe, expect, test } from 'vitest'
import { unlistedEnds } from '../bench/shape/ends.ts'
import { nameAt } from '../bench/shape/functions.ts'
import { components, exportsOf, folderCycles, importsOf, unusedExports } from '../bench/shape/imports.ts'
import { tallyOf } from '../bench/shape/lines.ts'
import { mentions } from '../bench/shape/names.ts'
import { difference, keptLists, listsOf, moved, type Lists } from '../bench/shape/ratchet.ts'
import { comparedSentences } from '../bench/shape/sentences.ts'
import { readSources, sourceOf } from '../bench/shape/sources.ts'

const INSTEAD: Record<keyof Lists, string> = {
  cycles: 'move what both files need into the file that owns it, or into one of its own',
  typeCycles: 'move the type into the file that owns it, or into one of its own',
  longFunctions: 'split the function: at most 70 lines',
  complexFunctions: 'split the function, or make a table of its branches: a complexity of at most 20',
  unusedExports: 'drop `export`, or the code',
}

describe('the shape of the house', () => {
  const found = listsOf(readSources())
  const kept = keptLists()

  test.each(Object.entries(INSTEAD) as [keyof Lists, string][])('%s: nothing new; instead %s', (name) => {
    expect(difference(kept[name], found[name]).added).toEqual([])
  })

  test.each(Object.keys(INSTEAD) as (keyof Lists)[])(
    '%s: what is gone is off the list; npm run shape -- --shrink takes it off',
    (name) => {
      expect(difference(kept[name], found[name]).gone).toEqual([])
    },
  )
})

describe('what measures it', () => {
  const source = (text: string, path = 'src/domain/a.ts') => sourceOf(path, text)

  test('a cycle that became smaller is not new, and the larger one is gone', () => {
    expect(difference(['a ⇄ b ⇄ c', 'd'], ['a ⇄ b', 'e'])).toEqual({ added: ['e'], gone: ['a ⇄ b ⇄ c', 'd'] })
    expect(difference(['a ⇄ b'], ['a ⇄ b ⇄ c'])).toEqual({ added: ['a ⇄ b ⇄ c'], gone: ['a ⇄ b'] })
  })

  test('a file that was moved is followed, unless two have its name', () => {
    const paths = ['src/engine/steps/runs.ts', 'src/cli/a.ts', 'src/domain/a.ts', 'src/cli/b.ts', 'src/engine/b.ts']
    expect(moved(['src/engine/jobs/runs.ts collect', 'src/old/a.ts x ⇄ src/cli/b.ts'], paths)).toEqual([
      'src/engine/steps/runs.ts collect',
      'src/old/a.ts x ⇄ src/cli/b.ts',
    ])
  })

  test('it sees imports in every form, with what they take', () => {
    const text = `
import './b.ts'
import c, { d as e } from './c.ts'
import type { F } from './f.ts'
import { type G } from './g.ts'
import * as h from '../h.ts'
import * as whole from './whole.ts'
import { join } from 'node:path'
export { i as j } from './i.ts'
export type { K } from './k.ts'
export * from './l.ts'
const m = (await import('./m.ts')).m
const { n } = await import('./n.ts')
type O = import('./o.ts').O
declare module './p.ts' { interface P { q: true } }
// import './not.ts'
h.one(h.two, 'h', whole)
`
    const all = importsOf(source(text)).map(({ to, names, typesOnly }) => {
      return `${to.replace('src/', '')} ${names?.join(',') ?? '*'}${typesOnly ? ' type' : ''}`
    })
    expect(all).toEqual([
      'domain/b.ts ',
      'domain/c.ts default,d',
      'domain/f.ts F type',
      'domain/g.ts G type',
      'h.ts one,two',
      'domain/whole.ts *',
      'domain/i.ts i',
      'domain/k.ts K type',
      'domain/l.ts *',
      'domain/p.ts P type',
      'domain/m.ts m',
      'domain/n.ts n',
      'domain/o.ts * type',
    ])
  })

  test('it sees exports in every form, and which of them nobody or only tests import', () => {
    const a = source(`
export const b = 1, { c, d: [e] } = f
export function g() {}
export class H {}
export interface I {}
export type J = 1
export { k as l }
export default 1
const not = 1
`)
    expect(exportsOf(a).map(({ name }) => name)).toEqual(['b', 'c', 'e', 'g', 'H', 'I', 'J', 'l', 'default'])
    const unused = unusedExports([
      a,
      source("import { b, c, e, type I } from './a.ts'", 'src/domain/user.ts'),
      source("import first, { g, b } from '../src/domain/a.ts'", 'test/some.test.ts'),
    ])
    expect(unused.nobody.map(({ name }) => name)).toEqual(['H', 'J', 'l'])
    expect(unused.testsOnly.map(({ name }) => name)).toEqual(['g', 'default'])
  })

  test('files that reach each other again are a component', () => {
    const edges = { a: ['b'], b: ['c', 'd'], c: ['a'], d: ['e'], e: ['d'], f: ['a'] }
    expect(components(new Map(Object.entries(edges)))).toEqual([['a', 'b', 'c'], ['d', 'e'], ['f']])
  })

  test('folders of a room that reach each other are a circle, those of two rooms are none', () => {
    const files = {
      'src/engine/a/one.ts': "import '../b/one.ts'",
      'src/engine/b/two.ts': "import type { Three } from '../a/three.ts'",
      'src/engine/c/four.ts': "import '../a/one.ts'\nimport '../../cli/five.ts'",
      'src/cli/five.ts': "import '../engine/c/four.ts'",
    }
    const house = Object.entries(files).map(([path, text]) => source(text, path))
    expect(folderCycles(house)).toEqual([['src/engine/a', 'src/engine/b']])
  })

  test('a function is called by its names from the outside in', () => {
    const { tree, text } = source('class A { m() { const n = () => each((x) => 1) } }\nconst o = { p: function () {} }')
    const names = ['=> 1', 'each', '{ const', 'function'].map((words) => nameAt(tree, text.indexOf(words)))
    expect(names).toEqual(['A › m › n › callback', 'A › m › n', 'A › m', 'p'])
  })

  test('a mention is a whole name outside of its owner', () => {
    const text = `const a = { claude: 1 }
const b = 'ask claude'
const c = './claude/x'
const d = { deploy: 2, checkerFor: 3 }`
    const found = (path: string, given: string) =>
      mentions([source(given, path)]).flatMap(({ name, files }) => (files.length > 0 ? [name] : []))
    expect(found('src/cli/a.ts', text)).toEqual(['checkerFor', 'claude'])
    expect(found('src/agents/claude/a.ts', text)).toEqual(['checkerFor'])
    const asked = "if (task.purpose.is === 'ship' || purpose.is === 'check') go(({ purpose: { is } }) => is)"
    expect(found('src/cli/a.ts', asked)).toEqual(['purpose.is'])
    expect(found('src/domain/task/purpose.ts', asked)).toEqual([])
    expect(found('src/cli/a.ts', 'const { purpose, is } = a.b.purpose')).toEqual([])
    expect(found('src/cli/a.ts', "if (check === 'deploy') isJudge(role) // 'codex'")).toEqual(['isJudge', 'deploy'])
  })

  test('it sees where words for people are compared, and leaves values and messages alone', () => {
    const text = `const WAITS = 'waits for a person'
const TURN = /its turn has come/
if (a === 'waits for a person' || b.startsWith('waits for ')) c()
if (a === WAITS || TURN.test(a) || /is not done/.test(a)) c()
switch (a) { case 'is not done': }
if (a === 'waiting' || b.includes('in-progress')) say('waits for a person')`
    const lines = comparedSentences([source(text)]).map(({ line }) => line)
    expect(lines).toEqual([3, 3, 4, 4, 4, 5])
    expect(comparedSentences([source(text, 'src/verify/a.ts')])).toEqual([])
  })

  test('it sees types that say how something ended, also nested ones', () => {
    const text = `export interface A { code: number; signal: string }
type B = { detail: string; inside: { timedOut: boolean; crashed: boolean } }
interface C { code: number; text: string }
interface RunOutcome { exit: string; crashed: boolean }`
    expect(unlistedEnds([source(text)]).map(({ name }) => name)).toEqual(['A', 'B.inside'])
  })

  test('lines are code, comments or blank', () => {
    const text = '/** What. */\n\nconst a = 1 // one\n/*\n\n*/\nconst b = "// two"\n'
    expect(tallyOf([source(text)])).toEqual({ code: 2, comments: 3, blank: 2 })
  })
})
