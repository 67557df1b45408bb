/** What lands at GitHub and what of it comes here; the branches there, and whose they are. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { needsView } from '../../src/engine/views/needs.ts'
import { World } from '../support/world.ts'
import { GitHubWorld, ONE, tagged, type GitHubOptions } from './support.ts'

let here: GitHubWorld
afterEach(() => here.dispose())

const underReview = async (options?: GitHubOptions) => (here = await GitHubWorld.underReview(options))

test('a base of the user that is called like branches of Muster is theirs: it is not pushed, nor named otherwise', async () => {
  here = await GitHubWorld.create({ config: 'base: muster/dev\nphases: pull-request\n' })
  const { world, github } = here
  world.git('branch', 'muster/dev')
  world.agent('default', 'echo new >new.txt; verdict pass')
  await world.start()
  const { id } = await world.add('Something new')
  await world.engine.settled(null)
  expect((await world.task(id)).waitingFor).toMatch(/muster\/dev at GitHub lacks commits that are only here: git push/)
  world.git('push', '-q', github.git.dir, 'muster/dev')
  world.engine.look()
  await world.engine.settled(null)
  expect(github.pulls).toMatchObject([{ base: 'muster/dev' }])
})

test('a merge by a person there is a landing here: verified, and the branch follows', async () => {
  const { world, github } = await underReview({ forge: 'merge: squash' })
  github.pull().draft = false
  github.mergeByPerson()
  await here.happened()
  expect(await world.task('s-1')).toMatchObject({ status: 'completed' })
  expect(world.git('rev-parse', 'muster/story/s')).toBe(github.pull().mergedAs)
})

test('L8 what a person pushed, merged and tidied away there is verified here before it counts', async () => {
  const { world, github } = await underReview()
  const pushed = github.git.commit(github.headOf(github.pull()), 'two.txt', 'by ann\n')
  github.git.move(github.pull().branch, pushed)
  github.pull().draft = false
  github.mergeByPerson()
  github.git.run('update-ref', 'refs/pull/1/head', pushed)
  github.git.run('update-ref', '-d', `refs/heads/${github.pull().branch}`)
  await here.happened()
  expect(await world.task('s-1')).toMatchObject({ status: 'completed', commit: pushed, attempt: 2 })
  expect(world.git('rev-parse', 'muster/story/s')).toBe(github.pull().mergedAs)
})

test('H-1 who merges it there before everything was answered has waived that; the work is verified all the same', async () => {
  here = await GitHubWorld.create({ config: 'phases: pull-request\nchecks: { api: "test -f one.txt" }\n' })
  const { world, github } = here
  world.agent('s-1', 'echo 1 >one.txt; verdict pass')
  const criteria = '[{ description: The colours fit, judge: person }]'
  await world.run(`  - { id: 1, name: One, checks: [api], contract: { type: verifiable, criteria: ${criteria} } }\n`)
  github.pull().draft = false
  github.mergeByPerson()
  await here.happened()
  const task = await world.task('s-1')
  expect(task).toMatchObject({ status: 'completed', waiver: { criteria: ['c1'] } })
  expect(task.results?.criteria.find(({ id }) => id === 'c1')).toMatchObject({ status: 'waived' })
  expect(task.results?.overall).toBe('pass')
  expect(task.caveats.join()).toContain('c1 waived by')
})

test('D-15, E-23, L8 what the forge made of a target that moved in that moment is verified before it counts', async () => {
  const { world, github } = await underReview()
  github.onMerge = () => {
    const target = github.git.head(github.pull().base) ?? ''
    github.git.move(github.pull().base, github.git.commit(target, 'meanwhile.txt', 'x\n'))
  }
  github.review('APPROVED')
  await here.happened()
  const checks = (await world.runs('s-1')).filter(({ kind }) => kind === 'check')
  expect(checks).toHaveLength(2)
  expect(checks[1]?.end?.facts.results?.commit).toBe(github.pull().mergedAs)
  expect(await world.task('s-1')).toMatchObject({ status: 'completed' })
  expect(world.git('ls-tree', '--name-only', 'muster/story/s')).toBe('README.md\nmeanwhile.txt\none.txt')
})

test('L8 a target that moved at the forge is verified with the work before anything is merged: what is red there goes back', async () => {
  here = await GitHubWorld.create({ config: 'phases: pull-request\nchecks: { tidy: "test ! -f litter.txt" }\n' })
  const { world, github } = here
  world.agent('s-1', 'echo "$MUSTER_ATTEMPT" >one.txt; rm -f litter.txt; verdict pass')
  await world.run('  - { id: 1, name: One, checks: [tidy] }\n')
  const target = github.git.head(github.pull().base) ?? ''
  github.git.move(github.pull().base, github.git.commit(target, 'litter.txt', 'x\n'))
  const merged: string[] = []
  github.onMerge = () => void merged.push(github.headOf(github.pull()))
  github.review('APPROVED')
  await here.happened()
  const task = await world.task('s-1')
  expect(task).toMatchObject({ phase: 'await-review', round: 1, attempt: 2 })
  expect(task.findings.map(({ message }) => message).join('\n')).toContain('tidy')
  expect(merged).toEqual([])
  // The next attempt cleans up, and is reviewed again.
  github.review('APPROVED')
  await here.happened()
  expect(await world.task('s-1')).toMatchObject({ status: 'completed' })
  expect(merged).toEqual([task.commit])
  expect(world.git('ls-tree', '--name-only', 'muster/story/s')).toBe('README.md\none.txt')
})

test('rules of the repository that stand in the way are waited for, by their words', async () => {
  const { world, github } = await underReview()
  github.required.set(github.pull().base, ['ci/build'])
  github.review('APPROVED')
  await here.happened()
  expect(await world.task('s-1')).toMatchObject({ phase: 'land', status: 'in-progress' })
  expect((await world.task('s-1')).waitingFor).toContain('Required status check "ci/build" is expected.')
  // However often it is looked at, nothing is tried, or written down, that GitHub says comes no further.
  const before = (await world.history('s-1')).length
  for (let look = 0; look < 3; look++) await here.happened()
  expect(github.asked.filter((asked) => asked === 'PUT /pulls/1/merge')).toHaveLength(1)
  expect(await world.history('s-1')).toHaveLength(before)
  github.statuses.push({
    sha: github.headOf(github.pull()),
    context: 'ci/build',
    state: 'success',
    description: null,
    target_url: null,
  })
  await here.happened()
  expect(await world.task('s-1')).toMatchObject({ status: 'completed' })
})

test('a task of its own lands on the protected base by the approval of its reviewer, and main here follows', async () => {
  here = await GitHubWorld.create({ forge: 'merge: rebase' })
  const { world, github } = here
  world.agent('default', 'echo new >new.txt; verdict pass')
  await world.start()
  // Longer than GitHub takes; half of a character would be no text.
  await world.add(`${'x'.repeat(249)}😀`)
  await world.engine.settled(null)
  const [task] = await world.store.listTasks({ limit: 10 })
  expect(github.pull()).toMatchObject({ base: 'main', draft: true })
  expect(github.pull().title).toBe(`${'x'.repeat(249)}…`)
  github.review('APPROVED')
  world.engine.look()
  await world.engine.settled(null)
  expect(await world.task(task?.spec.id ?? '')).toMatchObject({ status: 'completed' })
  expect(world.git('rev-parse', 'main')).toBe(github.pull().mergedAs)
  expect(world.git('log', '--format=%s', 'main').split('\n')).toHaveLength(2)
  expect(world.git('status', '--porcelain', '-uno')).toBe('')
})

test('a pull request that somebody turned to another branch is not merged there', async () => {
  const { world, github } = await underReview()
  github.pull().base = 'main'
  github.review('APPROVED')
  await here.happened()
  expect((await world.task('s-1')).waitingFor).toContain('to main: change it back to muster/story/s')
  expect(github.pull().mergedAs).toBeNull()
})

test('one that a person turned to another branch and merged there has not landed: a person is told', async () => {
  const { world, github } = await underReview()
  Object.assign(github.pull(), { base: 'main', draft: false })
  github.mergeByPerson()
  await here.happened()
  expect(await world.task('s-1')).toMatchObject({
    phase: 'land',
    status: 'in-progress',
    waitingFor: expect.stringContaining('was merged into main, not into muster/story/s'),
  })
  expect((await needsView(world.store, 10, 0)).items).toMatchObject([{ id: 's-1' }])
})

test("a branch of that name with somebody else's work is not pushed over", async () => {
  here = await GitHubWorld.create()
  const { world, github } = here
  const theirs = github.git.commit(github.git.head('main') ?? '', 'theirs.txt', 'x\n')
  await world.start()
  await world.store.setSetting('forge-tag', 'abc123')
  github.git.move('muster/abc123/task/s-1', theirs)
  world.agent('s-1', 'echo 1 >one.txt; verdict pass')
  await world.submit(ONE)
  await world.settled()
  expect((await world.task('s-1')).waitingFor).toMatch(
    /holds [0-9a-f]{12} by Ann, which is not Muster's.*muster submit s-1/,
  )
  expect(github.git.head('muster/abc123/task/s-1')).toBe(theirs)
  expect(github.pulls).toEqual([])
})

test('E-30 two Musters at one repository have tasks of the same names, and each its own pull request', async () => {
  const { world, github } = await underReview()
  const other = await World.create({ config: `phases: pull-request\n${github.config('')}` })
  try {
    other.env['FAKE_TOKEN'] = github.token
    other.agent('s-1', 'echo other >other.txt; verdict pass')
    await other.run(ONE)
    expect(github.pulls).toMatchObject([1, 2].map((number) => ({ number, branch: tagged('task/s-1') })))
    expect(await world.task('s-1')).toMatchObject({ pr: expect.stringMatching(/\/pull\/1$/) })
    expect(await other.task('s-1')).toMatchObject({ pr: expect.stringMatching(/\/pull\/2$/) })
    github.review('APPROVED')
    await here.happened()
    other.engine.look()
    await other.settled()
    expect(await world.task('s-1')).toMatchObject({ status: 'completed' })
    expect(await other.task('s-1')).toMatchObject({ phase: 'await-review' })
  } finally {
    await other.dispose()
  }
})

test('a base that is newer there is followed when something lands, not before, and never over changes of the user', async () => {
  here = await GitHubWorld.create()
  const { world, github } = here
  const before = world.git('rev-parse', 'main')
  github.git.move('main', github.git.commit(before, 'README.md', '# Newer\n'))
  writeFileSync(join(world.repository, 'README.md'), '# Being edited\n')
  world.agent('default', 'echo new >new.txt; verdict pass')
  await world.start()
  const { id } = await world.add('Something new')
  await world.engine.settled(null)
  expect(github.pull()).toMatchObject({ draft: true, base: 'main' })
  github.review('APPROVED')
  world.engine.look()
  await world.engine.settled(null)
  expect((await world.task(id)).waitingFor).toContain('README.md')
  expect([world.git('rev-parse', 'main'), github.pull().mergedAs]).toEqual([before, null])
  world.git('checkout', '-q', 'README.md')
  world.engine.look()
  await world.engine.settled(null)
  expect(await world.task(id)).toMatchObject({ status: 'completed' })
  expect(world.git('rev-parse', 'main')).toBe(github.pull().mergedAs)
  expect(world.git('show', 'main:README.md')).toBe('# Newer')
})

test('what is only here of a base is for its owner to push', async () => {
  here = await GitHubWorld.create()
  const { world, github } = here
  world.git('-c', 'user.name=Me', '-c', 'user.email=me@example.invalid', 'commit', '-q', '--allow-empty', '-m', 'Mine')
  await world.start()
  world.agent('default', 'echo new >new.txt; verdict pass')
  const { id } = await world.add('Something new')
  await world.engine.settled(null)
  expect((await world.task(id)).waitingFor).toMatch(/main at GitHub lacks commits that are only here: git push/)
  expect(github.pulls).toEqual([])
  const before = (await world.history(id)).length
  for (let look = 0; look < 3; look++) {
    world.engine.look()
    await world.engine.settled(null)
  }
  expect(await world.history(id)).toHaveLength(before)
  world.git('push', '-q', github.git.dir, 'main')
  world.engine.look()
  await world.engine.settled(null)
  expect(await world.task(id)).toMatchObject({ phase: 'await-review' })
})

test('a branch of a story that has parted is brought together by the name that it has there', async () => {
  const { world, github } = await underReview()
  const { base } = github.pull()
  github.git.move(base, github.git.commit(github.git.head(base) ?? '', 'theirs.txt', 'theirs\n'))
  const who = ['-c', 'user.name=Me', '-c', 'user.email=me@example.invalid']
  const mine = world.git(...who, 'commit-tree', '-p', 'muster/story/s', '-m', 'Mine', 'muster/story/s^{tree}')
  world.git('update-ref', 'refs/heads/muster/story/s', mine)
  github.review('APPROVED')
  await here.happened()
  expect((await world.task('s-1')).waitingFor).toMatch(new RegExp(`git pull --rebase \\S+ ${base}$`))
})

test('H-1 a task that waits for an answer before it lands sees that somebody merged it there', async () => {
  const map = `phases:
  implement: { run: agent implementer, on_pass: open, on_fail: implement }
  open: { run: action open-pr, on_pass: ready, on_fail: implement }
  ready: { run: action mark-ready, on_pass: land, on_fail: implement }
  land: { run: action merge, on_pass: done, on_fail: implement }
`
  here = await GitHubWorld.create({ config: map })
  const { world, github } = here
  const criteria = '[{ description: The colours fit, judge: person }]'
  await world.run(`  - { id: 1, name: One, contract: { type: verifiable, criteria: ${criteria} } }\n`)
  expect(await world.task('s-1')).toMatchObject({
    stage: 'review',
    phase: 'land',
    next: expect.arrayContaining(['muster accept s-1']) as string[],
  })
  github.mergeByPerson()
  await here.happened()
  expect(await world.task('s-1')).toMatchObject({ status: 'completed', waiver: { criteria: ['c1'] } })
})

test('L8 a sync task keeps both parents at GitHub too, whatever merge says: the story ships at once', async () => {
  const { world, github } = await underReview({ forge: 'merge: squash' })
  world.agent('s-1', 'echo ours >one.txt; verdict pass')
  world.agent('s-sync-2', 'echo both >one.txt; verdict pass')
  github.review('APPROVED')
  await here.happened()
  expect(await world.task('s-1')).toMatchObject({ status: 'completed' })
  const moved = world.commitOn('main', 'one.txt', 'theirs\n')
  world.git('update-ref', 'refs/heads/main', moved)
  world.git('reset', '-q', '--hard')
  world.git('push', '-q', github.git.dir, 'main')
  await world.commands.ship({ story: 's', how: 'ship', message: '', by: 'tester' })
  await world.settled()
  github.review('APPROVED', '', [], { number: 2 })
  await here.happened()
  expect(await world.task('s-sync-2')).toMatchObject({ status: 'completed' })
  expect(world.git('show', '-s', '--format=%P', 'muster/story/s').split(' ')).toHaveLength(2)
  await world.commands.ship({ story: 's', how: 'ship', message: '', by: 'tester' })
  await world.settled()
  expect((await world.store.standing('s'))?.standing).toMatchObject({ state: 'REVIEW_READY', works: 4 })
})
