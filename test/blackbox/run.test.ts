/** `muster run` as a program sees it: one JSON document, an exit code, and a plan that finds its story again. */
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Repo, Result, RunDocument } from '../support/muster.ts'
import { exited, makeRepo, planText } from '../support/muster.ts'
import { BY_PERSON } from '../support/maps.ts'

/** Every field that a task has on every surface. */
const TASK_FIELDS = [
  'id',
  'title',
  'instructions',
  'acceptanceCriteria',
  'status',
  'phase',
  'stage',
  'round',
  'attempt',
  'story',
  'parent',
  'dependsOn',
  'checks',
  'branch',
  'pr',
  'agent',
  'contract',
  'results',
  'findings',
  'checker',
  'checkerReport',
  'warnings',
  'failureReason',
  'waitingFor',
  'cost',
  'commit',
  'createdAt',
  'updatedAt',
]

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

describe('a plan on a fresh repository', () => {
  let repo: Repo
  let first: Result

  beforeAll(async () => {
    repo = makeRepo()
    repo.write(
      'plan.yaml',
      planText('site', { 1: 'description: Make one', 2: 'depends_on: [1], acceptance_criteria: [README.md exists]' }),
    )
    first = await repo.muster('run', 'plan.yaml', '--json')
  })

  test('ends with 0 and one JSON document { story, tasks } with the whole task shape (S2.33)', () => {
    expect(first).toMatchObject({ code: 0 })
    const document = first.json<RunDocument>()
    expect(Object.keys(document)).toEqual(['story', 'tasks'])
    expect(document.story).toMatchObject({
      id: 'site',
      name: 'The site plan',
      branch: 'muster/story/site',
      base: 'main',
    })
    expect(document.tasks.map(({ id }) => id)).toEqual(['site-1', 'site-2'])
    for (const task of document.tasks) {
      expect(Object.keys(task)).toEqual(expect.arrayContaining(TASK_FIELDS))
      expect(task.cost).toEqual({ usd: null, inputTokens: null, outputTokens: null, partial: true })
      expect(task.createdAt).toMatch(TIME)
      expect(task.updatedAt).toMatch(TIME)
      expect(task.commit).toMatch(/^[0-9a-f]{40}$/)
    }
    expect(document.tasks[1]).toMatchObject({
      title: 'Task 2',
      acceptanceCriteria: '- README.md exists',
      status: 'completed',
      phase: null,
      stage: 'completed',
      round: 0,
      attempt: 1,
      story: 'site',
      dependsOn: ['site-1'],
      branch: 'muster/task/site-2',
      findings: [],
      checker: { status: 'none' },
      failureReason: null,
      waitingFor: null,
    })
  })

  test('talks on stderr only, in timestamped lines without colours', () => {
    expect(first.stderr).toMatch(/^\d\d:\d\d:\d\d site-1 implementer started/m)
    expect(first.stderr).not.toContain('\u001B')
    expect(first.stdout.trimStart().startsWith('{')).toBe(true)
  })

  test('leaves the work on the story branch, no branches of its tasks, and the checkout alone', () => {
    expect(repo.branches()).toEqual(['main', 'muster/story/site'])
    expect(repo.git('show', 'muster/story/site:site-2.txt')).toBe('by site-2\n')
    expect(repo.git('status', '--porcelain').trim().split('\n')).toEqual([
      '?? agent.sh',
      '?? muster.yaml',
      '?? plan.yaml',
    ])
  })

  test('once more has nothing to do, says so and ends with 0', async () => {
    const again = await repo.muster('run', 'plan.yaml')
    expect(again).toMatchObject({ code: 0 })
    expect(again.stderr).toContain('nothing to do')
    expect(again.stderr).not.toContain('started')
    expect(again.stdout).toContain('muster/story/site')
  })

  test('with one task added runs only that one, after what it depends on', async () => {
    repo.write(
      'plan.yaml',
      planText('site', {
        1: 'description: Make one',
        2: 'depends_on: [1], acceptance_criteria: [README.md exists]',
        3: 'depends_on: [2]',
      }),
    )
    const more = await repo.here('run', 'plan.yaml', '--json')
    expect(more).toMatchObject({ code: 0 })
    expect(more.json<RunDocument>().tasks.map(({ id, attempt }) => [id, attempt])).toEqual([
      ['site-1', 1],
      ['site-2', 1],
      ['site-3', 1],
    ])
    expect(more.stderr.match(/implementer started/g)).toHaveLength(1)
    expect(more.stderr).toContain('added: site-3')
  })

  test('with a finished task edited ends with 2, shows the difference and changes nothing', async () => {
    repo.write('edited.yaml', planText('site', { 1: 'description: Make two', 2: 'depends_on: [1]', 3: '', 4: '' }))
    const refused = await repo.here('run', 'edited.yaml')
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toContain('site-1 (completed)')
    expect(refused.stderr).toContain('instructions: "Make one" → "Make two"')
    expect(refused.stderr).toContain('site-2 (completed)')
    expect(refused.stderr).toContain('--new')
    expect((await repo.here('show', 'site-4')).code).toBe(5)
  })

  test('with a task removed reports it and keeps it', async () => {
    repo.write('fewer.yaml', planText('site', { 1: 'description: Make one' }))
    const fewer = await repo.here('run', 'fewer.yaml', '--json')
    expect(fewer).toMatchObject({ code: 0 })
    expect(fewer.stderr).toMatch(/no longer in the plan.*site-2, site-3/)
    expect(fewer.json<RunDocument>().tasks).toHaveLength(3)
  })

  test('--new starts another story of the same plan', async () => {
    const anew = await repo.here('run', 'plan.yaml', '--new', '--json')
    expect(anew).toMatchObject({ code: 0 })
    const { story, tasks } = anew.json<RunDocument>()
    expect(story?.id).toBe('site-2')
    expect(tasks).toHaveLength(3)
    expect(tasks.every(({ status }) => status === 'completed')).toBe(true)
  })
})

describe.concurrent('run without a plan file', () => {
  test('a sentence is a plan of one task, found again by its words', async () => {
    const repo = makeRepo()
    const once = await repo.muster('run', 'Say hello to everybody', '--json')
    expect(once).toMatchObject({ code: 0 })
    const { story, tasks } = once.json<RunDocument>()
    expect(story?.id).toBe('say-hello-to')
    expect(tasks.map(({ id, title }) => [id, title])).toEqual([['say-hello-to-1', 'Say hello to everybody']])
    const twice = await repo.here('run', 'Say hello to everybody')
    expect(twice.code).toBe(0)
    expect(twice.stderr).toContain('nothing to do')
  })

  test('nothing works on everything open; with nothing open it says so and ends with 0', async () => {
    const repo = makeRepo({ config: 'protected: []' })
    const idle = await repo.here('run', '--json')
    expect(idle).toMatchObject({ code: 0 })
    expect(idle.json()).toEqual({ story: null, tasks: [] })
    await repo.here('add', 'One thing')
    await repo.here('add', 'Another thing')
    const worked = await repo.here('run', '--json')
    expect(worked).toMatchObject({ code: 0 })
    expect(worked.json<RunDocument>().story).toBeNull()
    expect(worked.json<RunDocument>().tasks.map(({ id, status }) => [id, status])).toEqual([
      ['task-1', 'completed'],
      ['task-2', 'completed'],
    ])
    expect((await repo.here('run')).stdout).toContain('nothing to do')
  })

  test('a word that is neither file nor sentence is refused with 2', async () => {
    const repo = makeRepo()
    for (const word of ['nowhere', 'nowhere.yaml', '.']) {
      expect(exited(await repo.here('run', word), 2).stdout).toBe('')
    }
    expect(repo.branches()).toEqual(['main'])
  })
})

test('words that YAML took for a comment are told by run, --dry-run and import, and in their JSON', async () => {
  const repo = makeRepo({ agent: 'echo x >a.txt' })
  repo.write('plan.yaml', 'tasks:\n  - id: 1\n    name: Write a.txt\n    description: Keep the # sign\n')
  const warning = /plan\.yaml:4: the text ends at "Keep the": YAML reads "# sign" as a comment/
  for (const words of [
    ['run', 'plan.yaml', '--dry-run'],
    ['import', 'plan.yaml', '--dry-run'],
    ['run', 'plan.yaml'],
  ]) {
    const told = exited(await repo.here(...words, '--json'), 0)
    expect(told.json<{ warnings: string[] }>().warnings).toEqual([expect.stringMatching(warning)])
    expect(told.stderr).toMatch(warning)
  }
})

test('F-7 --dry-run shows the order and changes nothing: no branch, no task, no worker', async () => {
  const repo = makeRepo({ agent: 'touch "$HOME/ran"' })
  repo.write('plan.yaml', planText('site', { 10: '', 2: '', 1: 'depends_on: [2]' }))
  const text = await repo.here('run', 'plan.yaml', '--dry-run')
  expect(text).toMatchObject({ code: 0 })
  expect(text.stdout).toMatch(/site-2 [\s\S]*site-10 [\s\S]*site-1 .*after site-2/)
  const json = await repo.here('run', 'plan.yaml', '--dry-run', '--json')
  expect(json.json<{ tasks: { id: string; wave: number }[] }>().tasks.map(({ id, wave }) => [id, wave])).toEqual([
    ['site-2', 1],
    ['site-10', 1],
    ['site-1', 2],
  ])
  expect(repo.branches()).toEqual(['main'])
  expect((await repo.here('status', '--all', '--json')).json<{ tasks: unknown[] }>().tasks).toEqual([])
  const nothing = await repo.here('run', '--dry-run')
  expect(nothing).toMatchObject({ code: 0 })
  expect(nothing.stdout).toContain('no open tasks')
})

describe('--dry-run', () => {
  const agents = `  other: { runtime: claude, model: opus, maxBudgetUsd: 5 }
  checker: { runtime: codex, model: gpt-5.5, maxBudgetUsd: 0.5 }
phases: checked
limits: { maxTaskRounds: 3 }`

  test('names who works in each phase, with program and model, and the budget at stake', async () => {
    const repo = makeRepo({ config: agents })
    repo.write(
      'muster.yaml',
      repo.read('muster.yaml').replace(/implementer: \{.*\}/, 'implementer: { runtime: claude, maxBudgetUsd: 2 }'),
    )
    repo.write('plan.yaml', planText('p', { 1: '', 2: 'agent: other, budget_limit_usd: 4' }))
    const dry = exited(await repo.here('run', 'plan.yaml', '--dry-run'), 0).stdout
    expect(dry).toContain('implementer: claude, its own model; checker: codex, gpt-5.5\n')
    expect(dry).toContain('implement: agent other → verify')
    expect(dry).toContain('other: claude, opus; checker: codex, gpt-5.5  (at most $4.00)\n')
    // (2 + 0.5) in three rounds, and what the second task may cost.
    expect(dry).toContain(
      'budget at stake: its tasks could use $11.50 if each needs all its rounds; no limit for the story',
    )
    repo.write('plan.yaml', `meta: { id: p, budget_limit_usd: 6 }\ntasks: [{ id: 1, name: Do it }]\n`)
    const json = exited(await repo.here('run', 'plan.yaml', '--dry-run', '--json'), 0).json<{
      budget: unknown
      tasks: { agents: unknown[] }[]
    }>()
    expect(json.budget).toEqual({ limitUsd: 6, limitFrom: 'meta.budget_limit_usd', tasksUsd: 7.5, unbounded: [] })
    expect(json.tasks[0]?.agents).toMatchObject([
      { phase: 'implement', role: 'implementer', program: 'claude', model: null, maxBudgetUsd: 2 },
      { phase: 'accept', role: 'checker', program: 'codex', model: 'gpt-5.5', maxBudgetUsd: 0.5 },
    ])
  })

  test('says so where nothing bounds what an agent uses', async () => {
    const repo = makeRepo()
    const dry = exited(await repo.here('run', 'Do this now', '--dry-run'), 0).stdout
    expect(dry).toContain('implementer: ./agent.sh\n')
    expect(dry).toContain('budget at stake: no limit on what implementer may use; limits.budgetUsd bounds a story')
  })

  test('with --new shows the new story: its id and its tasks, none of them begun', async () => {
    const repo = makeRepo()
    repo.write('plan.yaml', planText('p', { 1: '' }))
    exited(await repo.here('run', 'plan.yaml'), 0)
    expect(exited(await repo.here('run', 'plan.yaml', '--dry-run'), 0).stdout).toMatch(
      /^story p: [^]*p-1 .*\(completed\)/,
    )
    const dry = exited(await repo.here('run', 'plan.yaml', '--new', '--dry-run'), 0)
    expect(dry.stdout).toMatch(/^new story p-2: 1 task onto muster\/story\/p-2 [^]* p-2-1 {2}Task 1\n/)
    expect(repo.branches()).toEqual(['main', 'muster/story/p'])
    const made = exited(await repo.here('run', 'plan.yaml', '--new', '--json'), 0).json<RunDocument>()
    expect(made.story?.id).toBe('p-2')
  })
})

describe('one sentence with options', () => {
  test('takes checks, criteria and a role of its own', async () => {
    const other = `{ runtime: command, run: 'echo other >who.txt', verdict: exit }`
    const repo = makeRepo({ config: `  other: ${other}\nchecks: { there: test -f who.txt }` })
    const words = [
      '--agent',
      'other',
      '--checks',
      'there',
      '--criteria',
      'who.txt exists',
      '--criteria',
      'who.txt contains "other"',
    ]
    const run = exited(await repo.here('run', 'Say who you are', ...words, '--json'), 0).json<RunDocument>()
    expect(run.tasks).toMatchObject([
      {
        agent: 'other',
        checks: ['there'],
        acceptanceCriteria: '- who.txt exists\n- who.txt contains "other"',
        status: 'completed',
      },
    ])
  })

  test('refuses what there is not, with what there is, and what is no business of a plan', async () => {
    const repo = makeRepo({ config: 'checks: { lint: "true" }' })
    repo.write('plan.yaml', planText('p', { 1: '' }))
    const refused = async (...args: string[]) => exited(await repo.here('run', ...args), 2).stderr
    expect(await refused('Do this', '--agent', 'wizard')).toContain('unknown role "wizard" (known: implementer')
    expect(await refused('Do this', '--agent', 'checker')).toContain('checker is a judge and writes no code')
    expect(await refused('Do this', '--checks', 'magic')).toContain('unknown check "magic"')
    expect(await refused('Do this', '--criteria', 'good code')).toContain('cannot be verified')
    expect(await refused('Do this', '--model', 'opus')).toMatch(/implementer is a command[^]*--agent claude or codex/)
    expect(await refused('plan.yaml', '--checks', 'lint')).toContain(
      'set agent:, checks: and acceptance_criteria: on each task',
    )
    expect(await refused('--agent', 'implementer')).toContain('only work with a sentence')
    expect(repo.branches()).toEqual(['main'])
  })

  test('a program that muster.yaml names nowhere does the one task, if it is on this machine', async () => {
    const repo = makeRepo()
    const bin = join(repo.home, 'bin')
    repo.script('../home/bin/codex', 'test "$1" = --version && { echo "codex-cli 0.99.0"; exit 0; }; exit 1')
    const dry = (env: Record<string, string>, ...more: string[]) =>
      repo.musterWith({ env }, 'run', 'Do this now', '--agent', 'codex', '--dry-run', ...more)
    const here = { PATH: `${bin}:${dirname(process.execPath)}:/usr/bin:/bin` }
    expect(exited(await dry(here, '--model', 'gpt-5.5'), 0).stdout).toContain('implementer: codex, gpt-5.5')
    expect(exited(await dry({ PATH: `${dirname(process.execPath)}:/usr/bin:/bin` }), 2).stderr).toContain(
      'there is no role "codex", and no such program is installed',
    )
    // A role of that name comes first.
    repo.write(
      'muster.yaml',
      repo.read('muster.yaml').replace('agents:', 'agents:\n  codex: { runtime: command, run: ./own.sh }'),
    )
    expect(exited(await dry(here), 0).stdout).toContain('codex: ./own.sh')
  })
})

describe.concurrent('exit codes of run', () => {
  test('1 when a task failed, and its dependents are reported as stuck (S2.25, S2.28, E-29)', async () => {
    const repo = makeRepo({ agent: 'echo "cannot do it"; exit 3', config: 'limits: { maxTaskRounds: 2 }' })
    repo.write('plan.yaml', planText('p', { a: '', b: 'depends_on: [a]', c: 'depends_on: [b]' }))
    const run = await repo.here('run', 'plan.yaml', '--json')
    expect(run).toMatchObject({ code: 1 })
    const [a, b, c] = run.json<RunDocument>().tasks
    expect(a).toMatchObject({ status: 'failed', stage: 'failed', round: 2, attempt: 2 })
    expect(a?.failureReason).toContain('exceeded max rounds (2)')
    expect(b).toMatchObject({ status: 'not-started', stage: 'blocked', attempt: 0 })
    expect(c).toMatchObject({ status: 'not-started', stage: 'blocked' })
    expect(c?.waitingFor).toContain('p-a')
    expect(run.stderr).toMatch(/p-a did not complete, so these cannot start: p-b, p-c/)
    const text = await repo.here('run', 'plan.yaml')
    expect(text).toMatchObject({ code: 1 })
    expect(text.stdout).toContain('muster retry p-a')
  })

  test('1 rather than 8 when one task failed and another waits', async () => {
    const agent = 'if [ "$MUSTER_TASK_ID" = p-a ]; then exit 1; fi; date >x.txt'
    const repo = makeRepo({ agent, config: `limits: { maxTaskRounds: 1 }\nphases: ${BY_PERSON}` })
    repo.write('plan.yaml', planText('p', { a: '', b: '' }))
    const run = await repo.here('run', 'plan.yaml', '--json')
    expect(run).toMatchObject({ code: 1 })
    expect(run.json<RunDocument>().tasks.map(({ stage }) => stage)).toEqual(['failed', 'review'])
  })

  test('8 when somebody is waited for, with what to type (S2.21)', async () => {
    const repo = makeRepo({ config: `phases: ${BY_PERSON}` })
    repo.write('plan.yaml', planText('p', { a: '' }))
    const run = await repo.here('run', 'plan.yaml')
    expect(run).toMatchObject({ code: 8 })
    expect(run.stdout).toContain('muster accept p-a')
    expect(run.stdout).toContain('muster diff p-a')
    const again = await repo.here('run', '--json')
    expect(again).toMatchObject({ code: 8 })
    expect(again.json<RunDocument>().tasks[0]).toMatchObject({ stage: 'review', phase: 'review', round: 0 })
  })

  test('2 for an unknown command, an unknown option and a missing argument', async () => {
    const repo = makeRepo()
    for (const args of [
      ['frobnicate'],
      ['run', '--frobnicate'],
      ['show'],
      ['status', '--limit', 'many'],
      ['run', 'a', 'b'],
    ]) {
      const refused = exited(await repo.here(...args), 2)
      expect(refused.stdout).toBe('')
      expect(refused.stderr).not.toBe('')
    }
  })
})
