/** H-1: ways around the gate that were tried, each of which must stay closed, and waits that must end. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { World } from '../support/world.ts'
import { BY_PERSON } from '../support/maps.ts'

let world: World
afterEach(() => world.dispose())

const land = 'land: { run: action merge, on_pass: done, on_fail: implement }'
const mapOf = (...phases: string[]) => `phases:\n${[...phases, land].map((phase) => `  ${phase}\n`).join('')}`
const implement = (next: string) => `implement: { run: agent implementer, on_pass: ${next}, on_fail: implement }`
const NAMES = '{ description: The names are clear, judge: checker }'
const written = (...criteria: string[]) => `contract: { type: verifiable, criteria: [${criteria.join(', ')}] }`
const BOTH = written(NAMES, '{ description: The colours fit, judge: person }')
const said = (verdict: string, ...answers: [id: string, status: string, note: string][]) => {
  const criteria = JSON.stringify(answers.map(([id, status, note]) => ({ id, status, note })))
  return `printf '{"verdict":"${verdict}","nonce":"%s","criteria":${criteria}}' "$MUSTER_NONCE" >"$MUSTER_VERDICT_FILE"`
}
const onStory = () => world.git('ls-tree', '-r', '--name-only', 'muster/story/s').split('\n')

describe('work that changes how work is judged', () => {
  const CI = 'protectedPaths: ["ci/**"]'
  const held = async () => {
    world = await World.create({ config: `phases: direct\n${CI}` })
    world.agent('s-1.implementer.1', 'mkdir -p ci; echo x >ci/x; verdict pass')
    world.agent('s-1.implementer.2', 'verdict pass')
    await world.run('  - { id: 1, name: One }\n')
    expect((await world.task('s-1')).waitingFor).toContain('it changes protected paths: ci/x')
  }
  const retry = () => world.commands.retry({ task: 's-1', by: 'tester' })

  test.each<[string, () => Promise<unknown>]>([
    ['retry', () => retry()],
    ['reject, and the author changes nothing', () => world.reject('s-1', 'leave ci alone')],
    [
      'cancel and retry',
      async () => {
        await world.commands.cancel({ task: 's-1', reason: 'no', by: 'tester' })
        await retry()
      },
    ],
  ])('does not land by %s: a person says that it is fine', async (_, deed) => {
    await held()
    await deed()
    await world.settled()
    expect(await world.task('s-1')).toMatchObject({ status: 'in-progress', stage: 'review' })
    expect(onStory()).toEqual(['README.md'])
  })

  test('who says so has said nothing about what the checker is to answer', async () => {
    world = await World.create({ config: `phases: checked\n${CI}`, roles: ['implementer', 'checker'] })
    world.agent('implementer', 'mkdir -p ci; echo x >ci/x; verdict pass')
    await world.run(`  - { id: 1, name: Write it, ${BOTH} }\n`)
    await world.accept('s-1', 'the pipeline change is fine')
    await world.settled()
    const task = await world.task('s-1')
    expect(world.started()).toEqual(['s-1.r1', 's-1.check.1.r1'])
    expect(task.results?.criteria.slice(0, 2)).toMatchObject([{ status: 'pass' }, { status: 'pending' }])
    expect(task).toMatchObject({ stage: 'review', waiver: { criteria: ['protected-paths'] } })
  })
})

describe('answers', () => {
  test('a judge never answers for a person', async () => {
    world = await World.create({ config: 'phases: checked', roles: ['implementer', 'checker'] })
    world.agent('checker', said('pass', ['c1', 'PASS', 'clear'], ['c2', 'PASS', 'I like them']))
    await world.run(`  - { id: 1, name: Write it, ${BOTH} }\n`)
    const task = await world.task('s-1')
    expect(task).toMatchObject({ stage: 'review', phase: 'accept' })
    expect(task.results?.criteria[1]).toMatchObject({ id: 'c2', status: 'pending' })
  })

  test('a later judge’s "not met" takes an earlier answer back; overruled, it is waived with who and why', async () => {
    const map = mapOf(
      implement('one'),
      'one: { run: agent code-reviewer, on_pass: two, on_fail: implement }',
      'two: { run: agent verifier, on_pass: land, on_fail: implement, attempts: 1 }',
    )
    world = await World.create({ roles: ['implementer', 'code-reviewer', 'verifier'], config: map })
    world.agent('code-reviewer', said('pass', ['c1', 'PASS', 'fine']))
    world.agent('verifier', said('fail', ['c1', 'FAIL', 'the names are awful']))
    await world.run(`  - { id: 1, name: Write it, ${written(NAMES)} }\n`)
    await world.accept('s-1', 'we ship it anyway')
    await world.settled()
    const task = await world.task('s-1')
    expect(task).toMatchObject({ status: 'completed', caveats: ['verifier, c1 waived by tester'] })
    expect(task.results?.criteria[0]).toMatchObject({
      status: 'waived',
      note: 'waived by tester: we ship it anyway',
    })
  })

  test('an approval to land names the criteria that it answers', async () => {
    world = await World.create({ config: 'phases: direct\nprotected: [muster/story/s]' })
    await world.run(`  - { id: 1, name: Write it, ${BOTH} }\n`)
    const { waitingFor } = await world.task('s-1')
    expect(waitingFor).toContain('That also confirms c1, c2, which nobody has answered yet')
    expect((await world.notices()).map(({ text }) => text).join()).toContain('That also confirms c1, c2')
  })

  test('two waivers keep both names and both reasons', async () => {
    const map = mapOf(
      implement('verify'),
      'verify: { run: check contract, on_pass: ask, on_fail: implement, attempts: 1 }',
      'ask: { run: agent verifier, on_pass: land, on_fail: implement, attempts: 1 }',
    )
    world = await World.create({ config: `${map}checks: { api: "false" }`, roles: ['implementer', 'verifier'] })
    world.agent('verifier', 'verdict fail "no"')
    await world.run('  - { id: 1, name: One, checks: [api] }\n')
    const accept = async (by: string, message: string) => {
      await world.commands.decide({ kind: 'accept', task: 's-1', message, by })
      await world.settled()
    }
    await accept('ada', 'api is down')
    await accept('bob', 'style only')
    expect((await world.task('s-1')).waiver).toMatchObject({ by: 'ada; bob', reason: 'api is down; style only' })
  })
})

describe('what a subtask leaves to its parent', () => {
  const FAMILY = `  - { id: 1, name: Whole }\n  - { id: 2, name: Part, parent: 1, ${BOTH} }\n`
  /** The subtask is completed, and its parent has not started. */
  const between = async () => {
    world = await World.create({ config: 'phases: direct' })
    await world.start()
    await world.submit(FAMILY)
    await world.until(({ type, task }) => type === 'task-completed' && task === 's-2')
    await world.stop()
    await world.start()
  }
  const asked = async () => {
    const { contract, status } = await world.task('s-1')
    return { status, handed: contract?.criteria.flatMap(({ origin }) => origin?.id ?? []) }
  }

  test('is asked of a commit that a person submits for the parent', async () => {
    await between()
    const revision = world.commitOn('muster/task/s-1', 'mine', 'x')
    await world.commands.take({ task: 's-1', revision, by: 'tester' })
    await world.settled()
    expect(await asked()).toEqual({ status: 'in-progress', handed: ['c1', 'c2'] })
  })

  test('stays the parent’s when the plan has no such subtask any more', async () => {
    await between()
    await world.submit('  - { id: 1, name: Whole }\n')
    await world.settled()
    expect(await asked()).toEqual({ status: 'in-progress', handed: ['c1', 'c2'] })
  })

  test('does not burden the Ship when the parent was cancelled: that work is not in it', async () => {
    world = await World.create({ config: 'checks: { api: "test -f s-2.txt" }\nphases: direct' })
    await world.run(
      `  - { id: 1, name: Whole, phases: ${BY_PERSON} }\n  - { id: 2, name: Part, parent: 1, checks: [api] }\n  - { id: 3, name: Other }\n`,
    )
    await world.commands.cancel({ task: 's-1', reason: 'no', by: 'tester' })
    await world.commands.ship({ story: 's', how: 'ship', message: '', by: 'tester' })
    await world.settled()
    expect((await world.store.standing('s'))?.standing.state).toBe('REVIEW_READY')
  })
})

describe('landing', () => {
  test('work that somebody else brought to the target, with something broken, is verified as it stands there', async () => {
    const map = mapOf(
      implement('verify'),
      'verify: { run: check contract, on_pass: ask, on_fail: implement }',
      'ask: { run: signal human-approval, on_pass: land, on_fail: implement }',
    )
    world = await World.create({ config: `${map}checks: { api: "test ! -f broken" }` })
    await world.run('  - { id: 1, name: One, checks: [api] }\n')
    const { commit } = await world.task('s-1')
    world.git('branch', '-qf', 'muster/story/s', world.commitOn(commit ?? '', 'broken', 'x'))
    await world.accept('s-1')
    await world.settled()
    const task = await world.task('s-1')
    expect(task.status).toBe('in-progress')
    expect(task.findings.map(({ message }) => message).join()).toContain('c1 api')
  })

  test('on_wait does not lead a landing away from its verification', async () => {
    world = await World.create({
      config: `phases:
  implement: { run: agent implementer, on_pass: land, on_fail: implement }
  land: { run: action merge, on_pass: done, on_fail: implement, on_wait: ask }
  ask: { run: signal human-approval, on_pass: land, on_fail: implement }
`,
    })
    await world.run('  - { id: 1, name: One }\n')
    expect((await world.task('s-1')).status).toBe('completed')
  })

  test('a task that nobody works on now has no turn: a Ship does not wait for it', async () => {
    world = await World.create({ config: 'protected: []\nchecks: { api: "cat GATE" }\n' })
    world.gate('never')
    const file = join(world.repository, 'muster.yaml')
    writeFileSync(file, readFileSync(file, 'utf8').replace('GATE', join(world.top, 'gates/never')))
    await world.run('  - { id: 1, name: One }\n')
    const { id } = await world.add('Add the thing', { checks: ['api'] })
    world.engine.include(null)
    await world.until((event) => event.type === 'run-started' && event.task === id && event['name'] === 'contract')
    await world.stop()
    await world.start()
    await world.commands.ship({ story: 's', how: 'ship', message: '', by: 'tester' })
    await world.settled()
    expect((await world.task('s.ship.1')).status).toBe('completed')
  })

  test('one that is cancelled while its landing is looked at takes no turn', async () => {
    world = await World.create({ config: 'phases: direct' })
    let cancelling: Promise<unknown> | null = null
    await world.start((parts) => {
      const { merge } = parts.actions
      if (merge === undefined) throw new Error('there is a merge')
      const notYet: typeof merge.notYet = async (spec, state, config) => {
        const wait = await merge.notYet(spec, state, config)
        if (spec.id === 's-1') await (cancelling ??= world.commands.cancel({ task: 's-1', reason: 'no', by: 'tester' }))
        return wait
      }
      return { ...parts, actions: { ...parts.actions, merge: { ...merge, notYet } } }
    })
    await world.submit('  - { id: 1, name: One }\n  - { id: 2, name: Two }\n')
    await world.settled()
    expect((await world.task('s-2')).status).toBe('completed')
  })

  test('H-5 conflicts in the same file are the target’s doing, and no reason to stop the author', async () => {
    world = await World.create({ config: 'phases: direct' })
    const gates = [1, 2, 3, 4].map((n) => world.gate(`g${n}`))
    for (const n of [1, 2, 3, 4])
      world.agent(`s-1.implementer.${n}`, `echo "mine after other ${n - 1}" >line; echo up; gate g${n}; verdict pass`)
    await world.start()
    await world.submit('  - { id: 1, name: One }\n')
    for (const n of [1, 2, 3, 4]) {
      await world.until((event) => event.type === 'output' && event['run'] === `s-1.r${2 * n - 1}`)
      if (n < 4) world.git('branch', '-qf', 'muster/story/s', world.commitOn('muster/story/s', 'line', `other ${n}\n`))
      await gates[n - 1]?.open()
    }
    await world.settled()
    expect(await world.task('s-1')).toMatchObject({ status: 'completed', round: 3, attempt: 4 })
  })
})
