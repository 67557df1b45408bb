/**
 * Lies that are still believed, each with the reason. When one is not believed any more, its test here fails: move it to
 * the others then. A judge that is a command has its nonce in its environment, and whoever has the nonce speaks for it.
 */
import { afterEach, expect, test } from 'vitest'
import type { World } from '../support/world.ts'
import { ABSENT, CARELESS, whenJudged } from './judges.ts'
import { type Lie, tasksOf, tell } from './project.ts'

let world: World
afterEach(() => world.dispose())

const PASS = `printf '{"verdict":"pass","nonce":"%s"}' "$MUSTER_NONCE" >"$MUSTER_VERDICT_FILE"`

test.fails.each([
  [
    'E-19 kills its checker, and has answered in its place: how a judge ended does not matter',
    `${PASS}; kill -9 0`,
    `${CARELESS}look; answer`,
  ],
  ['E-1, E-19 answers in the place of a checker that runs it and says nothing itself', PASS, ABSENT],
])('a liar that %s', async (_, deed, checker) => {
  const lie: Lie = { key: 'lie', says: '', cites: '', deed: whenJudged(deed), checker, caught: 'checker', why: /./ }
  world = await tell([lie])
  await world.run(tasksOf([lie]))
  expect((await world.task('s-lie')).status).not.toBe('completed')
})
