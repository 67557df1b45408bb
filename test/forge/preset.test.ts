/** The preset `pull-request` among the other parts of Muster: checkers, subtasks, people who answer here. */
import { afterEach, expect, test } from 'vitest'
import { GitHubWorld, ONE } from './support.ts'

let here: GitHubWorld
afterEach(() => here.dispose())

test('a checker looks before there is anything to review, and what it finds is for a person first', async () => {
  here = await GitHubWorld.create({ roles: ['implementer', 'checker'] })
  const { world, github } = here
  world.agent('s-1.implementer', 'echo "$MUSTER_ATTEMPT" >one.txt; verdict pass')
  world.agent('s-1.checker.1', 'verdict fail "it says one"')
  world.agent('s-1.checker.2', 'verdict pass')
  await world.run(ONE)
  expect(await world.task('s-1')).toMatchObject({ phase: 'accept', checker: { status: 'failed' }, pr: null })
  expect(github.pulls).toEqual([])
  await world.reject('s-1', 'the checker is right')
  await world.settled()
  expect(await world.task('s-1')).toMatchObject({ phase: 'await-review', checker: { status: 'passed' }, attempt: 2 })
  expect(github.pulls).toHaveLength(1)
})

test('S2.18 subtasks are part of the pull request of their parent, and people are told of that alone', async () => {
  here = await GitHubWorld.create()
  const { world, github } = here
  world.agent('s-1', 'echo parent >parent.txt; verdict pass')
  world.agent('s-2', 'echo child >child.txt; verdict pass')
  await world.run('  - { id: 1, name: Parent }\n  - { id: 2, name: Child, parent: 1 }\n')
  expect(await world.task('s-2')).toMatchObject({ status: 'completed', pr: null })
  expect(github.pulls).toMatchObject([
    { branch: expect.stringMatching(/^muster\/\w{6}\/task\/s-1$/), base: expect.stringMatching(/\/story\/s$/) },
  ])
  // Nobody is asked to accept what passes by itself: the child, which its parent covers, and a parent that is reviewed later.
  expect(await world.notices()).toMatchObject([
    { text: expect.stringMatching(/^s-1 is waiting: no approving review of/) },
  ])
  github.review('APPROVED')
  await here.happened()
  expect(await world.task('s-1')).toMatchObject({ status: 'completed' })
  expect(world.git('ls-tree', '--name-only', 'muster/story/s')).toBe('README.md\nchild.txt\nparent.txt')
})

test('S2.19, S2.20 who answers here answers for the pull request, too', async () => {
  here = await GitHubWorld.create()
  const { world, github } = here
  world.agent('s-1', 'echo "$MUSTER_ATTEMPT" >one.txt; verdict pass')
  await world.run(ONE)
  await world.reject('s-1', 'say two')
  await world.settled()
  expect(world.prompt('s-1.r4')).toContain('[pr-review] say two')
  expect(github.headOf(github.pull())).toBe((await world.task('s-1')).commit)
  await world.accept('s-1')
  await world.settled()
  expect(await world.task('s-1')).toMatchObject({ status: 'completed', round: 1 })
  expect(github.pull().mergedAs).not.toBeNull()
})
