/** A role does what its project says, whatever it is called: a judge by any name, and an author called like a judge. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { statistics } from '../../src/engine/views/stats.ts'
import { World } from '../support/world.ts'

let world: World
afterEach(() => world.dispose())

const names = async (id: string) => (await world.runs(id)).map(({ name }) => name)

describe('a judge called gatekeeper', () => {
  const PHASES =
    'phases: { implement: { run: agent implementer, on_pass: look }, look: { run: agent gatekeeper, on_pass: land, on_fail: implement, attempts: 3 }, land: { run: action merge, on_pass: done, on_fail: implement } }'
  const ONE = '  - { id: 1, name: One, acceptance_criteria: ["word.txt says word"] }\n'

  /** `said`: by muster.yaml, or by the definition of the role. */
  async function begin(said: 'entry' | 'definition'): Promise<void> {
    const keys: Record<string, string> = said === 'entry' ? { gatekeeper: 'does: judge' } : {}
    world = await World.create({ roles: ['implementer', 'gatekeeper'], keys, config: PHASES })
    if (said === 'definition') {
      mkdirSync(join(world.repository, '.muster/agents'), { recursive: true })
      const front = '---\nname: gatekeeper\ndoes: judge\n---\n'
      writeFileSync(join(world.repository, '.muster/agents/gatekeeper.md'), `${front}Let nothing bad pass.\n`)
    }
    world.agent('implementer', 'echo word >word.txt; echo "$MUSTER_ATTEMPT" >>word.txt; verdict pass "it says word"')
  }

  test.each(['entry', 'definition'] as const)(
    'is asked, answers the criteria and sends back, as its %s says that it judges',
    async (said) => {
      await begin(said)
      world.agent('gatekeeper.1', 'verdict fail "not loud enough"')
      world.agent('gatekeeper', 'gate look; verdict pass')
      const look = world.gate('look')
      await world.start()
      await world.submit(ONE)
      await world.until((event) => event.type === 'run-started' && event['run'] === 's-1.r4')
      expect(await world.task('s-1')).toMatchObject({ stage: 'checking', round: 1, attempt: 2 })
      await look.open()
      await world.settled()
      expect(await world.task('s-1')).toMatchObject({ status: 'completed', attempt: 2 })
      const judged = ['implementer', 'gatekeeper', 'implementer', 'gatekeeper']
      expect((await names('s-1')).slice(0, 4)).toEqual(judged)
      expect(world.prompt('s-1.r3')).toContain('[gatekeeper] not loud enough')
      for (const told of [
        '- c1: word.txt says word',
        'it says word',
        '+word',
        said === 'definition' ? 'Let nothing bad pass.' : 'gatekeeper',
      ]) {
        expect(world.prompt('s-1.r4')).toContain(told)
      }
      expect(world.requests.filter(({ judge }) => judge).map(({ role }) => role)).toEqual(['gatekeeper', 'gatekeeper'])
      expect((await world.store.task('s-1'))?.state.answers?.by).toEqual({ c1: 'gatekeeper' })
      expect(world.git('log', '-1', '--format=%B', 'muster/story/s')).toContain('The gatekeeper passed this.')
      expect(world.workspacesLeft()).toEqual([])
      expect((await statistics(world.store)).judges).toMatchObject([{ role: 'gatekeeper', PASS: 1, FAIL: 1 }])
    },
  )

  test('changes nothing: what it says after it changed the checkout does not count', async () => {
    await begin('entry')
    world.agent('gatekeeper', 'echo better >word.txt; verdict pass')
    await world.run(ONE)
    const { held } = (await world.store.task('s-1'))?.state ?? {}
    expect(held).toMatchObject({ code: 'cannot-run', params: { who: 'gatekeeper' } })
    expect(await world.task('s-1')).toMatchObject({ status: 'in-progress', attempt: 1 })
  })

  test('is overruled by the person who accepts over what it found, in so many words', async () => {
    await begin('entry')
    world.agent('gatekeeper', 'verdict fail "still not loud enough"')
    await world.run(ONE)
    expect((await world.store.task('s-1'))?.state.held).toMatchObject({ code: 'attempts', params: { judged: true } })
    await expect(world.accept('s-1')).rejects.toMatchObject({ code: 'usage' })
    await world.accept('s-1', 'loud enough for me')
    await world.settled()
    expect(await world.task('s-1')).toMatchObject({
      status: 'completed',
      waiver: { criteria: expect.arrayContaining(['gatekeeper']) },
    })
  })
})

describe('an author called link-checker', () => {
  const LINKS =
    'phases: { implement: { run: agent implementer, on_pass: links }, links: { run: agent link-checker, on_pass: land }, land: { run: action merge, on_pass: done, on_fail: implement } }'
  const keys = { 'link-checker': 'does: work' }

  test('does its step of a map: its files are the result, as an attempt of its own', async () => {
    world = await World.create({ roles: ['implementer', 'link-checker'], keys, config: LINKS })
    world.agent('implementer', 'echo "[a](b)" >links.md; verdict pass')
    world.agent('link-checker', 'echo "[a](c)" >links.md; verdict pass')
    await world.run('  - { id: 1, name: Mend the links }\n')
    expect(await world.task('s-1')).toMatchObject({ status: 'completed', attempt: 2 })
    expect(world.git('show', 'muster/story/s:links.md')).toBe('[a](c)')
    expect(world.requests.map(({ judge }) => judge)).toEqual([false, false])
    expect(world.prompt('s-1.r2')).toContain('You are the link-checker of task s-1, attempt 2')
    expect((await statistics(world.store)).judges).toEqual([])
  })

  test('takes the place of the implementer in a task that names it, and is tried again', async () => {
    world = await World.create({ roles: ['implementer', 'link-checker'], keys })
    world.agent('link-checker.1', 'gate work; exit 1')
    world.agent('link-checker', 'echo "[a](c)" >links.md; verdict pass')
    const work = world.gate('work')
    await world.start()
    await world.submit('  - { id: 1, name: Mend the links, agent: link-checker }\n')
    await world.until((event) => event.type === 'run-started' && event['run'] === 's-1.r1')
    expect(await world.task('s-1')).toMatchObject({ stage: 'running', attempt: 1 })
    await work.open()
    await world.settled()
    expect(await world.task('s-1')).toMatchObject({ status: 'completed', attempt: 2 })
    expect(world.git('show', 'muster/story/s:links.md')).toBe('[a](c)')
  })
})

test('a planner called architect writes the plan that its task is done by', async () => {
  const config =
    'phases: { plan: { run: agent architect, on_pass: agree }, agree: { run: signal plan-approval, on_pass: implement, on_fail: plan }, implement: { run: agent implementer, on_pass: land }, land: { run: action merge, on_pass: done, on_fail: implement } }'
  const keys = { architect: 'does: plan' }
  world = await World.create({ roles: ['implementer', 'architect'], keys, config })
  world.agent('architect', 'echo "Write one word."; echo left >left.txt; verdict pass')
  world.agent('implementer', 'echo word >word.txt; verdict pass')
  await world.run('  - { id: 1, name: One }\n')
  expect(await world.task('s-1')).toMatchObject({ stage: 'review', attempt: 0 })
  expect((await world.task('s-1')).plans).toMatchObject([{ text: 'Write one word.' }])
  await world.accept('s-1')
  await world.settled()
  expect(await world.task('s-1')).toMatchObject({ status: 'completed', attempt: 1 })
  expect(world.prompt('s-1.r2')).toContain('## The approved plan')
  expect(world.git('ls-tree', '--name-only', 'muster/story/s').split('\n')).toEqual(['README.md', 'word.txt'])
})

test('a plan stays the same plan when muster.yaml says that a role of its map does something else', async () => {
  world = await World.create({ roles: ['implementer', 'gatekeeper'], keys: { gatekeeper: 'does: judge' } })
  const phases =
    '{ work: { run: agent implementer, on_pass: look }, look: { run: agent gatekeeper, on_pass: agree, on_fail: work }, agree: { run: signal human-approval, on_pass: land, on_fail: work }, land: { run: action merge, on_pass: done, on_fail: work } }'
  const tasks = `  - { id: 1, name: One, phases: ${phases} }\n`
  world.agent('gatekeeper', 'verdict pass')
  await world.run(tasks)
  expect(await world.task('s-1')).toMatchObject({ phase: 'agree', attempt: 1 })
  await world.stop()
  const file = join(world.repository, 'muster.yaml')
  writeFileSync(file, readFileSync(file, 'utf8').replace('does: judge', 'does: work'))
  await world.start()
  await world.submit(tasks)
  expect((await world.store.task('s-1'))?.spec.phases[1]?.step.does).toBe('judge')
  await world.accept('s-1')
  await world.settled()
  expect(await world.task('s-1')).toMatchObject({ status: 'completed', attempt: 1 })
})
