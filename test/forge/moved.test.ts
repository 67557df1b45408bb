/** A project that names another forge while a task waits for its review. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FakeGitHub } from './fake.ts'
import { GitHubWorld } from './support.ts'

test('S2.29, L7 a task whose forge is another by now gets a pull request there, and nobody else’s is taken for its own', async () => {
  const here = await GitHubWorld.create()
  const root = mkdtempSync(join(tmpdir(), 'muster-moved-'))
  const other = await FakeGitHub.start(root, here.world.repository)
  const { world } = here
  const file = join(world.repository, 'muster.yaml')
  const reopen = async (forge: string) => {
    await world.stop()
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^forge:.*\n/m, forge))
    await world.start()
    await world.settled()
  }
  try {
    world.agent('s-1', 'echo "$MUSTER_ATTEMPT" >one.txt; verdict pass')
    await world.run('  - { id: 1, name: One }\n')
    // There, number 1 is what somebody else works on.
    other.git.move('feature', other.git.commit(other.git.head('main') ?? '', 'theirs.txt', 'theirs\n'))
    other.pulls.push({ ...here.github.pull(), branch: 'feature', base: 'main' })
    other.review('APPROVED', 'ship it')
    await reopen(other.config())
    expect(await world.task('s-1')).toMatchObject({
      phase: 'await-review',
      attempt: 1,
      pr: `${other.url}/acme/shop/pull/2`,
    })
    await reopen('')
    expect(await world.task('s-1')).toMatchObject({ phase: 'await-review', attempt: 1, pr: 'muster:pull/s-1' })
    await world.accept('s-1', 'good')
    await world.settled()
    expect(await world.task('s-1')).toMatchObject({ status: 'completed', attempt: 1 })
    expect(other.wrong).toEqual([])
  } finally {
    await other.stop()
    rmSync(root, { recursive: true, force: true })
    await here.dispose()
  }
})

test('S2.29 one that was past its review lands here when there is no forge any more: nobody could make its record ready', async () => {
  const here = await GitHubWorld.create()
  const { world, github } = here
  const file = join(world.repository, 'muster.yaml')
  try {
    world.agent('s-1', 'echo "$MUSTER_ATTEMPT" >one.txt; verdict pass')
    await world.run('  - { id: 1, name: One }\n')
    github.required.set(github.pull().base, ['ci/build'])
    github.review('APPROVED')
    await here.happened()
    expect(await world.task('s-1')).toMatchObject({ phase: 'land' })
    await world.stop()
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^forge:.*\n/m, ''))
    await world.start()
    await world.settled()
    expect(await world.task('s-1')).toMatchObject({ status: 'completed', attempt: 1, pr: 'muster:pull/s-1' })
    expect(github.pull().mergedAs).toBeNull()
  } finally {
    await here.dispose()
  }
})
