/** A task whose plan waits for a person: for the test of its page and its picture. */
import { Api } from '../support/http.ts'
import { World } from '../support/world.ts'

export async function planWaits(title: string, answer: string): Promise<Api> {
  const world = await World.create({ config: 'phases: planned\n', programs: { implementer: 'claude' } })
  world.agent('planner', `tell '${JSON.stringify({ answer })}'; verdict pass`)
  const api = await Api.of(world)
  await world.submit(`  - { id: 1, name: ${title} }\n`)
  await world.settled()
  return api
}
