/** What is kept of a run. */
import { afterEach, expect, test } from 'vitest'
import { World } from '../support/world.ts'

let world: World
afterEach(() => world.dispose())

test('S4.17 what a judge said of each criterion is kept with its run, and an author’s run has none of that', async () => {
  world = await World.create({ config: 'phases: checked', roles: ['implementer', 'checker'] })
  world.agent(
    'checker',
    `printf '{"verdict":"fail","nonce":"%s","criteria":[{"id":"c1","status":"FAIL","note":"they are not"}]}' "$MUSTER_NONCE" >"$MUSTER_VERDICT_FILE"`,
  )
  const criteria = '[{ description: The names are clear, judge: checker }]'
  await world.run(`  - { id: 1, name: Write it, contract: { type: verifiable, criteria: ${criteria} } }\n`)
  const kept = async (task: string) => (await world.runs(task)).map(({ end }) => end?.facts.criteria)
  expect(await kept('s-1.check.1')).toEqual([[{ id: 'c1', met: false, note: 'they are not' }]])
  expect((await kept('s-1'))[0]).toBeUndefined()
})
