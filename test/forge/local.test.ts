/** The preset `pull-request` without a server. */
import { afterEach, expect, test } from 'vitest'
import { tickedByHand } from '../support/clock.ts'
import { World } from '../support/world.ts'

let world: World
afterEach(() => world.dispose())

const ONE = '  - { id: 1, name: One }\n'

test('S2.19-S2.21, S2.30, S2.31 the preset pull-request runs without a server: a person answers with accept and reject', async () => {
  world = await World.create({ config: 'phases: pull-request\n' })
  world.agent('s-1', 'echo "$MUSTER_ATTEMPT" >one.txt; verdict pass')
  await world.run(ONE)
  expect(await world.task('s-1')).toMatchObject({ phase: 'await-review', stage: 'review', pr: 'muster:pull/s-1' })
  await world.reject('s-1', 'say it better')
  await world.settled()
  expect(world.prompt('s-1.r4')).toContain('say it better')
  await world.accept('s-1', 'fine now')
  await world.settled()
  expect(await world.task('s-1')).toMatchObject({ status: 'completed', round: 1, attempt: 2 })
  expect(world.git('show', 'muster/story/s:one.txt')).toBe('2')
})

test('a word that comes while the forge is asked is heard at once, not with the next look', async () => {
  world = await World.create({ config: 'phases: pull-request\n' })
  const { wrap } = tickedByHand()
  let accepted = false
  const asked = Promise.withResolvers<void>()
  const answers = Promise.withResolvers<void>()
  await world.start((parts) => {
    const review = parts.signals['pr-review']
    if (review === undefined) throw new Error('there is such a signal')
    const read: typeof review.read = async (state, spec) => {
      const reading = await review.read(state, spec)
      asked.resolve()
      await answers.promise
      return reading
    }
    // The task's next turn begins with a look at its branch: the forge answers right after that.
    const { personalHead } = parts.workspaces
    const looked: typeof personalHead = async (...args) => {
      const head = await personalHead(...args)
      if (accepted) setImmediate(answers.resolve)
      return head
    }
    const workspaces = { ...parts.workspaces, personalHead: looked }
    return wrap({ ...parts, workspaces, signals: { ...parts.signals, 'pr-review': { ...review, read } } })
  })
  await world.submit(ONE)
  const settled = world.settled()
  await asked.promise
  accepted = true
  await world.accept('s-1', 'fine')
  await world.until(({ type, task }) => type === 'task-completed' && task === 's-1')
  await settled
  expect(await world.task('s-1')).toMatchObject({ attempt: 1, round: 0 })
})
