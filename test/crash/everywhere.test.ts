/**
 * Crash everywhere: a scenario with dependencies, a retry, checkers, a human gate, notices and merges is run once to count its
 * writes and effects, then once for each of them with a crash there and a restart. Every run must end in the same state,
 * with no effect done twice. `npm test` takes a sample; `npm run soak` takes all.
 */
import { expect, test } from 'vitest'
import { World } from '../support/world.ts'
import type { CrashPoint } from './points.ts'
import { CrashingPorts } from './points.ts'
import { samplePoints } from './sample.ts'
import { ACCEPTED } from '../support/maps.ts'

const PLAN = `  - { id: 1, name: One, phases: ${ACCEPTED} }
  - { id: 2, name: Two, depends_on: [1] }
  - { id: 3, name: Three, phases: ${ACCEPTED} }
  - { id: 4, name: Four, depends_on: [2, 3] }
`
const sampleSize = 8

async function prepare(): Promise<World> {
  const world = await World.create({ roles: ['implementer', 'checker'], config: 'limits: { maxWorkers: 2 }' })
  world.agent('s-1.implementer', 'echo one >one; verdict pass')
  // Sent back once, because its first round ends without a verdict: a person is told of that.
  world.agent('s-2', 'echo try >>two; if [ "$MUSTER_ROUND" != 0 ]; then verdict pass; fi')
  world.agent('s-3.implementer', 'echo three >three; verdict pass')
  world.agent('s-3.checker', 'verdict fail "it should say four"')
  world.agent('s-4', 'cat one three >four; verdict pass')
  return world
}

/** Goes on until everything is completed, answering the gate; safe to call again after a crash. */
async function drive(world: World, ports: CrashingPorts): Promise<void> {
  const go = async () => {
    await world.start((parts) => ports.wrap(parts))
    await world.submit(PLAN)
    await world.settled()
    // s-1 only where its checker could not be asked.
    for (const id of ['s-1', 's-3']) {
      if ((await world.task(id)).stage === 'review') await world.accept(id, 'three is fine')
      await world.settled()
    }
    await world.engine.stop()
  }
  await Promise.race([go(), ports.crashed])
}

async function finalState(world: World) {
  const tasks = []
  for (const id of ['s-1', 's-2', 's-3', 's-4']) {
    const { status, phase, round, findings, checker, checkerReport, waiver } = await world.task(id)
    const found = findings.map(({ round, message }) => ({ round, message }))
    tasks.push({ id, status, phase, round, findings: found, checker, checkerReport, waived: waiver?.reason })
  }
  const landings = world.git('log', '--first-parent', '--format=%s', 'muster/story/s').split('\n').sort()
  const files = world.git('ls-tree', '-r', '--format=%(path) %(objectname)', 'muster/story/s')
  const started = world.started()
  // Which run it was may differ: an interrupted one counts. That it was told once may not.
  const notices = (await world.notices()).map(({ key }) => key.replace(/\.r\d+$|(?:\.check\.\d+)?(?::\d+)+$/, ''))
  return {
    tasks,
    landings,
    files,
    startedTwice: started.filter((run, index) => started.indexOf(run) !== index),
    notices: [...notices].sort(),
    pending: (await world.store.pendingIntents()).map(({ key }) => key),
    history: (await world.store.verifyHistory()).bad,
    workspaces: world.workspacesLeft(),
    branches: world.git('for-each-ref', '--format=%(refname)', 'refs/heads').split('\n'),
  }
}

async function scenario(point: CrashPoint | null) {
  const world = await prepare()
  try {
    const ports = new CrashingPorts(point)
    await drive(world, ports)
    if (point !== null) {
      await ports.crashed
      await ports.bury()
      await world.store.close()
      await drive(world, new CrashingPorts(null))
    }
    return { state: await finalState(world), points: ports.seen }
  } finally {
    await world.dispose()
  }
}

const whole = await scenario(null)
const chosen = samplePoints(whole.points, sampleSize)

test('the scenario without a crash ends as it should, and has writes and effects of every kind', () => {
  expect(whole.state.tasks.map(({ status, round }) => [status, round])).toEqual([
    ['completed', 0],
    ['completed', 1],
    ['completed', 0],
    ['completed', 0],
  ])
  expect(whole.state.tasks.map(({ checker, waived }) => [checker.status, waived])).toEqual([
    ['passed', undefined],
    ['none', undefined],
    ['failed', 'three is fine'],
    ['none', undefined],
  ])
  expect(whole.state).toMatchObject({
    startedTwice: [],
    notices: ['checked-FAIL:s-3', 'crash:s-2', 'story:s:SHIPPABLE'],
    pending: [],
    history: null,
    workspaces: [],
  })
  expect(new Set(whole.points)).toEqual(
    new Set([
      'store.commit',
      'store.pin',
      'runtime.start',
      'channel.send',
      ...['ensureBranch', 'checkout', 'snapshot', 'merge', 'land', 'publish', 'retire', 'remove'].map(
        (name) => `workspaces.${name}`,
      ),
    ]),
  )
})

/** Where it cannot go on it stops, and says so; the next start goes on. Where it can, it does. */
async function failing(at: number) {
  const world = await prepare()
  try {
    const ports = new CrashingPorts({ at, side: 'fails' })
    const stopped = await drive(world, ports).catch((error: Error) => error.message)
    await world.engine.stop(true)
    await ports.bury()
    await world.store.close()
    await drive(world, new CrashingPorts(null))
    return { state: await finalState(world), stopped, what: ports.seen[at - 1] ?? '' }
  } finally {
    await world.dispose()
  }
}

const failures = chosen.filter(({ side }) => side === 'before').map(({ at }) => at)

test.for(failures)(
  'F-1 a full or broken disk at point %i: it goes on, or stops with a reason and goes on later',
  async (at) => {
    const { state, stopped, what } = await failing(at)
    // Only who can store nothing any more stops; a command that finds the disk full is told, and typed again.
    expect(what === 'store.commit' || what === 'workspaces.ensureBranch' || stopped === undefined).toBe(true)
    // A judge that could not be started leaves it to a person; the work is the same.
    const ends = ({ tasks, files, landings, history, pending }: typeof state) => {
      return { ends: tasks.map(({ id, status }) => [id, status]), files, landings, history, pending }
    }
    expect(ends(state)).toEqual(ends(whole.state))
  },
)

test.for(chosen)('F-1, L3, L6, E-30 a crash $side point $at and a restart end in the same state', async (point) => {
  const { state } = await scenario(point)
  expect(state).toEqual(whole.state)
})
