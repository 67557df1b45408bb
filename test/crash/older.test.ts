/**
 * A database that is older than the repository, from every commit on: Muster notices what has landed since, and comes to
 * the same end with nothing landed, deployed or asked twice that was answered. `npm test` takes a sample, `npm run soak` all.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { storyView } from '../../src/engine/views/views.ts'
import { ACCEPTED } from '../support/maps.ts'
import { World } from '../support/world.ts'
import { Rewound, type Play } from './rewound.ts'

const PLAN = `  - { id: 1, name: One, phases: ${ACCEPTED} }
  - { id: 2, name: Two, depends_on: [1] }
  - { id: 3, name: Three, phases: ${ACCEPTED} }
  - { id: 4, name: Four, depends_on: [2, 3] }
`
const IDS = ['s-1', 's-2', 's-3', 's-4']

async function common(world: World, branch: string) {
  return {
    landings: world.git('log', '--first-parent', '--format=%s', branch).split('\n'),
    files: world.git('ls-tree', '-r', '--format=%(path) %(objectname)', branch).split('\n'),
    bad: (await world.store.verifyHistory()).bad,
    pending: (await world.store.pendingIntents()).map(({ key }) => key),
    workspaces: world.workspacesLeft(),
    branches: world.git('for-each-ref', '--format=%(refname)', 'refs/heads/muster'),
  }
}

const work: Play<unknown> = async (world, wrap) => {
  await world.start(wrap)
  await world.submit(PLAN)
  await world.settled()
  if ((await world.task('s-3')).stage === 'review') await world.accept('s-3', 'three is fine')
  await world.settled()
  await world.engine.stop()
  const tasks = []
  for (const id of IDS) {
    const { status, waitingFor, checker, waiver } = await world.task(id)
    tasks.push({ id, status, waitingFor, checker, waived: waiver?.reason })
  }
  const end = { tasks, ...(await common(world, 'muster/story/s')) }
  await world.store.close()
  return end
}

const busy = await World.create({ roles: ['implementer', 'checker'], config: 'limits: { maxWorkers: 2 }' })
busy.agent('s-1.implementer', 'echo one >one; verdict pass')
// Sent back once, because its first round ends without a verdict.
busy.agent('s-2', 'echo try >>two; if [ "$MUSTER_ROUND" != 0 ]; then verdict pass; fi')
busy.agent('s-3.implementer', 'echo three >three; verdict pass')
busy.agent('s-3.checker', 'verdict fail "it should say four"')
busy.agent('s-4', 'cat one three >four; verdict pass')
const tasks = await Rewound.of(busy, work)

describe('L6 work that landed after the database was copied', () => {
  test.for(tasks.sample(7))('is found, and all ends as it did: commit %i', async (copy) => {
    expect(await tasks.from(copy)).toEqual(tasks.whole)
  })
})

const ship: Play<unknown> = async (world, wrap) => {
  await world.start(wrap)
  await world.submit('  - { id: 1, name: One }\n')
  await world.settled()
  const { state: before } = (await world.store.standing('s'))?.standing ?? {}
  if (before === 'SHIPPABLE') await world.commands.ship({ story: 's', how: 'ship', message: '', by: 'tester' })
  await world.settled()
  await world.engine.stop()
  const { state, message } = await storyView(world.store, (await world.store.story('s'))!)
  const deploys = readFileSync(join(world.top, 'deploy.ran'), 'utf8').split('\n').length - 1
  const end = { state, message, deploys, ...(await common(world, 'main')) }
  await world.store.close()
  return end
}

const shop = await World.create()
shop.agent('implementer', 'echo one >one; verdict pass')
writeFileSync(join(shop.top, 'deploy.sh'), `echo "$MUSTER_DEPLOY_KEY" >>'${shop.top}/deploy.ran'\n`)
const file = join(shop.repository, 'muster.yaml')
writeFileSync(file, `${readFileSync(file, 'utf8')}deploy: sh ${shop.top}/deploy.sh\n`)
const shipped = await Rewound.of(shop, ship)

describe('E-5 a Ship that the database does not know of', () => {
  test('is one merge and one deploy by itself', () => {
    expect(shipped.whole).toMatchObject({ state: 'REVIEW_READY', deploys: 1 })
  })

  test.for(shipped.sample(5))('is not done twice: commit %i', async (copy) => {
    expect(await shipped.from(copy)).toEqual(shipped.whole)
  })
})

const family: Play<unknown> = async (world, wrap) => {
  await world.start(wrap)
  await world.submit('  - { id: 1, name: Whole }\n  - { id: 2, name: Part, parent: 1 }\n')
  await world.settled()
  const { state: before } = (await world.store.standing('s'))?.standing ?? {}
  if (before === 'SHIPPABLE') await world.commands.ship({ story: 's', how: 'ship', message: '', by: 'tester' })
  await world.settled()
  await world.engine.stop()
  const { state, message, tasks } = await storyView(world.store, (await world.store.story('s'))!)
  const end = { state, message, tasks, ...(await common(world, 'main')) }
  await world.store.close()
  return end
}

const house = await World.create()
house.agent('s-2', 'echo part >part; verdict pass')
house.agent('s-1', 'cat part >whole && verdict pass')
const grown = await Rewound.of(house, family)

describe('L6 work of a subtask, a parent and a story whose branches went since the database was copied', () => {
  test('leaves no branch behind by itself', () => {
    expect(grown.whole).toMatchObject({ state: 'REVIEW_READY', branches: '', landings: ['Ship: A story', 'Start'] })
  })

  test.for(grown.sample(7))('is found, and all ends as it did: commit %i', async (copy) => {
    expect(await grown.from(copy)).toEqual(grown.whole)
  })
})
