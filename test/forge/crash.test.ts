/**
 * A crash before and after everything that Muster does at a forge, and a restart: the same end, with one pull request,
 * merged once. `npm run soak` takes every point; otherwise those where something could be done twice.
 */
import { expect, test } from 'vitest'
import type { CrashPoint } from '../crash/points.ts'
import { CrashingPorts } from '../crash/points.ts'
import { GitHubWorld } from './support.ts'

const CONFIG =
  'phases: { implement: { run: agent implementer, on_pass: review }, review: { run: signal pr-review, on_pass: ready, on_fail: implement }, ready: { run: action mark-ready, on_pass: land, on_fail: implement }, land: { run: action merge, on_pass: done, on_fail: implement } }\n'

async function drive({ world, github }: GitHubWorld, ports: CrashingPorts): Promise<void> {
  const go = async () => {
    await world.start((parts) => ports.wrap(parts))
    await world.submit('  - { id: 1, name: One }\n')
    await world.settled()
    const isOpen = github.pulls.some(({ state }) => state === 'open')
    if (isOpen && github.reviews.length === 0) github.review('APPROVED')
    world.engine.look()
    await world.settled()
    await world.engine.stop()
  }
  await Promise.race([go(), ports.crashed])
}

async function scenario(point: CrashPoint | null) {
  const here = await GitHubWorld.create({ config: CONFIG })
  const { world, github } = here
  try {
    world.agent('s-1', 'echo one >one.txt; verdict pass')
    const ports = new CrashingPorts(point)
    await drive(here, ports)
    if (point !== null) {
      await ports.crashed
      await ports.bury()
      await world.store.close()
      await drive(here, new CrashingPorts(null))
    }
    const { status, round, attempt, pr } = await world.task('s-1')
    const state = {
      task: { status, round, attempt, pr: pr?.replace(github.url, '') },
      pulls: github.pulls.map(({ state, draft }) => ({ state, draft })),
      merges: github.git.run('rev-list', '--count', '--merges', github.pull().base),
      same: world.git('rev-parse', 'muster/story/s') === github.pull().mergedAs,
      statuses: new Set(github.statuses.map(({ context, state }) => `${context} ${state}`)),
      pending: (await world.store.pendingIntents()).map(({ key }) => key),
      history: (await world.store.verifyHistory()).bad,
    }
    return { state, points: ports.seen }
  } finally {
    await here.dispose()
  }
}

const whole = await scenario(null)

test('without a crash it ends as it should, and does everything that can be done at a forge', () => {
  expect(whole.state).toMatchObject({
    task: { status: 'completed', round: 0, attempt: 1, pr: '/acme/shop/pull/1' },
    pulls: [{ state: 'closed', draft: false }],
    merges: '1',
    same: true,
    pending: [],
    history: null,
  })
  const names = new Set(whole.points.filter((name) => name.startsWith('forge.')))
  expect(names).toEqual(
    new Set(['meet', 'publish', 'ensure', 'status', 'markReady', 'merge', 'follow'].map((name) => `forge.${name}`)),
  )
})

const all = whole.points.flatMap((name, index): (CrashPoint & { name: string })[] =>
  name.startsWith('forge.')
    ? [
        { name, at: index + 1, side: 'before' },
        { name, at: index + 1, side: 'after' },
      ]
    : [],
)
const chosen = process.env['MUSTER_SOAK']
  ? all
  : ['forge.publish', 'forge.ensure', 'forge.merge'].flatMap(
      (name) => all.find((one) => one.name === name && one.side === 'after') ?? [],
    )

test.for(chosen)('E-30, L6 a crash $side $name and a restart end in the same state', async ({ at, side }) => {
  const { state } = await scenario({ at, side })
  expect(state).toEqual(whole.state)
})
