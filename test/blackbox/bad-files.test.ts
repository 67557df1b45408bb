/** Plans and configurations that are wrong: refused with 2, naming file and line, before anything is made. */
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { ErrorDocument, Repo } from '../support/muster.ts'
import { configText, exited, makeRepo } from '../support/muster.ts'

const BOMB = `a: &a [x,x,x,x,x,x,x,x,x]
b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]
c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]
tasks: [*c,*c,*c,*c,*c,*c,*c,*c,*c]
`

/** The file in a folder of its own below the project, so that tests do not meet. */
function folderWith(repo: Repo, name: string, text: string): string {
  return dirname(repo.write(join(randomUUID(), name), text))
}

const TASK = '  - id: a\n    name: A\n'

describe.concurrent('a plan', () => {
  let repo: Repo
  beforeAll(() => {
    repo = makeRepo()
  })

  test.each<[string, string, RegExp]>([
    ['with an unknown key', `tasks:\n${TASK}    colour: red\n`, /bad\.yaml:4: .*"colour"/],
    ['with a wrong type', `tasks:\n${TASK}    depends_on: 7\n`, /bad\.yaml:4: .*depends_on/],
    ['with an id used twice', `tasks:\n${TASK}${TASK}`, /bad\.yaml:4: .*"a".*twice/],
    ['with an unknown dependency', `tasks:\n${TASK}    depends_on: [other]\n`, /bad\.yaml:4: .*"other"/],
    [
      'with a cycle',
      'tasks:\n  - {id: a, name: A, depends_on: [b]}\n  - {id: b, name: B, depends_on: [a]}\n',
      /bad\.yaml:2: .*cycle/,
    ],
    ['with a task that waits for itself', `tasks:\n${TASK}    depends_on: [a]\n`, /bad\.yaml:4: .*cycle/],
    ['with an id that is a path', 'tasks:\n  - { id: ../../x, name: A }\n', /bad\.yaml:2: .*"\.\.\/\.\.\/x"/],
    ['with an unknown role', `tasks:\n${TASK}    agent: wizard\n`, /bad\.yaml:4: .*"wizard"/],
    ['with an unknown check', `tasks:\n${TASK}    checks: [magic]\n`, /bad\.yaml:4: .*"magic"/],
    ['with nothing in it', '', /bad\.yaml/],
    ['without tasks', 'meta: { id: x }\n', /bad\.yaml:\d+: .*no tasks/],
    ['that is no YAML', 'tasks: [\n', /bad\.yaml:\d+: /],
    ['that is a YAML bomb', BOMB, /bad\.yaml.*alias/i],
    ['nested a hundred deep', `tasks: ${'['.repeat(100)}${']'.repeat(100)}\n`, /bad\.yaml.*nested/],
    ['of 10 MB', '#'.repeat(10 * 1024 * 1024), /bad\.yaml .*10\.0 MB/],
    ['of bytes that are no text', 'tasks: "\u0000\uFFFD"\n', /bad\.yaml:1: /],
  ])('%s is refused with its line', async (_, text, message) => {
    const cwd = folderWith(repo, 'bad.yaml', text)
    const refused = await repo.hereWith({ cwd }, 'run', 'bad.yaml')
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toMatch(message)
    expect(refused.stderr).not.toContain('internal error')
  })

  test('tells all its problems at once, and as JSON when asked', async () => {
    repo.write('many.yaml', 'tasks:\n  - { id: a, name: A, depends_on: [x] }\n  - { id: a, name: B, checks: [y] }\n')
    const refused = await repo.muster('run', 'many.yaml', '--json')
    expect(refused).toMatchObject({ code: 2 })
    const { error } = refused.json<ErrorDocument>()
    expect(error.code).toBe('config')
    expect(error.message.split('\n')).toHaveLength(3)
  })

  test('cannot act on the terminal through its own words', async () => {
    repo.write('rude.yaml', 'tasks:\n  - { id: a, name: A, "x\\e]0;owned\\ay\\e[2J": 1 }\n')
    const refused = await repo.here('run', 'rude.yaml')
    expect(refused).toMatchObject({ code: 2 })
    expect(refused.stderr).not.toContain('\u001B')
  })

  test('that was refused leaves nothing behind', { concurrent: false }, () => {
    expect(repo.branches()).toEqual(['main'])
    expect(existsSync(repo.musterHome)).toBe(false)
  })
})

describe.concurrent('a configuration', () => {
  let repo: Repo
  beforeAll(() => {
    repo = makeRepo()
  })

  test.each<[string, string, RegExp]>([
    ['with an unknown key', configText('bass: main'), /muster\.yaml:4: .*"bass"/],
    ['with a wrong type', configText('limits: { maxWorkers: many }'), /muster\.yaml:4: .*maxWorkers/],
    ['with no worker at all', configText('limits: { maxWorkers: 0 }'), /muster\.yaml:4: .*maxWorkers/],
    ['with an unknown preset', configText('phases: perfect'), /muster\.yaml:4: .*"perfect"/],
    ['of a version to come', 'version: 2\n', /muster\.yaml:1: .*version/],
    ['without an agent', 'version: 1\n', /muster\.yaml.*no agent/],
    [
      'with a bad duration',
      'agents:\n  implementer:\n    runtime: command\n    run: x\n    timeout: soon\n',
      /muster\.yaml:5: .*"soon"/,
    ],
    ['that is a YAML bomb', BOMB, /muster\.yaml.*alias/i],
    ['of 10 MB', '#'.repeat(10 * 1024 * 1024), /muster\.yaml .*10\.0 MB/],
    ['with a missing base', configText('base: trunk'), /"trunk".*main/],
  ])('%s is refused', async (_, text, message) => {
    const cwd = folderWith(repo, 'muster.yaml', text)
    const refused = await repo.hereWith({ cwd }, 'run', 'Do this now')
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toMatch(message)
  })

  test('with a bad phase map is refused with its line', async () => {
    const cwd = folderWith(repo, 'muster.yaml', configText('phases:\n  b: { run: dance, on_pass: done }'))
    const refused = await repo.musterWith({ cwd }, 'run', 'Do this now')
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toMatch(/muster\.yaml:5: .*"dance"/)
  })

  test('that was refused leaves nothing behind', { concurrent: false }, () => {
    expect(repo.branches()).toEqual(['main'])
    expect(existsSync(repo.musterHome)).toBe(false)
  })
})

describe('phase maps', () => {
  const MAPS: [what: string, phases: string, message: RegExp][] = [
    ['goes nowhere', '{ b: { run: agent implementer, on_pass: nowhere } }', /"nowhere"/],
    ['has an unknown step', '{ b: { run: dance wildly, on_pass: done } }', /dance/],
    ['has an unknown role', '{ b: { run: agent wizard, on_pass: done } }', /"wizard"/],
    ['has an unknown check', '{ b: { run: check magic, on_pass: done } }', /"magic"/],
    ['has an unknown action', '{ b: { run: action juggle, on_pass: done } }', /"juggle"/],
    ['has an unknown signal', '{ b: { run: signal smoke, on_pass: done } }', /"smoke"/],
    ['fails into done', '{ b: { run: agent implementer, on_pass: done, on_fail: done } }', /done/],
    ['never ends', '{ b: { run: agent implementer, on_pass: b } }', /done/],
    ['is a cycle of actions', '{ b: { run: action merge, on_pass: done, on_fail: b } }', /action/],
    [
      'has a phase nobody reaches',
      '{ b: { run: agent implementer, on_pass: done }, c: { run: action merge, on_pass: done, on_fail: b } }',
      /"c"/,
    ],
    ['is an unknown preset', 'perfect', /"perfect".*direct/],
  ]
  let said: string[]

  // One plan with a bad map on each line: every one of them is told, with its line.
  beforeAll(async () => {
    const repo = makeRepo()
    repo.write(
      'bad.yaml',
      `tasks:\n${MAPS.map(([, phases], n) => `  - { id: ${n}, name: A, phases: ${phases} }\n`).join('')}`,
    )
    said = exited(await repo.here('run', 'bad.yaml'), 2).stderr.split('\n')
  })

  test.each(MAPS.map(([what, , message], index) => ({ what, message, line: index + 2 })))(
    'a map that $what is refused with its line (S2.11, E-27)',
    ({ message, line }) => {
      expect(said.filter((text) => text.includes(`bad.yaml:${line}: `)).join('\n')).toMatch(message)
    },
  )
})
