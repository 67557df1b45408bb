/** Checks of a part of the project: which changes concern them, and what is said of those that do not. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { World } from '../support/world.ts'

let world: World
afterEach(() => world.dispose())

const of = (own: string, ...uses: string[]) =>
  JSON.stringify(['**', '!packages/*/**', ...[own, ...uses].map((name) => `packages/${name}/**`)])
/** Both may move on, but not together. */
const FITS = '[ "$(cat packages/core/v)$(cat packages/api/v)" != 22 ]'
const CHECKS = `checks:
  api: { run: '${FITS}', paths: ${of('api', 'core')} }
  web: { run: 'test ! -e packages/web/broken', paths: ${of('web')} }
`

async function monorepo(): Promise<void> {
  world = await World.create({ config: CHECKS })
  for (const name of ['api', 'core', 'web']) {
    mkdirSync(join(world.repository, 'packages', name), { recursive: true })
    writeFileSync(join(world.repository, 'packages', name, 'v'), '1\n')
  }
  world.git('add', 'packages')
  world.git('-c', 'user.name=A', '-c', 'user.email=a@example.invalid', 'commit', '-qm', 'Packages')
}

/** What became of the checks in the last verification of a task. */
async function answers(id: string): Promise<Record<string, string>> {
  const { results } = await world.task(id)
  const ours = results?.criteria.filter(({ activity }) => activity === 'api' || activity === 'web') ?? []
  return Object.fromEntries(ours.map(({ activity, status }) => [activity, status]))
}

const inTurn = (count: number) =>
  Array.from({ length: count }, (_, at) => `  - { id: ${at + 1}, name: N${at}, depends_on: [${at || ''}] }\n`).join('')

test('a check runs on changes in its paths, and is skipped with the reason on others, never passed', async () => {
  await monorepo()
  world.agent('s-1', 'echo 2 >packages/web/v; verdict pass')
  world.agent('s-2', 'echo 2 >packages/core/v; verdict pass')
  world.agent('s-3', 'echo 2 >settings.json; verdict pass')
  world.agent('s-4', 'git mv packages/web/v packages/core/w; verdict pass')
  await world.run(inTurn(4))
  expect(await answers('s-1')).toEqual({ api: 'skipped', web: 'pass' })
  expect(await answers('s-2')).toEqual({ api: 'pass', web: 'skipped' })
  expect(await answers('s-3')).toEqual({ api: 'pass', web: 'pass' })
  expect(await answers('s-4')).toEqual({ api: 'pass', web: 'pass' })
  const { results } = await world.task('s-1')
  expect(results?.criteria.find(({ activity }) => activity === 'api')).toMatchObject({
    evidence: null,
    error: 'not run: the change does not touch its paths (**, !packages/*/**, packages/api/**, packages/core/**)',
  })
})

test('a check that a task lists always runs', async () => {
  await monorepo()
  world.agent('s-1', 'echo 2 >packages/web/v; verdict pass')
  await world.run('  - { id: 1, name: One, checks: [api] }\n')
  expect(await answers('s-1')).toEqual({ api: 'pass', web: 'pass' })
})

test('E-23 on a target that moved, the check of a part sees what both changes make of it', async () => {
  await monorepo()
  const [first, second] = [world.gate('first'), world.gate('second')]
  world.agent('s-1', 'gate first; echo 2 >packages/api/v; verdict pass')
  world.agent('s-2.implementer.1', 'gate second; echo 2 >packages/core/v; verdict pass')
  world.agent('s-2', 'echo 3 >packages/core/v; verdict pass')
  await world.landInTurn(first, second)
  // Each was green alone. The second touches no file of `api`, and breaks it.
  expect(await world.task('s-2')).toMatchObject({ status: 'completed', attempt: 2 })
  expect((await world.task('s-2')).findings[0]?.message).toContain('api')
  expect(await answers('s-2')).toEqual({ api: 'pass', web: 'skipped' })
  expect(world.git('show', 'muster/story/s:packages/core/v')).toBe('3')
})

test('H-1 the script of a check is protected although the change that replaces it touches none of its paths', async () => {
  world = await World.create({ config: "checks: { links: { run: ./links.sh, paths: ['docs/**'] } }\n" })
  writeFileSync(join(world.repository, 'links.sh'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
  world.git('add', 'links.sh')
  world.git('-c', 'user.name=A', '-c', 'user.email=a@example.invalid', 'commit', '-qm', 'Links')
  world.agent('s-1', "printf '#!/bin/sh\\n' >links.sh; verdict pass")
  await world.run(inTurn(1))
  const { stage, waitingFor } = await world.task('s-1')
  expect({ stage, waitingFor }).toEqual({ stage: 'review', waitingFor: expect.stringContaining('links.sh') as string })
})
