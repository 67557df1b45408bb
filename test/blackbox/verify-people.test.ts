/** Where verification and people meet, through the command line: acceptance, waivers, approval, and how checks are named. */
import { describe, expect, test } from 'vitest'
import { VERIFIED } from '../support/maps.ts'
import type { ErrorDocument, Repo, RunDocument } from '../support/muster.ts'
import { exited } from '../support/muster.ts'
import { criterion, makeProject, runPlan as runPlanWith, show } from '../support/verified.ts'

const plan = (more: string) => `meta: { id: s, name: Story }\ntasks:\n  - { id: 1, name: Add a text${more} }\n`
const runPlan = (repo: Repo, plan: string, code: number) => runPlanWith(repo, plan, code, repo.here)
const say = async (repo: Repo, ...words: string[]) => exited(await repo.here(...words), 0)
const go = async (repo: Repo, code: number) => exited(await repo.here('run', '--json'), code).json<RunDocument>().tasks

describe('D-9 a waiver', () => {
  test('needs a reason, is shown, is honoured at landing; protected paths are named, and the same tree is not run again', async () => {
    const config = `phases: ${VERIFIED}\nprotectedPaths: [ci/**]\nlimits: { maxErrorAttempts: 1 }\nchecks: { good: '! grep -r bad ci', broken: 'true && no-such-program' }`
    const deeds = { 's-1': 'mkdir -p ci; echo steps >ci/steps' }
    const repo = makeProject({ files: { 'a.txt': 'a\n' }, config, deeds })
    const held = await runPlan(repo, plan(', checks: [good, broken]'), 8)
    expect(held['s-1']?.waitingFor).toMatch(/c2 broken: command not found/)
    expect(held['s-1']).toMatchObject({ results: { overall: 'error', protectedPaths: ['ci/steps'] }, waiver: null })

    await say(repo, 'retry', 's-1')
    await go(repo, 8)
    const again = await show(repo, 's-1')
    expect(criterion(again, 'good')).toMatchObject({ status: 'pass', evidence: { reused: true, exit: 0 } })
    expect((await say(repo, 'show', 's-1')).stdout).toMatch(
      /Verified \w{12}: unclear \([^)]*\)\n +✓ c1 +good +passed +reused from an earlier run on this tree; already passed before the change\n +! c2 +broken +unclear +command not found \(exit code 127\); likely fix: a `setup:` in muster\.yaml that installs what the command needs; \d+ms\n[\s\S]* changes protected paths: ci\/steps\n/,
    )

    const refused = await repo.here('accept', 's-1', '--json')
    expect(refused.code).toBe(2)
    expect(refused.json<ErrorDocument>().error).toMatchObject({
      message: expect.stringContaining('to accept it anyway, give a reason') as string,
      hint: 'muster accept s-1 -m "why it is fine"',
    })
    await say(repo, 'accept', 's-1', '-m', 'I ran it by hand')
    expect(await go(repo, 0)).toMatchObject([{ id: 's-1', status: 'completed' }])
    const landed = await show(repo, 's-1')
    expect(landed.waiver).toMatchObject({
      criteria: ['c2', 'protected-paths'],
      reason: 'I ran it by hand',
      by: 'tester',
    })
    expect(criterion(landed, 'broken')).toMatchObject({ status: 'waived' })
    expect((await say(repo, 'show', 's-1')).stdout).toMatch(
      /w c2 +broken +waived.*\n[\s\S]*waived by tester: c2, protected-paths \(I ran it by hand\)/,
    )
    expect((await say(repo, 'explain', 's-1')).stdout).toMatch(
      /tester said accept: I ran it by hand \(over: the verification could not run/,
    )
    expect(repo.git('show', 'muster/story/s:ci/steps')).toBe('steps\n')
  })

  test('is for one snapshot: with the next attempt it is gone, and the check counts again', async () => {
    const config = `phases: reviewed\nlimits: { maxErrorAttempts: 1 }\nchecks: { broken: 'true && no-such-program' }`
    const deeds = { 's-1.1': 'echo one >b.txt', 's-1.2': 'echo two >b.txt' }
    const repo = makeProject({ files: { 'a.txt': 'a\n' }, config, deeds })
    await runPlan(repo, plan(', checks: [broken]'), 8)
    await say(repo, 'accept', 's-1', '-m', 'fine by me')
    const [waits] = await go(repo, 8)
    expect(waits).toMatchObject({
      phase: 'review',
      waiver: { criteria: ['c1'] },
      waitingFor: expect.stringContaining('a person must decide') as string,
    })
    await say(repo, 'reject', 's-1', '-m', 'two, please')
    const [held] = await go(repo, 8)
    expect(held).toMatchObject({ phase: 'verify', attempt: 2, waiver: null, results: { overall: 'error' } })
    expect(held?.waitingFor).toMatch(/c1 broken: command not found/)
  })
})

test('S1.6, S1.16, S1.25 phases: checked: a person sees what passed, or that nothing could be run, accepts it, and it lands', async () => {
  const deeds = { 's-1.1': 'echo bad >b.txt', 's-1': 'echo good >b.txt', 'n-1': 'echo x >c.txt' }
  const config = `phases: checked\nchecks: { words: '! grep bad *.txt' }`
  const repo = makeProject({ files: { 'a.txt': 'a\n' }, config, deeds })
  const waits = await runPlan(repo, plan(', checks: [words]'), 8)
  expect(waits['s-1']).toMatchObject({ stage: 'review', phase: 'accept', round: 1, results: { overall: 'pass' } })
  expect(waits['s-1']?.findings.map(({ message }) => message).join('\n')).toMatch(
    /c1 words: it ended with exit code 1[\s\S]*b\.txt:bad/,
  )
  await say(repo, 'accept', 's-1')
  expect(await go(repo, 0)).toMatchObject([{ status: 'completed' }])
  expect(repo.git('show', 'muster/story/s:b.txt')).toBe('good\n')

  await runPlan(repo, 'meta: { id: n, name: No checks }\ntasks:\n  - { id: 1, name: Add a text }\n', 8)
  expect((await say(repo, 'show', 'n-1')).stdout).toMatch(
    /Verified \w{12}: nothing could run \([^)]*\)\n( +– .*skipped +the project has no .* tool\n)+/,
  )
})

test('S1.17-S1.19, D-15, L8, E-23 approve lands on a protected branch only what is green there, and else changes nothing', async () => {
  const config = `phases: ${VERIFIED}\nchecks: { few: '[ $(ls *.txt | wc -l) -le 2 ]' }`
  const deeds = { 'task-1.1': 'echo b >b.txt', 'task-1': 'git rm -q a.txt' }
  const repo = makeProject({ files: { 'a.txt': 'a\n' }, config, deeds })
  await say(repo, 'add', 'Add a text', '--checks', 'few')
  expect(await go(repo, 8)).toMatchObject([
    { stage: 'review', waitingFor: expect.stringContaining('approve the landing on main') as string },
  ])

  repo.write('c.txt', 'c\n')
  repo.git('add', 'c.txt')
  repo.git('commit', '--quiet', '--message', 'Mine')
  const main = repo.git('rev-parse', 'main')
  await say(repo, 'approve', 'task-1')
  const run = exited(await repo.here('run'), 8)
  expect(run.stderr).toMatch(
    /waiting: the merge with main must be verified first|merge ended: WAIT: the merge with main must be verified first/,
  )
  expect(run.stderr).toMatch(/verification ended: FAIL: c1 few: it ended with exit code 1/)
  expect(repo.git('rev-parse', 'main')).toBe(main)

  // The next attempt mends it, on top of what is there now; the approval was for the other.
  const back = await show(repo, 'task-1')
  expect(back).toMatchObject({ round: 1, attempt: 2, results: { overall: 'pass', base: main.trim() } })
  expect(back.waitingFor).toContain('approve the landing on main')
  expect(repo.git('rev-parse', 'main')).toBe(main)
  await say(repo, 'approve', 'task-1')
  expect(await go(repo, 0)).toMatchObject([{ status: 'completed' }])
  expect(repo.git('ls-tree', '--name-only', 'main')).toBe('README.md\nb.txt\nc.txt\n')
  expect(repo.git('rev-parse', 'main^{tree}').trim()).toBe(criterion(await show(repo, 'task-1'), 'few').evidence?.tree)
})

describe('S1.3, S1.7, S1.8, L12, E-21 checks of a task', () => {
  const config = `phases: ${VERIFIED}\nchecks: { words: 'true', spelling: 'true' }`

  test('come from its file or from --checks, and else from its role, each once; unknown ones are refused with the known ones', async () => {
    const repo = makeProject({ files: { 'a.txt': 'a\n' }, config, deeds: {} })
    repo.write('muster.yaml', repo.read('muster.yaml').replace('verdict: exit', 'verdict: exit, checks: [words]'))
    const added = async (...words: string[]) =>
      (await say(repo, 'add', ...words, '--json')).json<RunDocument['tasks'][0]>()
    repo.write('task.md', '# [TASK-7] Add a text\nCHECKS: spelling, spelling\nROLE: implementer\n\nWith care.\n')
    expect(await added('--from', 'task.md')).toMatchObject({
      title: 'Add a text',
      instructions: 'With care.',
      checks: ['spelling'],
      agent: 'implementer',
    })
    expect((await added('Add a text')).checks).toEqual(['words'])
    expect((await added('Add a text', '--checks', 'spelling,spelling')).checks).toEqual(['spelling'])
    expect((await added('Add a text', '--checks', 'spelling,words')).checks).toEqual(['spelling', 'words'])

    repo.write('task.md', '# Add a text\nCHECKS: words,wrods\n')
    const known =
      /unknown check "wrods" \(known: words, spelling, typecheck, lint, unit-test, .*; did you mean "words"\?\)/
    for (const words of [
      ['--from', 'task.md'],
      ['Add a text', '--checks', 'words,wrods'],
    ]) {
      const refused = exited(await repo.here('add', ...words), 2)
      expect(refused.stderr).toMatch(known)
    }
    // Known to Muster, but the project has no tool for it.
    const missing = exited(await repo.here('add', 'Add a text', '--checks', 'typecheck'), 2)
    expect(missing.stderr).toMatch(
      /the project has no tool for the check "typecheck" \(it has: spelling, words\)[\s\S]*checks:\n +typecheck: <command>/,
    )
  })
})
