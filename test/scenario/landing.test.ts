/** Landing, beside what people.test.ts and moved.test.ts tell: in time with people, and exactly once. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { databaseFile, withCommands } from '../../src/app.ts'
import { pollTickMs } from '../../src/domain/limits.ts'
import { mergeAction } from '../../src/engine/steps/actions/merge.ts'
import { engineCommands } from '../../src/engine/commands.ts'
import { Engine } from '../../src/engine/loop/engine.ts'
import { openStore } from '../../src/store/store.ts'
import { BY_PERSON } from '../support/maps.ts'
import { World } from '../support/world.ts'

let world: World
afterEach(() => world.dispose())

const ONE = '  - { id: 1, name: One }\n'

test('L6 a cancellation in the middle of a landing waits for it and finds the task completed', async () => {
  world = await World.create()
  world.agent('s-1', 'echo one >one; verdict pass')
  let cancelling: Promise<unknown> | null = null
  await world.start((parts) => {
    const land: typeof parts.workspaces.land = (...args) => {
      cancelling = world.commands.cancel({ task: 's-1', reason: '', by: 'tester' })
      cancelling.catch(() => undefined)
      return parts.workspaces.land(...args)
    }
    return { ...parts, actions: { merge: mergeAction({ ...parts.workspaces, land }, parts.clock) } }
  })
  await world.submit(ONE)
  await world.settled()
  await expect(cancelling).rejects.toMatchObject({ code: 'gate_closed', message: 's-1 is completed already' })
  expect(world.git('show', 'muster/story/s:one')).toBe('one')
})

test('S1.26 decisions of people and of a second process never write over what the task says', async () => {
  world = await World.create({ config: `phases: ${BY_PERSON}` })
  world.agent('default', 'echo "$MUSTER_ATTEMPT" >a.txt; verdict pass')
  await world.run('  - { id: 1, name: One, description: All of these words., acceptance_criteria: "a.txt exists" }\n')
  const content = async (id: string) => {
    const task = await world.store.task(id)
    return { spec: task?.spec, definition: task?.definitionHash, contracts: await world.store.contracts(id) }
  }
  const before = await content('s-1')
  expect(before.spec).toMatchObject({ instructions: 'All of these words.', acceptanceCriteria: 'a.txt exists' })
  // It read the task before anybody decided, and does not know what happens here.
  const store = await openStore({ file: databaseFile(world.project) })
  const other = new Engine({ ...world.engine.parts, store })
  await other.load()
  await world.reject('s-1', 'not yet')
  await world.settled()
  const late = engineCommands(other).decide({ kind: 'accept', task: 's-1', message: 'fine', by: 'other' })
  await expect(late).rejects.toMatchObject({ code: 'conflict' })
  await store.close()
  const twice = await Promise.allSettled([world.accept('s-1'), world.accept('s-1')])
  expect(twice.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  await world.settled()
  expect(await world.task('s-1')).toMatchObject({ status: 'completed', attempt: 2 })
  expect(await content('s-1')).toEqual(before)
  const decisions = (await world.history('s-1')).filter(({ type }) => type === 'decision')
  expect(decisions.map(({ actor, data }) => [actor, data['kind']])).toEqual([
    ['tester', 'reject'],
    ['tester', 'accept'],
  ])
})

test('what waits for a clean checkout lands by itself once it is clean, while other tasks go on', async () => {
  world = await World.create({ config: 'protected: []' })
  const gate = world.gate('long')
  world.agent('task-1', 'echo changed >README.md; verdict pass')
  world.agent('task-2', 'gate long; work; verdict pass')
  // The look that comes every few seconds comes at once.
  await world.start((parts) => {
    const after: typeof parts.clock.after = (ms, callback) => parts.clock.after(ms === pollTickMs ? 5 : ms, callback)
    return { ...parts, clock: { ...parts.clock, after } }
  })
  writeFileSync(join(world.repository, 'README.md'), 'mine\n')
  const rest = { instructions: '', acceptanceCriteria: '', checks: [], expectedFiles: [], dependsOn: [] }
  for (const title of ['Change', 'Long']) {
    const task = { title, ...rest, story: null, agent: null, phases: null }
    await world.commands.add({ task, config: world.project.config })
  }
  const settled = world.engine.settled()
  await world.until((event) => event.type === 'run-ended' && event['outcome'] === 'WAIT')
  world.git('checkout', '-q', '--', 'README.md')
  await world.until((event) => event.type === 'task-completed' && event.task === 'task-1')
  expect(world.git('show', 'main:README.md')).toBe('changed')
  expect(await world.task('task-2')).toMatchObject({ stage: 'running' })
  await gate.open()
  await settled
})

test('L6 a squashed landing whose record was lost is found again, though others have changed its lines since', async () => {
  world = await World.create({ config: 'landing: squash' })
  world.agent('s-1', 'echo one >line; verdict pass')
  let broken = true
  await world.start((parts) => {
    const { land, isAncestor } = parts.workspaces
    const workspaces = {
      ...parts.workspaces,
      land: async (...args: Parameters<typeof land>) => {
        const landed = await land(...args)
        const [target] = args
        world.git('branch', '-qf', target, world.commitOn(target, 'line', 'person\n'))
        return landed
      },
      // The look at what became of it fails once: an ERROR, and another run.
      isAncestor: async (...args: Parameters<typeof isAncestor>) => {
        if (broken) {
          broken = false
          throw new Error('no more files')
        }
        return isAncestor(...args)
      },
    }
    return { ...parts, workspaces, actions: { merge: mergeAction(workspaces, parts.clock) } }
  })
  await world.submit(ONE)
  await world.settled()
  expect((await world.runs('s-1')).map(({ end }) => end?.outcome)).toEqual([
    'ADVANCE',
    'WAIT',
    'ADVANCE',
    'ERROR',
    // What stands there now is not what was verified: it is, before the task is done.
    'WAIT',
    'ADVANCE',
    'ADVANCE',
  ])
  expect(world.git('log', '--format=%s', 'muster/story/s').split('\n')).toEqual(['Change line', 'One', 'Start'])
})

test('L9, F-1 an end with many landings queued finishes the one under way and begins no other; the next start lands the rest', async () => {
  world = await World.create({ config: `phases: ${BY_PERSON}\nlimits: { maxWorkers: 8 }` })
  const ids = Array.from({ length: 8 }, (_, n) => n + 1)
  await world.run(ids.map((id) => `  - { id: ${id}, name: Part ${id} }\n`).join(''))
  await world.commands.pause({ paused: true })
  for (const id of ids) await world.accept(`s-${id}`)
  const landed = () => world.events.filter(({ type }) => type === 'task-completed').length
  await world.commands.pause({ paused: false })
  await world.until(({ type }) => type === 'task-completed')
  const before = landed()
  await world.engine.stop()
  expect(landed() - before).toBeLessThanOrEqual(1)
  await world.store.close()
  await world.start()
  await world.settled()
  expect(landed()).toBe(8)
})

test('L9 an end with many branches still to be shown shows the one under way; the next start shows the rest', async () => {
  world = await World.create({ config: `phases: ${BY_PERSON}\nlimits: { maxWorkers: 6 }` })
  const ids = Array.from({ length: 6 }, (_, n) => n + 1)
  const first = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  let [shown, later] = [0, 0]
  await world.start((parts) => {
    const clock = { ...parts.clock, steady: () => parts.clock.steady() + later }
    const publish: typeof parts.workspaces.publish = async (...args) => {
      shown += 1
      first.resolve()
      await gate.promise
      return parts.workspaces.publish(...args)
    }
    return { ...parts, clock, workspaces: { ...parts.workspaces, publish } }
  })
  await world.submit(ids.map((id) => `  - { id: ${id}, name: Part ${id} }\n`).join(''))
  for (const id of ids) await world.until(({ type, task }) => type === 'phase-entered' && task === `s-${id}`)
  await first.promise
  const stopped = world.engine.stop()
  // It takes longer than the moment that is left.
  later = 60_000
  gate.resolve()
  await stopped
  expect(shown).toBe(1)
  await world.store.close()
  await world.start()
  await world.settled()
  expect(world.git('branch', '--list', 'muster/task/*').split('\n')).toHaveLength(6)
})

test('what landed before Muster could write it down cannot be cancelled any more; the next Muster writes it down', async () => {
  world = await World.create()
  let dead = false
  await world.start((parts) => {
    const { land } = parts.workspaces
    const landed: typeof land = async (...args) => {
      const made = await land(...args)
      dead = true
      return made
    }
    const store = new Proxy(parts.store, {
      get(of, name: keyof typeof parts.store) {
        if (name === 'commit' && dead) return () => Promise.reject(new Error('it was killed'))
        const value: unknown = of[name]
        return typeof value === 'function' ? value.bind(of) : value
      },
    })
    return { ...parts, store, actions: { merge: mergeAction({ ...parts.workspaces, land: landed }, parts.clock) } }
  })
  await world.submit(ONE)
  await expect(world.settled()).rejects.toThrow('it was killed')
  await world.stop()
  const cancel = () => withCommands(world.project, world.env, (it) => it.cancel({ task: 's-1', reason: '', by: 'ann' }))
  await expect(cancel()).rejects.toMatchObject({
    code: 'gate_closed',
    message: expect.stringContaining('it landed on'),
  })
  await world.start()
  await world.settled()
  expect(await world.task('s-1')).toMatchObject({ status: 'completed' })
})

test('L6 a stop and a start find nothing new in landings that the database knows, however many there were', async () => {
  const map =
    '{ implement: { run: agent implementer, on_pass: land, on_fail: implement }, land: { run: action merge, on_pass: look, on_fail: implement }, look: { run: signal human-approval, on_pass: done, on_fail: implement } }'
  world = await World.create({ config: `phases: ${map}` })
  world.agent('default', 'echo "$MUSTER_ATTEMPT" >>one; verdict pass')
  await world.run(ONE)
  await world.reject('s-1', 'once more')
  await world.settled()
  await world.commands.cancel({ task: 's-1', reason: '', by: 'ann' })
  await world.stop()
  await world.start()
  await world.settled()
  expect((await world.task('s-1')).status).toBe('cancelled')
  expect((await world.history('s-1')).map(({ type }) => type)).not.toContain('landing-found')
})

test('H-1 a task that came with other words lands on no branch that is protected now', async () => {
  world = await World.create()
  await world.start()
  const nothing = { acceptanceCriteria: '', checks: [], expectedFiles: [], dependsOn: [], story: null }
  const task = { title: 'One', instructions: 'One', ...nothing, agent: null, phases: null }
  const { id } = await world.commands.add({ task, config: { ...world.project.config, protected: [] } })
  await world.engine.settled(null)
  expect((await world.task(id)).waitingFor).toContain('approve the landing on main')
})
