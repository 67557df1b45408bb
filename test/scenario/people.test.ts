/** The S2 scenarios about signals, and what people can do: gates, protected branches, pause. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { World } from '../support/world.ts'
import { BY_PERSON } from '../support/maps.ts'

let world: World
afterEach(() => world.dispose())

const ONE = '  - { id: 1, name: One, description: Do one thing. }\n'

describe('a signal', () => {
  test('S2.5, S2.9, S2.21 pending waits in place, without a round and without a write each time it is looked at', async () => {
    world = await World.create({ config: `phases: ${BY_PERSON}` })
    await world.run(ONE)
    expect(await world.task('s-1')).toMatchObject({ phase: 'review', stage: 'review', round: 0 })
    const events = (await world.history('s-1')).length
    for (let n = 0; n < 3; n++) {
      world.engine.touch(['s-1'])
      await world.settled()
    }
    expect((await world.history('s-1')).length).toBe(events)
  })

  test('S2.19 approved advances, and its message is kept with the task', async () => {
    world = await World.create({ config: `phases: ${BY_PERSON}` })
    await world.run(ONE)
    await world.accept('s-1', 'nicely done')
    await world.settled()
    expect(await world.task('s-1')).toMatchObject({ status: 'completed', round: 0 })
    const read = (await world.history('s-1')).find((event) => event.type === 'signal-read')
    expect(read).toMatchObject({ actor: 'tester', data: { outcome: 'ADVANCE', detail: 'nicely done' } })
  })

  test('S2.20, D-20 rejected sends it back with the message as a finding in the next prompt, and counts a round', async () => {
    world = await World.create({ config: `phases: ${BY_PERSON}` })
    world.agent('s-1.implementer.1', 'echo red >colour; verdict pass')
    world.agent('s-1.implementer.2', '[ "$(cat colour)" = red ] && echo blue >colour && verdict pass')
    await world.run(ONE)
    await world.reject('s-1', 'make it blue')
    await world.settled()
    expect(await world.task('s-1')).toMatchObject({ phase: 'review', round: 1, attempt: 2 })
    expect(world.prompt('s-1.r2')).toContain('[human-approval] make it blue')
    await world.accept('s-1')
    await world.settled()
    expect(world.git('show', 'muster/story/s:colour')).toBe('blue')
  })

  test('F-11 a decision about a version that is no more is refused; of two about the same, one counts', async () => {
    world = await World.create({ config: `phases: ${BY_PERSON}` })
    await world.run(ONE)
    const { version = 0 } = (await world.store.task('s-1')) ?? {}
    const decide = (kind: 'accept' | 'reject', at: number) =>
      world.commands.decide({ kind, task: 's-1', message: 'no', by: 'tester', version: at })
    await expect(decide('reject', version - 1)).rejects.toMatchObject({ code: 'conflict' })
    await expect(world.commands.cancel({ task: 's-1', reason: '', by: 'x', version: 1 })).rejects.toMatchObject({
      code: 'conflict',
    })
    expect(await world.store.task('s-1')).toMatchObject({ version })
    const both = await Promise.allSettled([decide('accept', version), decide('reject', version)])
    expect(both).toMatchObject([{ status: 'fulfilled' }, { status: 'rejected', reason: { code: 'conflict' } }])
    await world.settled()
    await expect(world.commands.retry({ task: 's-1', by: 'x', version })).rejects.toMatchObject({ code: 'conflict' })
    expect(await world.task('s-1')).toMatchObject({ status: 'completed', round: 0 })
  })

  test('F-11 a decision at the wrong moment is refused in words and changes nothing', async () => {
    world = await World.create({ config: `phases: ${BY_PERSON}` })
    const gate = world.gate('work')
    world.agent('s-1', 'gate work; work; verdict pass')
    await world.start()
    await world.submit(ONE)
    await world.until((event) => event.type === 'run-started')
    await expect(world.accept('s-1')).rejects.toMatchObject({ code: 'gate_closed' })
    await gate.open()
    await world.settled()
    await world.accept('s-1')
    await world.settled()
    await expect(world.reject('s-1', 'too late')).rejects.toMatchObject({ code: 'gate_closed' })
    expect(await world.task('s-1')).toMatchObject({ status: 'completed', round: 0 })
  })
})

describe('a protected branch', () => {
  test('a task of its own waits for approval, then lands on the checked-out base, files and all', async () => {
    world = await World.create()
    world.agent('task-1', 'echo hello >hello.txt; verdict pass')
    await world.start()
    await world.add('Alone')
    await world.engine.settled()
    const waiting = await world.task('task-1')
    expect(waiting).toMatchObject({ phase: 'land', stage: 'review', target: 'main' })
    expect(waiting.waitingFor).toContain('approve the landing on main')
    expect(world.git('log', '--oneline', 'main').split('\n')).toHaveLength(1)
    await world.commands.decide({ kind: 'approve', task: 'task-1', message: '', by: 'tester' })
    await world.engine.settled()
    expect(await world.task('task-1')).toMatchObject({ status: 'completed' })
    expect(world.git('show', 'main:hello.txt')).toBe('hello')
    expect(world.git('status', '--porcelain', '--untracked-files=no')).toBe('')
  })

  test('a dirty checkout makes it wait and say so; once clean it lands', async () => {
    world = await World.create()
    world.agent('task-1', 'echo changed >README.md; verdict pass')
    await world.start()
    await world.add('Alone')
    await world.engine.settled()
    writeFileSync(join(world.repository, 'README.md'), 'my own words\n')
    await world.commands.decide({ kind: 'approve', task: 'task-1', message: '', by: 'tester' })
    await world.engine.settled()
    const waiting = await world.task('task-1')
    expect(waiting).toMatchObject({ status: 'in-progress', stage: 'review' })
    const there = world.repository
    expect(waiting.waitingFor).toBe(
      `main is checked out in ${there} with uncommitted changes: README.md (commit there, or git -C ${there} stash)`,
    )
    expect(world.git('show', 'main:README.md')).toBe('# A project')
    world.git('checkout', '-q', '--', 'README.md')
    await world.engine.settled()
    expect(await world.task('task-1')).toMatchObject({ status: 'completed' })
    expect(world.git('show', 'main:README.md')).toBe('changed')
  })

  test('a rejection instead of an approval sends it back to its author', async () => {
    world = await World.create()
    await world.start()
    await world.add('Alone')
    await world.engine.settled()
    await world.commands.decide({ kind: 'reject', task: 'task-1', message: 'not like this', by: 'tester' })
    await world.engine.settled()
    expect(await world.task('task-1')).toMatchObject({ phase: 'land', round: 1, attempt: 2 })
    expect((await world.task('task-1')).findings).toMatchObject([{ source: 'tester', message: 'not like this' }])
  })
})

describe('landing', () => {
  test('S1.13, S1.14 two tasks that change the same line: one lands, the other gets both sides and resolves them in one more round', async () => {
    world = await World.create()
    const [a, b] = [world.gate('a'), world.gate('b')]
    world.agent('s-1.implementer.1', 'echo one >line; gate a; verdict pass')
    world.agent('s-2.implementer.1', 'echo two >line; gate b; verdict pass')
    world.agent('s-2.implementer.2', 'grep -q "<<<<<<<" line && echo "one and two" >line && verdict pass')
    await world.landInTurn(a, b)
    const second = await world.task('s-2')
    expect(second).toMatchObject({ status: 'completed', round: 1, attempt: 2 })
    const said =
      'conflict with muster/story/s in line: the next attempt starts from both sides, with conflict markers to resolve'
    const bothSides = /^<<<<<<< [0-9a-f]{40}\none\n=======\ntwo\n>>>>>>> [0-9a-f]{40}$/
    expect(second.findings).toMatchObject([
      { source: 'merge', severity: 'FAIL', message: said },
      { source: 'merge', severity: 'FAIL', message: expect.stringMatching(bothSides) as string, file: 'line' },
    ])
    const prompt = world.prompt('s-2.r3')
    expect(prompt).toMatch(/^## PREVIOUS VALIDATION FAILED\n/)
    expect(prompt).toContain(`- [merge] ${said}\n- [merge] line <<<<<<< `)
    expect(prompt).toMatch(/\none\n=======\ntwo\n>>>>>>> /)
    expect(prompt).toContain('## Conflicts to resolve\n')
    expect((await world.runs('s-2')).map(({ name, end }) => `${name} ${end?.outcome}`)).toEqual([
      'implementer ADVANCE',
      'merge RETRY',
      'implementer ADVANCE',
      'merge WAIT',
      'contract ADVANCE',
      'merge ADVANCE',
    ])
    expect(world.git('show', 'muster/story/s:line')).toBe('one and two')
    expect(world.git('log', '--format=%s', 'muster/story/s').split('\n')).toEqual(['Two', 'One', 'Start'])
  })

  test.for(['landing: merge', 'landing: { style: merge }'])('%s keeps the attempts as merged', async (config) => {
    world = await World.create({ config })
    world.agent('s-1', 'echo one >one; verdict pass')
    await world.run(ONE)
    const subjects = world.git('log', '--first-parent', '--format=%s', 'muster/story/s').split('\n')
    expect(subjects).toEqual(['Merge s-1: One', 'Start'])
    const { commit } = await world.task('s-1')
    expect(world.git('show', '-s', '--format=%P', 'muster/story/s').split(' ')[1]).toBe(commit)
  })

  test('S1.13 a task is one commit on its story, and says what was verified', async () => {
    world = await World.create({ config: 'checks: { look: "test -f one" }' })
    world.agent('s-1', 'echo one >one; verdict pass')
    world.agent('s-2', 'cp one two && verdict pass')
    const two = `A second task whose name is ${'much '.repeat(12)}longer than a subject may be`
    await world.run(`${ONE.replace(' }', ', checks: [look] }')}  - { id: 2, name: ${two}, depends_on: [1] }\n`)
    expect(await world.task('s-2')).toMatchObject({ status: 'completed', round: 0 })
    const [subject = '', ...others] = world.git('log', '--format=%s', 'muster/story/s').split('\n')
    expect([subject.length <= 72, subject, ...others]).toEqual([
      true,
      expect.stringMatching(/^A second task whose name is (?:much )+much…$/),
      'One',
      'Start',
    ])
    expect(world.git('rev-list', '--merges', '--count', 'muster/story/s')).toBe('0')
    expect(world.git('show', '-s', '--format=%B', 'muster/story/s~1')).toMatch(
      /^One\n\nVerified on this tree: [^\n]*look[^\n]*\.\nCriteria: \d+ passed[^\n]*\.\n\nMuster-Task: s-1$/,
    )
    expect(world.git('show', '-s', '--format=%(trailers:key=Muster-Task,valueonly)', 'muster/story/s~1')).toBe('s-1')
  })

  test('a subtask lands on its parent, and the parent goes on from there', async () => {
    world = await World.create()
    world.agent('s-1', 'cat part >whole && verdict pass')
    world.agent('s-2', 'echo part >part; verdict pass')
    await world.run(`${ONE}  - { id: 2, name: Part, parent: 1 }\n`)
    expect(await world.task('s-2')).toMatchObject({ status: 'completed', target: 'muster/task/s-1', parent: 's-1' })
    expect(await world.task('s-1')).toMatchObject({ status: 'completed' })
    expect(world.git('show', 'muster/story/s:whole')).toBe('part')
  })
})

describe('pause', () => {
  test('F-10, L9 nothing new starts and no clock runs; it survives a restart; resume goes on', async () => {
    world = await World.create()
    await world.start()
    await world.commands.pause({ paused: true })
    await world.submit(ONE)
    await world.settled()
    expect(await world.task('s-1')).toMatchObject({ status: 'not-started' })
    await world.stop()
    await world.start()
    await world.settled()
    expect(await world.task('s-1')).toMatchObject({ status: 'not-started' })
    await world.commands.pause({ paused: false })
    await world.settled()
    expect(await world.task('s-1')).toMatchObject({ status: 'completed' })
  })

  test('L9 a worker may outlive its timeout while the project is paused', async () => {
    world = await World.create({
      config: `
phases:
  implement: { run: agent implementer, on_pass: land, on_fail: implement, timeout: 2s, attempts: 1 }
  land: { run: action merge, on_pass: done, on_fail: implement }
`,
    })
    const gate = world.gate('work')
    world.agent('s-1', 'echo up; gate work; work; verdict pass')
    await world.start()
    await world.submit(ONE)
    await world.until((event) => event.type === 'output')
    await world.commands.pause({ paused: true })
    // Time itself is what is tested here: longer than the timeout must pass.
    await new Promise((resolve) => setTimeout(resolve, 2200))
    await gate.open()
    await world.until((event) => event.type === 'run-ended')
    await world.commands.pause({ paused: false })
    await world.settled()
    expect(await world.task('s-1')).toMatchObject({ status: 'completed', round: 0 })
  })
})
