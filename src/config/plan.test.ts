import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ProjectConfig } from '../domain/config.ts'
import { MusterError } from '../domain/errors.ts'
import { isId } from '../domain/ids.ts'
import { BUILT_IN } from './definitions.ts'
import { buildPlan, castPlan, loadPlan, planFromSentence, sentenceKey } from './plan.ts'
import { buildConfig } from './project.ts'
import { parseYaml } from './yaml.ts'

const config: ProjectConfig = await buildConfig(
  parseYaml(
    'agents: { implementer: { runtime: command, run: x }, coder: { runtime: command, run: y } }\nchecks: { unit-test: npm test }\n',
    'muster.yaml',
  ),
  async () => 'main',
)
const build = (text: string) => buildPlan(parseYaml(text, 'plan.yaml'), config, 'my plan')

function refusal(text: string): MusterError {
  try {
    build(text)
  } catch (error) {
    if (error instanceof MusterError) return error
    throw error
  }
  throw new Error('it was not refused')
}

describe('a plan that is taken', () => {
  test('a task with everything', () => {
    const plan = build(`
meta: { id: shop, name: A shop }
tasks:
  - id: base
    name: Lay the base
  - id: cart
    name: " Add a cart "
    description: With a sum.
    agent: coder
    depends_on: [base, base]
    checks: [unit-test]
    acceptance_criteria: The sum is right.
    expected_files: [src/cart.ts]
    phases: reviewed
`)
    expect(plan).toMatchObject({ key: 'shop', name: 'A shop' })
    expect(plan.tasks[1]).toMatchObject({
      id: 'cart',
      title: 'Add a cart',
      instructions: 'With a sum.',
      acceptanceCriteria: 'The sum is right.',
      agent: 'coder',
      dependsOn: ['base'],
      checks: ['unit-test'],
      expectedFiles: ['src/cart.ts'],
      parent: null,
    })
    expect(plan.tasks[1]?.phases?.map((phase) => phase.name)).toEqual(['implement', 'verify', 'review', 'land'])
  })

  test('a task of an id and a name: everything else has a default', () => {
    expect(build('tasks: [{ id: a, name: Do it }]').tasks).toEqual([
      {
        id: 'a',
        title: 'Do it',
        instructions: '',
        acceptanceCriteria: '',
        agent: null,
        dependsOn: [],
        checks: [],
        expectedFiles: [],
        parent: null,
        phases: null,
        contract: null,
      },
    ])
  })

  test.each([
    ['its id', 'meta: { id: 7.0, name: Seven }\n', '7.0', 'Seven'],
    ['the slug of its name', 'meta: { name: Add a Shop! }\n', 'add-a-shop', 'Add a Shop!'],
    ['the slug of its file', '', 'my-plan', 'my plan'],
  ])('its key is %s', (_, meta, key, name) => {
    expect(build(`${meta}tasks: [{ id: 1, name: x }]`)).toMatchObject({ key, name })
  })

  test('ids may be numbers and stay as they are written', () => {
    const plan = build('tasks:\n  - { id: 1.1, name: a }\n  - { id: 1.10, name: b, depends_on: [1.1] }\n')
    expect(plan.tasks.map(({ id, dependsOn }) => [id, dependsOn])).toEqual([
      ['1.1', []],
      ['1.10', ['1.1']],
    ])
  })

  test('sections are one list of tasks that may depend on each other', () => {
    const plan = build(`
tasks: [{ id: a, name: a }]
sections:
  - { id: s1, name: First, tasks: [{ id: b, name: b, depends_on: [a] }] }
  - { tasks: [{ id: c, name: c, depends_on: [b] }] }
`)
    expect(plan.tasks.map((task) => task.id)).toEqual(['a', 'b', 'c'])
  })

  test('criteria may be a list', () => {
    const [task] = build(
      'tasks:\n  - id: a\n    name: a\n    acceptance_criteria:\n      - one.txt exists\n      - two.txt exists\n',
    ).tasks
    expect(task?.acceptanceCriteria).toBe('- one.txt exists\n- two.txt exists')
  })

  test('S0.25 what only people can tell may be as vague as they like, in words or as a contract of its own', () => {
    const [words, contract] = build(
      'tasks:\n  - { id: a, name: a, acceptance_criteria: The page looks good and is approved by Design }\n  - { id: b, name: b, contract: { criteria: [{ description: It looks good, judge: person }] } }\n',
    ).tasks
    expect(words?.acceptanceCriteria).toContain('looks good')
    expect(contract?.contract?.criteria).toHaveLength(1)
  })

  test('H-8, S2.33 spec_ref is kept, and is one line', () => {
    const task = (ref: string) => `tasks:\n  - { id: a, name: a, spec_ref: ${ref} }\n`
    expect(build(task('docs/spec.md#a')).tasks[0]).toMatchObject({ specRef: 'docs/spec.md#a' })
    expect(() => build(task('"a\\nb"'))).toThrow('plan.yaml:2: tasks.0.spec_ref must be one line')
  })

  test('a parent depends on its subtasks', () => {
    const plan = build('tasks:\n  - { id: p, name: p }\n  - { id: c, name: c, parent: p }\n')
    expect(plan.tasks.map((task) => task.dependsOn)).toEqual([['c'], []])
  })

  test('phases of the plan go for every task that has none of its own', () => {
    const plan = build(`
phases: reviewed
tasks:
  - { id: a, name: a }
  - { id: b, name: b, phases: { only: { run: check contract, on_pass: done } } }
`)
    expect(plan.tasks.map((task) => task.phases?.map((phase) => phase.name))).toEqual([
      ['implement', 'verify', 'review', 'land'],
      ['only'],
    ])
  })
})

const refused: [string, string, string][] = [
  ['an empty file', '', '1: it is empty'],
  ['a list', '- a\n', '1: the file must be a map of keys, not a list'],
  [
    'S4.22 no attempts at all',
    'meta:\n  max_attempts_default: 0\ntasks:\n  - { id: 1, name: x }\n',
    '2: meta.max_attempts_default must be at least 1',
  ],
  [
    'S4.22 a number of attempts that is none',
    'tasks:\n  - { id: 1, name: x, max_attempts: many }\n',
    '2: tasks.0.max_attempts must be a number, not "many"',
  ],
  ['no tasks', 'meta: { name: x }\n', '1: the plan has no tasks'],
  [
    'S0.25 a vague criterion, with the line of its entry and how to word it',
    'tasks:\n  - id: a\n    name: a\n    acceptance_criteria:\n      - a.txt exists\n      - code looks good\n',
    '6: the acceptance criterion "code looks good" cannot be verified: "looks good" means something different to everyone; say what is seen where, such as: after the toggle is clicked, <html> has the class `dark`',
  ],
  [
    'S0.25 text that a template left behind',
    'tasks:\n  - { id: a, name: a, acceptance_criteria: "<describe the outcome>" }\n',
    '2: the acceptance criterion "<describe the outcome>" cannot be verified: "<describe the outcome>" is template text that was not filled in; write one whole sentence with what must be true, such as: src/session.ts exports `refresh`',
  ],
  ['an empty list of tasks', 'meta: { name: x }\ntasks: []\n', '2: the plan has no tasks'],
  ['tasks that are a map', 'tasks: { a: 1 }\n', '1: tasks must be a list, not a map of keys'],
  ['a task that is a sentence', 'tasks:\n  - do it\n', '2: tasks.0 must be a map of keys, not "do it"'],
  ['a task without a name', 'tasks:\n  - id: 1\n', '2: tasks.0 needs "name"'],
  ['a task without an id', 'tasks:\n  - name: x\n', '2: tasks.0 needs "id"'],
  ['an id that is a list', 'tasks:\n  - { id: [1], name: x }\n', '2: tasks.0.id must be text or a number, not a list'],
  [
    'an id that cannot be one',
    'tasks:\n  - name: x\n    id: a/b\n',
    '3: "a/b" cannot be an id: use letters, digits, . _ -',
  ],
  [
    'a key that cannot be one',
    'meta:\n  id: x y\ntasks: [{ id: 1, name: x }]\n',
    '2: "x y" cannot be an id: use letters, digits, . _ -',
  ],
  ['an id used twice', 'tasks:\n  - { id: 1, name: a }\n  - { id: 1, name: b }\n', '3: the id "1" is used twice'],
  [
    'ids that differ in case only',
    'tasks:\n  - { id: a, name: a }\n  - { id: A, name: b }\n',
    '3: the id "A" is used twice',
  ],
  [
    'an id used twice across sections',
    'sections:\n  - tasks: [{ id: a, name: a }]\n  - tasks:\n      - { id: a, name: b }\n',
    '4: the id "a" is used twice',
  ],
  [
    'an unknown key',
    'tasks:\n  - id: 1\n    name: x\n    depend_on: [2]\n',
    '4: unknown key "depend_on" in tasks.0 (known: id, name, description, agent, depends_on, checks, acceptance_criteria, expected_files, parent, phases, contract, defect, spec_ref, max_attempts, budget_limit_usd; did you mean "depends_on"?)',
  ],
  [
    'an unknown key of a section',
    'sections:\n  - tasks: []\n    title: x\n',
    '3: unknown key "title" in sections.0 (known: id, name, tasks)',
  ],
  [
    'an unknown dependency',
    'tasks:\n  - id: cart\n    name: x\n    depends_on:\n      - cart\n      - crat\n',
    '6: unknown dependency "crat" (known: cart; did you mean "cart"?)',
  ],
  [
    'an unknown check',
    'tasks:\n  - id: 1\n    name: x\n    checks: [unit-tests]\n',
    '4: unknown check "unit-tests" (known: unit-test, typecheck, lint, build, e2e, vitest, pytest, pytest-submodule; did you mean "unit-test"?)',
  ],
  [
    'an unknown role',
    'tasks:\n  - { id: 1, name: x, agent: codr }\n',
    '2: unknown role "codr" (known: implementer, coder; did you mean "coder"?)',
  ],
  ['an unknown parent', 'tasks:\n  - { id: 1, name: x, parent: 2 }\n', '2: unknown parent "2" (known: 1)'],
  [
    'a cycle',
    'tasks:\n  - { id: a, name: a }\n  - { id: b, name: b, depends_on: [c] }\n  - { id: c, name: c, depends_on: [b] }\n',
    '3: the dependencies b → c → b form a cycle: none of these tasks could ever start',
  ],
  [
    'a task that depends on itself',
    'tasks:\n  - id: a\n    name: a\n    depends_on: [a]\n',
    '4: the dependencies a → a form a cycle: none of these tasks could ever start',
  ],
  [
    'a subtask that depends on its parent',
    'tasks:\n  - { id: p, name: p }\n  - { id: c, name: c, parent: p, depends_on: [p] }\n',
    '3: the dependencies c → p → c form a cycle (a parent waits for its subtasks): none of these tasks could ever start',
  ],
  [
    'a preset nobody knows, for all',
    'phases: direkt\ntasks: [{ id: 1, name: x }]\n',
    '1: unknown preset "direkt" (known: direct, checked, planned, reviewed, validated, pull-request; did you mean "direct"?)',
  ],
  [
    'a preset nobody knows, for one',
    'tasks:\n  - id: 1\n    name: x\n    phases: direkt\n',
    '4: unknown preset "direkt" (known: direct, checked, planned, reviewed, validated, pull-request; did you mean "direct"?)',
  ],
  [
    'phases of one task',
    'tasks:\n  - id: 1\n    name: x\n    phases:\n      a:\n        run: agent nobody\n        on_pass: done\n',
    '6: unknown role "nobody" (known: implementer, coder)',
  ],
  [
    'phases of a task in a section',
    'sections:\n  - tasks:\n      - id: 1\n        name: x\n        phases:\n          a: { run: agent coder, on_pass: b }\n',
    '6: unknown phase "b" (known: a, done)',
  ],
  [
    'phases of the plan',
    'tasks: [{ id: 1, name: x }]\nphases:\n  a:\n    run: agent coder\n    on_pass: a\n',
    '3: no path leads from "a" to "done"',
  ],
]

describe('a plan that is refused, with file, line and where to look', () => {
  test.each(refused)('%s', (_, text, message) => {
    const error = refusal(text)
    expect(error.message).toBe(`plan.yaml:${message}`)
    expect(error.code).toBe('config')
    expect(error.hint).toMatch(/^docs\/plans\.md /)
  })

  test('two cycles are two problems', () => {
    const error = refusal(`tasks:
  - { id: a, name: a, depends_on: [b] }
  - { id: b, name: b, depends_on: [a] }
  - { id: c, name: c, depends_on: [c] }
`)
    expect(error.message.split('\n')).toHaveLength(2)
  })

  test('a problem of phases that all tasks share is told once', () => {
    expect(refusal('phases: nope\ntasks: [{ id: 1, name: a }, { id: 2, name: b }]').message).not.toContain('\n')
  })

  test('E-31 a budget that nobody could keep, of the story and of a task', () => {
    const text = 'meta:\n  budget_limit_usd: 1\ntasks:\n  - { id: 1, name: x, budget_limit_usd: 1 }\n'
    const why = 'budget_limit_usd cannot be enforced: agents.implementer is a command, and Muster cannot know its cost'
    expect(refusal(text).message).toBe(`plan.yaml:2: ${why}\nplan.yaml:4: ${why}`)
  })

  test('thousands of mistakes: the first are told with a guess each, the others are counted', () => {
    const line = (_: unknown, index: number) => `  - { id: task-${index}, name: a, depends_on: [tsk-${index}] }\n`
    const file = parseYaml(`tasks:\n${Array.from({ length: 5000 }, line).join('')}`, 'plan.yaml')
    // A guess for each of them would take longer than a test may.
    expect(() => buildPlan(file, config, 'plan')).toThrow(/did you mean "task-0"\?[\s\S]*\n… and 4980 more$/)
  })
})

describe('words that YAML takes for a comment', () => {
  const warnings = (text: string) => castPlan(parseYaml(text, 'plan.yaml'), config, 'p', BUILT_IN).warnings

  test('an unquoted text that ends at a # is told with its line and what was lost', () => {
    const text = `meta: { id: p, name: A plan }
tasks:
  - id: 1
    name: Parse the # sign
    description: Read a line
      up to its # and keep the rest.
    acceptance_criteria:
      - the parser treats a lone # as text
      - "a quoted # stays"
  - { id: 2, name: Another, acceptance_criteria: a.ts exports # sign
    }
`
    const told = warnings(text)
    expect(
      told.map((line) => /^plan\.yaml:(\d+): the text ends at "(.*?)": YAML reads "(.*?)"/.exec(line)?.slice(1)),
    ).toEqual([
      ['4', 'Parse the', '# sign'],
      ['5', 'Read a line up to its', '# and keep the rest.'],
      ['8', 'the parser treats a lone', '# as text'],
      ['10', 'a.ts exports', '# sign'],
    ])
    expect(told[0]).toMatch(/quote the whole text; if not, put two spaces before the #$/)
  })

  test('a plan that is refused for what is left of a text names what was lost', () => {
    const error = refusal('tasks:\n  - id: 1\n    name: x\n    acceptance_criteria: issue # 7 is closed\n')
    expect(error.message).toContain('the acceptance criterion "issue" cannot be verified')
    expect(error.hint).toMatch(/^plan\.yaml:4: the text ends at "issue": YAML reads "# 7 is closed"/)
  })

  test('a comment that is set apart, one of another key, quoted texts and blocks are nobody’s loss', () => {
    const text = `meta: { id: p, name: A plan }   # the whole
tasks:
  # before it
  - id: 1 # the first
    name: Parse it   # a comment
    description: | # a header
      keep # this
    acceptance_criteria: "the # is text" # quoted
    checks: [unit-test] # all of them
    expected_files: [a#b.ts]
  - id: 2
    name: C#sharp
    # after it
`
    expect(warnings(text)).toEqual([])
  })

  test('a file full of them is told in a few lines', () => {
    const told = warnings(
      `tasks:\n${Array.from({ length: 30 }, (_, n) => `  - { id: ${n}, name: x # y\n    }\n`).join('')}`,
    )
    expect(told).toHaveLength(21)
    expect(told.at(-1)).toBe('… and 10 more texts cut off at a #')
  })
})

describe('where plans come from', () => {
  test('a file, named as seen from where the person is', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'muster-plan-'))
    writeFileSync(join(dir, 'Shop one.yaml'), 'tasks: [{ id: 1, name: x }]')
    writeFileSync(join(dir, 'bad.yaml'), 'task: []')
    const load = (name: string) => loadPlan(join(dir, name), dir, config, dir)
    expect(await load('Shop one.yaml')).toMatchObject({ plan: { key: 'shop-one', name: 'Shop one' }, config })
    await expect(load('bad.yaml')).rejects.toThrow(/^bad\.yaml:1: unknown key "task"/)
    await expect(load('no.yaml')).rejects.toMatchObject({ code: 'usage' })
  })

  test('one sentence is a plan of one task', () => {
    const plan = planFromSentence('  Fix the login form. ')
    expect(plan).toMatchObject({ key: 'fix-the-login-form', name: 'Fix the login form.' })
    expect(plan.tasks).toMatchObject([{ id: '1', title: 'Fix the login form.', instructions: 'Fix the login form.' }])
    expect(isId(plan.key)).toBe(true)
  })

  test('the id of its task has at most 20 characters, cut at a word, also when it is numbered', () => {
    const long = 'Investigate why the checkout is slower than it was last month'
    expect(sentenceKey(long)).toBe('investigate-why')
    expect(sentenceKey('Let the very last bit of it go', 12)).toBe('let-the-very-12')
    for (const title of [long, 'x'.repeat(80), 'ÜÄÖ ñ', 'Ta ta ta ta ta ta ta ta ta ta', '日本語だけ の 文'])
      for (const n of [1, 2, 99]) {
        const id = `${sentenceKey(title, n)}-1`
        expect(id.length).toBeLessThanOrEqual(20)
        expect(isId(id)).toBe(true)
      }
  })
})
