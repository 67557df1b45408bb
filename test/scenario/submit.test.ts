/** A person's own commit as an attempt: given by hand, or found on the task's branch. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { World } from '../support/world.ts'
import { BY_PERSON } from '../support/maps.ts'

let world: World
afterEach(() => world.dispose())

/** Commits a file on a branch of the user's repository, as a person would. */
function commit(branch: string, file: string, content: string): string {
  world.git('switch', '-q', branch)
  writeFileSync(join(world.repository, file), content)
  world.git('add', file)
  world.git('-c', 'user.name=Ann', '-c', 'user.email=ann@example.invalid', 'commit', '-qm', `Change ${file}`)
  const made = world.git('rev-parse', 'HEAD')
  world.git('switch', '-q', 'main')
  return made
}

test("a person's commit on the task's branch is a new attempt, is looked at anew, and lands", async () => {
  world = await World.create({ config: `phases: ${BY_PERSON}` })
  world.agent('s-1', 'echo agent >f; verdict pass')
  await world.run('  - { id: 1, name: One }\n')
  await world.accept('s-1')
  const made = commit('muster/task/s-1', 'f', 'person\n')
  await world.settled()
  const waiting = await world.task('s-1')
  expect(waiting).toMatchObject({ status: 'in-progress', phase: 'review', attempt: 2, round: 0, commit: made })
  const history = await world.history('s-1')
  expect(history.find(({ type }) => type === 'submitted')).toMatchObject({
    actor: 'Ann',
    data: { commit: made, attempt: 2 },
  })
  await world.accept('s-1')
  await world.settled()
  expect(await world.task('s-1')).toMatchObject({ status: 'completed' })
  expect(world.git('show', 'muster/story/s:f')).toBe('person')
})

test('an attempt after that starts from it, and its snapshot is shown again', async () => {
  world = await World.create({ config: `phases: ${BY_PERSON}` })
  world.agent('s-1.implementer.1', 'echo agent >f; verdict pass')
  world.agent('s-1.implementer.3', 'echo more >>f; verdict pass')
  await world.run('  - { id: 1, name: One }\n')
  commit('muster/task/s-1', 'f', 'person\n')
  await world.settled()
  await world.reject('s-1', 'and more')
  await world.settled()
  expect(await world.task('s-1')).toMatchObject({ attempt: 3, phase: 'review' })
  expect(world.git('show', 'muster/task/s-1:f')).toBe('person\nmore')
})

test('muster submit takes any commit, also for a task that failed; a completed one takes none', async () => {
  world = await World.create({ config: 'limits: { maxTaskRounds: 1 }' })
  world.agent('s-1', 'verdict fail "cannot do it"')
  await world.run('  - { id: 1, name: One }\n')
  expect(await world.task('s-1')).toMatchObject({ status: 'failed' })
  world.git('branch', 'mine', 'main')
  const made = commit('mine', 'f', 'person\n')
  await expect(world.commands.take({ task: 's-1', revision: 'nonsense', by: 'tester' })).rejects.toMatchObject({
    code: 'not_found',
  })
  await expect(world.commands.take({ task: 's-1', revision: '--all', by: 'tester' })).rejects.toMatchObject({
    code: 'not_found',
  })
  expect(await world.commands.take({ task: '1', revision: made.slice(0, 12), by: 'tester' })).toEqual({
    id: 's-1',
    commit: made,
  })
  await world.settled()
  expect(await world.task('s-1')).toMatchObject({ status: 'completed', attempt: 2 })
  expect(world.git('show', 'muster/story/s:f')).toBe('person')
  await expect(world.commands.take({ task: 's-1', revision: made, by: 'tester' })).rejects.toMatchObject({
    code: 'gate_closed',
  })
})

test('a task that waits for others takes no commit yet', async () => {
  world = await World.create({ config: `phases: ${BY_PERSON}` })
  await world.run('  - { id: 1, name: One }\n  - { id: 2, name: Two, depends_on: [1] }\n')
  await expect(world.commands.take({ task: 's-2', revision: 'main', by: 'tester' })).rejects.toMatchObject({
    code: 'gate_closed',
  })
})
