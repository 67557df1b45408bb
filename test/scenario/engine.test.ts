/** When a task has its turn: what the engine looks at again, and what it hears meanwhile. */
import { afterEach, expect, test } from 'vitest'
import { tickedByHand } from '../support/clock.ts'
import { BY_PERSON } from '../support/maps.ts'
import { World } from '../support/world.ts'

let world: World
afterEach(() => world.dispose())

const ONE = '  - { id: 1, name: One }\n'

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

test("a person's commit is found while the task waits for them, however often it was looked for", async () => {
  world = await World.create({ config: `phases: ${BY_PERSON}` })
  world.agent('s-1', 'echo agent >f; verdict pass')
  const { wrap, tick } = tickedByHand()
  await world.start(wrap)
  await world.submit(ONE)
  await world.settled()
  await world.settled()
  const made = world.commitOn('muster/task/s-1', 'f', 'person\n')
  world.git('update-ref', 'refs/heads/muster/task/s-1', made)
  tick()
  await world.until(({ type }) => type === 'submitted')
  expect(await world.task('s-1')).toMatchObject({ attempt: 2, commit: made })
})

test('S2.22, D-8 a task that is given a dependency while it waits for a place waits for that as well', async () => {
  world = await World.create({ config: 'limits: { maxWorkers: 1 }' })
  const gate = world.gate('first')
  world.agent('s-1', 'echo up; gate first; work; verdict pass')
  await world.start()
  await world.submit(`${ONE}  - { id: 2, name: Two }\n`)
  const settled = world.settled()
  await world.until(({ type }) => type === 'output')
  await world.submit(`${ONE}  - { id: 2, name: Two, depends_on: [3] }\n  - { id: 3, name: Three }\n`)
  await gate.open()
  await settled
  expect(world.started()).toEqual(['s-1.r1', 's-3.r1', 's-2.r1'])
})
