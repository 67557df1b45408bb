import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { buildConfig } from './project.ts'
import { loadServe } from './serve.ts'
import { planOfStory, storyRequest } from './story-request.ts'
import { parseYaml } from './yaml.ts'

const root = mkdtempSync(join(tmpdir(), 'muster-story-'))
const YAML = 'agents: { implementer: { runtime: command, run: "true" } }\nchecks: { unit: "true" }\n'
const config = await buildConfig(parseYaml(YAML, 'muster.yaml'), async () => 'main')
const plan = (value: unknown) => planOfStory(storyRequest.parse(value), config, root).plan

test('S0.23 tasks are numbered, depend on each other by name or number, and wait for their subtasks', () => {
  const { key, name, tasks } = plan({
    name: 'Open the shop',
    tasks: [
      {
        name: 'Catalogue',
        instructions: 'List it.',
        acceptance_criteria: ['a.txt exists', 'b.txt exists'],
        checks: ['unit'],
      },
      { name: 'Form', depends_on: ['Catalogue'], subtasks: [{ name: 'Label' }, { name: 'Mail', depends_on: ['2.1'] }] },
      { name: '1', depends_on: ['1', 'Form'] },
    ],
  })
  expect({ key, name }).toEqual({ key: 'open-the-shop', name: 'Open the shop' })
  expect(tasks.map(({ id, title, parent, dependsOn }) => [id, title, parent, dependsOn])).toEqual([
    ['1', 'Catalogue', null, []],
    ['2', 'Form', null, ['1', '2.1', '2.2']],
    ['2.1', 'Label', '2', []],
    ['2.2', 'Mail', '2', ['2.1']],
    ['3', '1', null, ['1', '2']],
  ])
  expect(tasks[0]).toMatchObject({
    instructions: 'List it.',
    acceptanceCriteria: '- a.txt exists\n- b.txt exists',
    checks: ['unit'],
  })
})

test.each([
  ['a name that nobody has', [{ name: 'A', depends_on: ['B'] }], 'tasks:1: unknown dependency "B"'],
  ['a name that two have', [{ name: 'A' }, { name: 'A' }, { name: 'C', depends_on: ['A'] }], 'tasks:3: unknown'],
  ['a check that is not there', [{ name: 'A' }, { name: 'B', checks: ['smoke'] }], 'tasks:2: unknown check "smoke"'],
  [
    'a circle',
    [
      { name: 'A', depends_on: ['B'] },
      { name: 'B', depends_on: ['A'] },
    ],
    'form a cycle',
  ],
])('refuses %s, with the number of the task', (_, tasks, message) => {
  expect(() => plan({ name: 'X', tasks })).toThrow(message)
  expect(() => plan({ name: 'X', tasks })).toThrow(expect.objectContaining({ code: 'config' }))
})

test('serve.url is an address without a path, and what it names is allowed', async () => {
  const file = join(root, 'muster.yaml')
  writeFileSync(file, `${YAML}serve: { url: "https://Board.example.org:8443/" }\n`)
  const url = 'https://Board.example.org:8443'
  expect(await loadServe(file)).toEqual({ allowHosts: ['board.example.org'], url })
  for (const wrong of ['ftp://a', 'https://me:pw@a', 'https://a/b', 'https://a/?b', 'a']) {
    writeFileSync(file, `${YAML}serve: { url: "${wrong}" }\n`)
    await expect(loadServe(file)).rejects.toMatchObject({ code: 'config' })
  }
})

test('serve.allowHosts are names of machines, without a port', async () => {
  const file = join(root, 'muster.yaml')
  writeFileSync(file, `${YAML}serve: { allowHosts: [Build.example.org] }\n`)
  expect(await loadServe(file)).toEqual({ allowHosts: ['build.example.org'], url: null })
  writeFileSync(file, YAML)
  expect(await loadServe(file)).toEqual({ allowHosts: [], url: null })
  for (const wrong of ['"*"', '"a:80"', '"http://a"', '""', '[a]']) {
    writeFileSync(file, `${YAML}serve: { allowHosts: [${wrong}] }\n`)
    await expect(loadServe(file)).rejects.toMatchObject({ code: 'config' })
  }
})
