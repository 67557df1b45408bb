/** `signal ci`: the required checks on the exact head, at GitHub and without a server. */
import { afterEach, describe, expect, test } from 'vitest'
import { World } from '../support/world.ts'
import { GitHubWorld, ONE } from './support.ts'

/** No phase opens the pull request: the first step that needs it does. */
const MAP =
  'phases: { implement: { run: agent implementer, on_pass: verify }, verify: { run: check contract, on_pass: ci, on_fail: implement }, ci: { run: signal ci, on_pass: ready, on_fail: implement }, ready: { run: action mark-ready, on_pass: land, on_fail: implement }, land: { run: action merge, on_pass: done, on_fail: implement } }\n'

describe('at GitHub', () => {
  let here: GitHubWorld
  afterEach(() => here.dispose())

  async function withChecks(forge: string): Promise<GitHubWorld> {
    here = await GitHubWorld.create({ config: MAP, forge })
    here.world.agent('s-1', 'echo "$MUSTER_ATTEMPT" >one.txt; verdict pass')
    await here.world.start()
    await here.world.submit(ONE)
    await here.world.until(({ type, reason }) => type === 'waiting' && String(reason).includes('no check has started'))
    return here
  }
  /** What is looked at again has been looked at. */
  async function waits(words: RegExp): Promise<void> {
    here.world.engine.look()
    await here.world.until(({ type, reason }) => type === 'waiting' && words.test(String(reason)))
    expect(await here.world.task('s-1')).toMatchObject({ phase: 'ci', status: 'in-progress', round: 0 })
  }

  test('S2.30 a step that needs a pull request opens it; missing, pending, skipped and neutral are not green, and a failed one goes back by name and link', async () => {
    const { world, github } = await withChecks('requiredChecks: [build, test]')
    expect(github.pull()).toMatchObject({ draft: true })
    expect((await world.task('s-1')).pr).toBe(`${github.url}/acme/shop/pull/1`)
    expect(await world.store.task('s-1')).toMatchObject({
      state: { wait: { code: 'ci', params: { state: expect.stringMatching(/running|more/) } } },
    })
    github.check('build', 'success')
    github.check('other', 'failure')
    await waits(/no check has started on [0-9a-f]{12} yet: test$/)
    github.check('test', null)
    github.check('build', null)
    await waits(/checks are running on [0-9a-f]{12}: build, test$/)
    github.check('build', 'success')
    github.check('test', 'skipped')
    await waits(/skipped or neutral/)
    expect((await world.task('s-1')).stage).toBe('review')
    github.check('test', 'failure')
    world.engine.look()
    await world.until(({ type, run }) => type === 'run-started' && run === 's-1.r6')
    expect(world.prompt('s-1.r4')).toMatch(
      /\[ci\] the check "test" failed on [0-9a-f]{12}: https:\/\/ci\.invalid\/test/,
    )
    // The green of the commit before says nothing about this one.
    await world.until(({ type, run }) => type === 'run-ended' && run === 's-1.r6')
    expect(github.pull().mergedAs).toBeNull()
    github.check('build', 'success')
    github.check('test', 'success')
    await here.happened()
    expect(await world.task('s-1')).toMatchObject({ status: 'completed', round: 1, attempt: 2 })
  })

  test('without a list, the checks that protect the target are required', async () => {
    const { world, github } = await withChecks('')
    github.required.set(github.pull().base, ['ci/lint'])
    github.ruled.set(github.pull().base, ['ci/rule'])
    github.check('something', 'success')
    await waits(/no check has started on [0-9a-f]{12} yet: ci\/lint, ci\/rule$/)
    github.check('ci/rule', 'success')
    await waits(/no check has started on [0-9a-f]{12} yet: ci\/lint$/)
    const sha = github.headOf(github.pull())
    github.statuses.push({ sha, context: 'ci/lint', state: 'success', description: null, target_url: null })
    await here.happened()
    expect(await world.task('s-1')).toMatchObject({ status: 'completed' })
  })
})

test("without a server it is what Muster's own checks said of this commit", async () => {
  const world = await World.create({ config: MAP })
  try {
    world.agent('s-1', 'echo one >one.txt; verdict pass')
    await world.run(ONE)
    expect(await world.task('s-1')).toMatchObject({ status: 'completed', pr: 'muster:pull/s-1' })
    const read = (await world.history('s-1')).find(({ type }) => type === 'signal-read')
    expect(read?.data).toMatchObject({ name: 'ci', outcome: 'ADVANCE', detail: expect.stringContaining('contract') })
  } finally {
    await world.dispose()
  }
})
