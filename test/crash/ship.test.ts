/**
 * Crash everywhere between Ship and the end: at every write and effect of it, before and after, then a restart. One merge,
 * at most one deploy, and the same end; `npm test` takes a sample, `npm run soak` all.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { storyView } from '../../src/engine/views/views.ts'
import { World } from '../support/world.ts'
import type { CrashPoint } from './points.ts'
import { CrashingPorts } from './points.ts'
import { samplePoints } from './sample.ts'

const sampleSize = 5

async function prepare(): Promise<World> {
  const world = await World.create({ config: 'landing: { push: true }' })
  const remote = join(world.top, 'remote.git')
  execFileSync('git', ['clone', '-q', '--bare', world.repository, remote], { stdio: 'pipe' })
  execFileSync('git', ['config', 'core.logAllRefUpdates', 'always'], { cwd: remote })
  world.git('remote', 'add', 'origin', remote)
  world.agent('implementer', 'echo one >one; verdict pass')
  for (const name of ['deploy', 'smoke']) {
    writeFileSync(join(world.top, `${name}.sh`), `echo "$MUSTER_DEPLOY_KEY" >>'${world.top}/${name}.ran'\n`)
  }
  const file = join(world.repository, 'muster.yaml')
  const more = `deploy: sh ${world.top}/deploy.sh\npostDeploy: sh ${world.top}/smoke.sh\n`
  writeFileSync(file, readFileSync(file, 'utf8') + more)
  await world.run('  - { id: 1, name: One }\n')
  await world.stop()
  return world
}

/** Ships what can be shipped, or goes on; safe to call again after a crash. */
async function drive(world: World, ports: CrashingPorts): Promise<void> {
  const go = async () => {
    await world.start((parts) => ports.wrap(parts))
    const { state } = (await world.store.standing('s'))?.standing ?? {}
    if (state === 'SHIPPABLE') await world.commands.ship({ story: 's', how: 'ship', message: '', by: 'tester' })
    await world.settled()
    await world.engine.stop()
  }
  await Promise.race([go(), ports.crashed])
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
    const { state, message } = await storyView(world.store, (await world.store.story('s'))!)
    const ran = (name: string) =>
      existsSync(join(world.top, `${name}.ran`))
        ? readFileSync(join(world.top, `${name}.ran`), 'utf8').split('\n').length - 1
        : 0
    const there = (...args: string[]) =>
      execFileSync('git', args, { cwd: join(world.top, 'remote.git'), encoding: 'utf8' }).trimEnd()
    return {
      points: ports.seen,
      end: {
        state,
        message,
        deploys: ran('deploy'),
        branches: world.git('for-each-ref', '--format=%(refname)', 'refs/heads'),
        pushed: there('rev-parse', 'main') === world.git('rev-parse', 'main'),
        pushes: there('reflog', 'show', 'main').split('\n').length,
        merges: world.git('log', '--first-parent', '--merges', '--format=%s', 'main').split('\n'),
        files: world.git('ls-tree', '-r', '--name-only', 'main'),
        pending: (await world.store.pendingIntents()).map(({ key }) => key),
        history: (await world.store.verifyHistory()).bad,
        workspaces: world.workspacesLeft(),
      },
    }
  } finally {
    await world.dispose()
  }
}

const whole = await scenario(null)
const chosen = samplePoints(whole.points, sampleSize)

test('without a crash it is merged once, deployed once and ready to be reviewed', () => {
  expect(whole.end).toMatchObject({
    state: 'REVIEW_READY',
    message: null,
    deploys: 1,
    pending: [],
    history: null,
    workspaces: [],
  })
  expect(whole.end.merges.length).toBe(1)
  expect(whole.end).toMatchObject({ pushed: true, pushes: 1, branches: 'refs/heads/main' })
})

test.for(chosen)(
  'F-1, E-5, S0.9 a crash $side point $at and a restart: one merge, one deploy, the same end',
  async (point) => {
    expect((await scenario(point)).end).toEqual(whole.end)
  },
)
