/** S2.29 one plan and one phase map, without a server and at GitHub: the same end. */
import { expect, test } from 'vitest'
import type { TaskView } from '../../src/engine/views/views.ts'
import { World } from '../support/world.ts'
import { GitHubWorld } from './support.ts'

const PLAN = '  - { id: 1, name: One }\n  - { id: 2, name: Two, depends_on: [1] }\n'
const CONFIG = 'phases: pull-request\n'

function agents(world: World): void {
  world.agent('s-1', 'echo one >one.txt; verdict pass')
  world.agent('s-2', 'test -f one.txt && echo two >two.txt && verdict pass')
}

/** Without what differs from one moment to the next: times, and with them the names of commits. */
const PASSING = new Set(['pr', 'commit', 'base', 'evidence', 'createdAt', 'updatedAt', 'completedAt', 'generatedAt'])

function lasting(task: TaskView): TaskView {
  const text = JSON.stringify(task, (key, value: unknown) => (PASSING.has(key) ? undefined : value))
  return JSON.parse(text) as TaskView
}

async function ended(world: World) {
  const tasks = [await world.task('s-1'), await world.task('s-2')]
  return {
    tasks: tasks.map(lasting),
    pr: tasks.map(({ pr }) => pr),
    tree: world.git('rev-parse', 'muster/story/s^{tree}'),
    story: (await world.store.standing('s'))?.standing.state,
  }
}

test('S2.29 the same plan and map end in the same state, and the same task JSON but for `pr`', async () => {
  const world = await World.create({ config: CONFIG })
  const here = await GitHubWorld.create({ config: CONFIG, forge: 'merge: squash' })
  try {
    agents(world)
    await world.run(PLAN)
    for (const id of ['s-1', 's-2']) {
      await world.accept(id, 'good')
      await world.settled()
    }
    agents(here.world)
    await here.world.run(PLAN)
    for (const number of [1, 2]) {
      here.github.review('APPROVED', 'good', [], { number })
      await here.happened()
    }
    const local = await ended(world)
    const there = await ended(here.world)
    expect(there).toEqual({ ...local, pr: [1, 2].map((n) => `${here.github.url}/acme/shop/pull/${n}`) })
    expect(local.pr).toEqual(['muster:pull/s-1', 'muster:pull/s-2'])
    expect(local.tasks.map(({ status }) => status)).toEqual(['completed', 'completed'])
    expect(local.story).toBe('SHIPPABLE')
  } finally {
    await world.dispose()
    await here.dispose()
  }
})
