/**
 * Lies by whoever has the nonce: a judge that is a command has it in its environment, and what it runs can speak for it.
 * One is still believed; when it is not any more, its test here fails.
 */
import { afterEach, expect, test } from 'vitest'
import type { World } from '../support/world.ts'
import { ABSENT, CARELESS, whenJudged } from './judges.ts'
import { type Lie, tasksOf, tell } from './project.ts'

let world: World
afterEach(() => world.dispose())

const PASS = `printf '{"verdict":"pass","nonce":"%s"}' "$MUSTER_NONCE" >"$MUSTER_VERDICT_FILE"`

async function standing(deed: string, checker: string) {
  const lie: Lie = { key: 'lie', says: '', cites: '', deed: whenJudged(deed), checker, caught: 'checker', why: /./ }
  world = await tell([lie])
  await world.run(tasksOf([lie]))
  return world.task('s-lie')
}

test('E-19 a liar that kills its checker, and has answered in its place, is not believed: a judge must end well', async () => {
  const task = await standing(`${PASS}; kill -9 0`, `${CARELESS}look; answer`)
  expect(task).toMatchObject({ status: 'in-progress', checkerReport: { kind: 'error' } })
  expect(task.checkerReport?.text).toMatch(/^it says PASS, but ended with/)
})

test.fails('E-1, E-19 a liar that answers in the place of a checker which runs it and says nothing itself', async () => {
  expect((await standing(PASS, ABSENT)).status).not.toBe('completed')
})
