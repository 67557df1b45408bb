/** Contracts at the command line: shown, explained, in batches, chosen, and kept for other programs. */
import { describe, expect, test } from 'vitest'
import type { Contract } from '../../src/domain/contract/contract.ts'
import type { ErrorDocument, RunDocument } from '../support/muster.ts'
import { makeRepo, tempFolder } from '../support/muster.ts'

const lines = (text: string): Contract[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Contract)

describe('muster contract', () => {
  test('S3.36 --batch prints one contract per line, in order, with or without a project', async () => {
    const texts = [
      'Add dark mode toggle',
      'Investigate slow API',
      'Update README',
      'Design new onboarding flow',
      'Refactor auth module',
      'Update installation docs',
    ]
    const expected = ['verifiable', 'advisory', 'skip', 'advisory', 'verifiable', 'skip']
    const repo = makeRepo()
    repo.write('batch.jsonl', texts.map((text) => `${JSON.stringify({ text })}\n`).join(''))
    for (const cwd of [repo.dir, tempFolder()]) {
      const run = await repo.hereWith({ cwd }, 'contract', '--batch', `${repo.dir}/batch.jsonl`)
      expect(run, run.stderr).toMatchObject({ code: 0 })
      expect(lines(run.stdout).map(({ type }) => type)).toEqual(expected)
    }
    const files = await repo.muster('contract', '--text', 'Update README', '--files', 'src/a.ts', '--json')
    expect(files.json<Contract>().type).toBe('verifiable')
  })

  test.each([
    ['not json', /batch\.jsonl:2: a line must be/],
    ['{"text": 7}', /batch\.jsonl:2/],
    ['{"text": "Fix it", "files": "a"}', /batch\.jsonl:2/],
  ])('a batch with the line %s stops there and says which it is', async (line, message) => {
    const repo = makeRepo()
    repo.write('batch.jsonl', `{"text":"Fix it"}\n${line}\n`)
    const run = await repo.here('contract', '--batch', 'batch.jsonl')
    expect(run).toMatchObject({ code: 2 })
    expect(run.stderr).toMatch(message)
    expect(lines(run.stdout)).toHaveLength(1)
  })

  test('E-9 --explain says why, and words that mean nothing to a terminal', async () => {
    const repo = makeRepo()
    const run = await repo.here('contract', '--text', 'Add \u001B[31mcomment model', '--explain')
    expect(run.stdout).toMatch(/^verifiable: /)
    expect(run.stdout).toMatch(/\+\d.* verifiable: /)
    expect(run.stdout).not.toContain('\u001B')
  })

  test('bad questions say what to type', async () => {
    const repo = makeRepo()
    expect(await repo.here('contract')).toMatchObject({ code: 2 })
    expect(await repo.here('contract', 'nobody')).toMatchObject({ code: 5 })
    expect((await repo.here('contract', '--batch', 'gone.jsonl')).stderr).toMatch(/no file gone\.jsonl/)
    const outside = await repo.here('contract', '--text', 'Fix it', '--files', '../x', '--json')
    expect(outside).toMatchObject({ code: 2 })
    expect(outside.json<ErrorDocument>().error.message).toContain('../x')
  })

  test('S0.25 vague criteria are refused with what could be verified, in a plan with the line', async () => {
    const repo = makeRepo()
    const run = await repo.here('add', 'Fix the form', '--criteria', 'code looks good')
    expect(run).toMatchObject({ code: 2, stdout: '' })
    expect(run.stderr).toMatch(/"code looks good" cannot be verified: .* such as: /)
    repo.write(
      'plan.yaml',
      'tasks:\n  - { id: 1, name: One }\n  - { id: 2, name: Two, acceptance_criteria: It works }\n',
    )
    const planned = await repo.here('run', 'plan.yaml')
    expect(planned).toMatchObject({ code: 2 })
    expect(planned.stderr).toMatch(/plan\.yaml:3: .*"It works" cannot be verified/)
    expect((await repo.here('status', '--json')).json()).toMatchObject({ stories: [], tasks: [] })
  })

  test('S3.3, S3.4 Muster’s own JSON can be given back: the criteria stay what they are', async () => {
    const repo = makeRepo({ config: 'checks: { unit-test: "true" }' })
    repo.write(
      'muster.rules.json',
      JSON.stringify({ filePatterns: { '**/*.js': { unit: true, critics: ['security'] } } }),
    )
    const criteria = 'never.txt exists; `node -v` prints `v`; GET / answers 200; the colours are approved by Design'
    await repo.here('add', 'Fix the form', '--files', 'src/form.js,src/page.js', '--criteria', criteria)
    const printed = await repo.here('contract', 'task-1', '--json')
    const before = printed.json<Contract>()
    expect(before.criteria.filter(({ pattern }) => pattern !== undefined)).toHaveLength(3)
    repo.write('contract.json', printed.stdout)
    const set = await repo.here('contract', 'task-1', '--set', 'contract.json', '--json')
    expect(set).toMatchObject({ code: 0 })
    expect(set.json<Contract>()).toMatchObject({ type: before.type, generatedFrom: 'user', taskHash: before.taskHash })
    expect(set.json<Contract>().criteria).toEqual(before.criteria)
    repo.write('contract.json', printed.stdout.replace('"path": "never.txt"', '"path": "../never.txt"'))
    expect(await repo.here('contract', 'task-1', '--set', 'contract.json')).toMatchObject({ code: 2 })
  })

  test('a plan’s advisory task waits; --type or --set answers; afterwards it is too late', async () => {
    const repo = makeRepo()
    repo.write(
      'plan.yaml',
      'meta: { id: s }\ntasks: [{ id: 1, name: Investigate slow API }, { id: 2, name: Explore caching }]\n',
    )
    repo.write('contract.yaml', 'criteria: [{ description: There is a report, command: test -f s-2.txt }]\n')
    const dry = await repo.here('run', 'plan.yaml', '--dry-run')
    expect(dry.stdout).toMatch(/advisory: nothing to verify/)
    const first = await repo.here('run', 'plan.yaml')
    expect(first).toMatchObject({ code: 8 })
    expect(first.stdout + first.stderr).toMatch(/muster contract s-1 --type advisory/)
    expect(await repo.here('contract', 's-1', '--type', 'nonsense')).toMatchObject({ code: 2 })
    const inside = await repo.hereWith({ env: { MUSTER_TASK_ID: 's-1' } }, 'contract', 's-1', '--type', 'skip')
    expect(inside).toMatchObject({ code: 4 })
    expect(await repo.here('contract', 's-1', '--type', 'verifiable')).toMatchObject({ code: 0 })
    const set = await repo.here('contract', 's-2', '--set', 'contract.yaml', '--json')
    expect(set.json<Contract>()).toMatchObject({
      generatedFrom: 'user',
      criteria: [{ command: 'test -f s-2.txt' }, {}, {}],
    })
    expect(await repo.here('run')).toMatchObject({ code: 0 })
    expect(await repo.here('contract', 's-1', '--type', 'advisory')).toMatchObject({ code: 3 })
  })
})

test('S3.17, S3.20, S3.30 an advisory task is announced, its output listed, and everything exported', async () => {
  const repo = makeRepo({ agent: 'echo "The index is missing."' })
  const run = await repo.here('run', 'Investigate slow API', '--json')
  expect(run).toMatchObject({ code: 0 })
  expect(run.stderr).toContain('ℹ️ Advisory task detected: "Investigate slow API"')
  expect(run.stderr).toContain('No automated verification — output will be logged for your review.')
  expect(run.stderr).toContain('Proceeding...')
  const id = run.json<RunDocument>().tasks[0]?.id ?? ''
  const listed = await repo.muster('advisory', '--json')
  expect(listed.json()).toMatchObject({
    advisoryTasks: [
      { taskId: id, description: 'Investigate slow API', output: 'The index is missing.', status: 'completed' },
    ],
  })
  expect((await repo.here('advisory')).stdout).toContain('The index is missing.')
  const exported = (await repo.muster('export')).json<{
    tasks: { contracts: Contract[]; runs: { contract: string }[] }[]
  }>()
  const [task] = exported.tasks
  expect(task?.contracts).toHaveLength(1)
  expect(task?.runs[0]?.contract).toBe(task?.contracts[0]?.hash)
  const prompt = await repo.here('show', id, '--prompt')
  expect(prompt.stdout).toContain('## Verification Contract')
  expect(await repo.here('show', id, '--prompt', '--run', 'nobody.r1')).toMatchObject({ code: 5 })
})
