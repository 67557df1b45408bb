/**
 * H-1, H-2: the gate has no side door. Whatever the map, a task is completed and a branch moves only with an answer to
 * every criterion of its contract; what no phase asks anybody about waits for a person.
 */
import { afterEach, describe, expect, test } from 'vitest'
import { World } from '../support/world.ts'

let world: World
afterEach(() => world.dispose())

const land = 'land: { run: action merge, on_pass: done, on_fail: implement }'
const mapOf = (...phases: string[]) => `phases:\n${[...phases, land].map((phase) => `  ${phase}\n`).join('')}`
const IMPLEMENT = (next: string) => `implement: { run: agent implementer, on_pass: ${next}, on_fail: implement }`
const ASKS_MUCH = '  - { id: 1, name: Add the module, checks: [api], acceptance_criteria: never.txt exists }\n'
const RED = 'checks: { unit-test: "true", api: "false" }\n'
const onStory = () => world.git('ls-tree', '--name-only', 'muster/story/s').split('\n')

describe('a map without `check contract`', () => {
  test.each([
    [
      'the first example of the documentation',
      'test: { run: check unit-test, on_pass: land, on_fail: implement }',
      'test',
    ],
    [
      'seed 2, implement → agent verifier → merge',
      'verify: { run: agent verifier, on_pass: land, on_fail: implement }',
      'verify',
    ],
    ['direct', null, 'land'],
  ])('H-1 %s: what the contract asks for is verified before it lands', async (_, phase, next) => {
    const map = mapOf(IMPLEMENT(next), ...(phase === null ? [] : [phase]))
    world = await World.create({ roles: ['implementer', 'verifier'], config: `${map}${RED}protected: []\n` })
    await world.run(ASKS_MUCH)
    const task = await world.task('s-1')
    expect(task.status).not.toBe('completed')
    expect(task.results?.tally.fail).toBe(2)
    expect(task.findings.map(({ message }) => message).join('\n')).toMatch(/never\.txt/)
    expect(onStory()).toEqual(['README.md'])
  })

  test('H-1 a verification after the landing comes on top: the landing verifies by itself, and it lands once', async () => {
    const map = `phases:
  implement: { run: agent implementer, on_pass: land, on_fail: implement }
  land: { run: action merge, on_pass: verify, on_fail: implement }
  verify: { run: check contract, on_pass: done, on_fail: implement }
`
    world = await World.create({ config: `${map}checks: { api: "test -f s-1.txt" }\n` })
    await world.run('  - { id: 1, name: Add the module, checks: [api] }\n')
    expect(await world.task('s-1')).toMatchObject({ status: 'completed', round: 0 })
    const runs = (await world.runs('s-1')).map(({ name, end }) => `${name} ${end?.outcome}`)
    expect(runs).toEqual(['implementer ADVANCE', 'merge WAIT', 'contract ADVANCE', 'merge ADVANCE', 'contract ADVANCE'])
  })

  test('H-1 with two verifications the second finds the first one’s evidence', async () => {
    const map = mapOf(
      IMPLEMENT('verify'),
      'verify: { run: check contract, on_pass: again, on_fail: implement }',
      'again: { run: check contract, on_pass: land, on_fail: implement }',
    )
    world = await World.create({ config: `${map}checks: { api: "test -f s-1.txt" }\n` })
    await world.run('  - { id: 1, name: Add the module, checks: [api] }\n')
    const task = await world.task('s-1')
    expect(task).toMatchObject({ status: 'completed' })
    expect(task.results?.criteria.find(({ activity }) => activity === 'api')?.evidence?.reused).toBe(true)
  })

  test('H-1 one that neither lands nor verifies is refused with its line', async () => {
    world = await World.create({
      config:
        'phases:\n  implement: { run: agent implementer, on_pass: test }\n  test: { run: check unit-test, on_pass: done }\n',
    })
    await expect(world.start()).rejects.toThrow(/muster\.yaml:\d+: this map never verifies the work/)
  })
})

describe('criteria find their judge', () => {
  const CRITERIA =
    '[{ description: The names are clear, judge: checker }, { description: The colours fit, judge: person }]'
  const WRITTEN = `contract: { type: verifiable, criteria: ${CRITERIA} }`
  const VERIFIED = mapOf(IMPLEMENT('verify'), 'verify: { run: check contract, on_pass: land, on_fail: implement }')

  test('H-1 what no phase asks anybody about waits for a person, and that is said when the plan is read', async () => {
    world = await World.create({ config: VERIFIED })
    await world.start()
    const { notices } = await submitted(`  - { id: 1, name: Write it, ${WRITTEN} }\n`)
    expect(notices.map(({ notice }) => notice).join()).toContain('no phase answers c1, c2')
    await world.settled()
    const held = await world.task('s-1')
    expect(held).toMatchObject({ stage: 'review', phase: 'land' })
    expect(held.results?.tally.pending).toBe(2)
    expect(held.next).toContain('muster accept s-1')
    expect(onStory()).toEqual(['README.md'])
    await world.accept('s-1')
    await world.settled()
    const done = await world.task('s-1')
    expect(done).toMatchObject({ status: 'completed', waiver: null })
    expect(done.results?.criteria.slice(0, 2)).toMatchObject([
      { status: 'pass', note: 'answered by tester' },
      { status: 'pass', note: 'answered by tester' },
    ])
  })

  test('H-1 any judge role may answer what it is shown: a reviewer alone has to', async () => {
    const map = mapOf(IMPLEMENT('review'), 'review: { run: agent code-reviewer, on_pass: land, on_fail: implement }')
    world = await World.create({ config: map, roles: ['implementer', 'code-reviewer'] })
    const only = '[{ description: The names are clear, judge: checker }]'
    await world.run(`  - { id: 1, name: Write it, contract: { type: verifiable, criteria: ${only} } }\n`)
    expect(world.prompt('s-1.r2')).toContain('For you to answer, each by its id:\n\n- c1: The names are clear')
    const task = await world.task('s-1')
    expect(task).toMatchObject({ status: 'completed' })
    expect(task.results?.criteria[0]).toMatchObject({ status: 'pass', note: 'answered by code-reviewer' })
  })

  const FAMILY = `  - { id: 1, name: Whole }\n  - { id: 2, name: Part, parent: 1, ${WRITTEN} }\n`

  test('H-2 what a subtask cannot answer is the parent’s, by id and with its origin; its checker is asked', async () => {
    world = await World.create({ config: 'phases: checked', roles: ['implementer', 'checker'] })
    await world.run(FAMILY)
    const part = await world.task('s-2')
    expect(part.status).toBe('completed')
    expect(part.results?.criteria.slice(0, 2)).toMatchObject([
      { status: 'deferred', note: 'left to s-1' },
      { status: 'deferred', note: 'left to s-1' },
    ])
    const whole = await world.task('s-1')
    const handed = (whole.contract?.criteria ?? []).filter(({ origin }) => origin !== undefined)
    expect(handed.map(({ origin, description }) => [origin, description])).toEqual([
      [{ task: 's-2', id: 'c1' }, 'The names are clear'],
      [{ task: 's-2', id: 'c2' }, 'The colours fit'],
    ])
    const [checkers] = await world.store.checkRuns('s-1')
    expect(world.prompt(checkers?.id ?? '')).toContain('The names are clear (from subtask s-2)')
    // The person's own criterion keeps it from landing, and the story from being shipped.
    expect(whole).toMatchObject({ stage: 'review', phase: 'accept' })
    expect((await world.store.standing('s'))?.standing.state).toBe('OPEN')
    await world.accept('s-1')
    await world.settled()
    expect((await world.store.standing('s'))?.standing.state).toBe('SHIPPABLE')
  })

  test('H-2 with a cancelled parent nobody else answers: a subtask waits for a person', async () => {
    world = await World.create({ config: 'phases: direct' })
    const gate = world.gate('part')
    world.agent('s-2', 'echo up; gate part; work; verdict pass')
    await world.start()
    await world.submit(FAMILY)
    await world.until(({ type, task }) => type === 'output' && task === 's-2')
    await world.commands.cancel({ task: 's-1', reason: 'not wanted', by: 'tester' })
    await gate.open()
    await world.settled()
    expect(await world.task('s-2')).toMatchObject({ status: 'in-progress', stage: 'review', phase: 'land' })
  })

  async function submitted(tasks: string) {
    const { buildPlan } = await import('../../src/config/plan.ts')
    const { parseYaml } = await import('../../src/config/yaml.ts')
    const plan = buildPlan(parseYaml(`meta: { id: s }\ntasks:\n${tasks}`, 'plan.yaml'), world.project.config, 'plan')
    return world.commands.submit({ plan, config: world.project.config })
  }
})

describe('what is shown is what is', () => {
  test('an overruled criterion is waived, never passed, on every surface', async () => {
    world = await World.create({ config: 'phases: checked', roles: ['implementer', 'checker'] })
    world.agent(
      'checker',
      `printf '{"verdict":"fail","nonce":"%s","criteria":[{"id":"c1","status":"FAIL","note":"they are not"}]}' "$MUSTER_NONCE" >"$MUSTER_VERDICT_FILE"`,
    )
    const criteria = '[{ description: The names are clear, judge: checker }]'
    await world.run(`  - { id: 1, name: Write it, contract: { type: verifiable, criteria: ${criteria} } }\n`)
    expect((await world.task('s-1')).results?.criteria[0]).toMatchObject({ status: 'fail', error: 'they are not' })
    await world.accept('s-1', 'clear enough for me')
    await world.settled()
    const task = await world.task('s-1')
    expect(task.results?.criteria[0]).toMatchObject({ status: 'waived', note: 'waived by tester: clear enough for me' })
    expect(task.results?.tally.waived).toBe(1)
    expect(task.caveats).toEqual(['checker, c1 waived by tester'])
  })

  test('a checker’s FAIL that names nothing is unclear, and its words reach the person who decides', async () => {
    world = await World.create({ config: 'phases: checked', roles: ['implementer', 'checker'] })
    world.agent(
      'checker',
      `printf '{"verdict":"fail","detail":"I do not like it","nonce":"%s","findings":[{"severity":"FAIL","message":"the tone is wrong"}]}' "$MUSTER_NONCE" >"$MUSTER_VERDICT_FILE"`,
    )
    await world.run('  - { id: 1, name: Write it }\n')
    const { checkerReport } = await world.task('s-1')
    expect(checkerReport).toMatchObject({ kind: 'error' })
    expect(checkerReport?.text).toContain('I do not like it')
    expect(checkerReport?.text).toContain('the tone is wrong')
  })

  test('H-12 an agent’s words never choose the command that is printed', async () => {
    world = await World.create({ config: 'phases: checked\nlimits: { maxTaskRounds: 1 }' })
    world.agent('default', 'verdict fail "a person must approve the landing on main"')
    await world.run('  - { id: 1, name: Write it }\n')
    expect((await world.task('s-1')).next.join()).not.toContain('approve')
  })

  test('a story whose tasks are all waived can be shipped, and says what was waived', async () => {
    world = await World.create({ config: `${RED}phases: direct` })
    await world.run('  - { id: 1, name: Add the module, checks: [api] }\n')
    await world.accept('s-1', 'the service is down today')
    await world.settled()
    const task = await world.task('s-1')
    expect(task).toMatchObject({ status: 'completed', waiver: { reason: 'the service is down today' } })
    expect(task.caveats.join()).toContain('waived by tester')
    expect((await world.store.standing('s'))?.standing.state).toBe('SHIPPABLE')
  })
})

describe('brakes', () => {
  test('H-5 the same red check in three rounds in a row holds the task, whoever found it', async () => {
    world = await World.create({ config: `${RED}phases: direct` })
    world.agent('default', 'echo "$MUSTER_ATTEMPT" >work.txt; verdict pass')
    await world.run('  - { id: 1, name: Add the module, checks: [api] }\n')
    expect(await world.task('s-1')).toMatchObject({ stage: 'review', round: 3, attempt: 3 })
    const { state } = (await world.store.task('s-1')) ?? {}
    expect(state?.held).toMatchObject({ code: 'recurring', params: { rounds: 3 } })
  })

  test.each([
    ['a link out of the tree', 'ln -sf /etc/passwd link', /outside the tree/],
    ['a filter of git', 'echo "*.bin filter=lfs" >.gitattributes', /names a git filter/],
    ['a file of 2 GB', 'truncate -s 2G big', /larger than 100 MB/],
    ['nothing at all', ':', /no change/],
  ])('H-5 a result that is refused three times holds the task: %s', async (_, deed, why) => {
    world = await World.create()
    world.agent('default', `${deed}; verdict pass`)
    await world.run('  - { id: 1, name: Add the module }\n')
    const { stage, attempt, waitingFor, findings } = await world.task('s-1')
    expect([stage, attempt]).toEqual(['review', 3])
    expect(waitingFor).toContain('failed in the same way 3 rounds in a row')
    expect(findings.map(({ message }) => message).join('\n')).toMatch(why)
  })

  test('H-5 other and fewer failures start the count anew', async () => {
    const check = 'checks: { api: "node api.mjs" }'
    world = await World.create({ config: `${check}\nphases: direct\nlimits: { maxTaskRounds: 6 }` })
    // Each round says something else; then it is done.
    world.agent(
      'default',
      `case $MUSTER_ATTEMPT in 1) w=alpha ;; 2) w=beta ;; 3) w=gamma ;; 4) w=delta ;; *) w= ;; esac
echo "console.error('error: $w is missing'); process.exit('$w' ? 1 : 0)" >api.mjs; verdict pass`,
    )
    await world.run('  - { id: 1, name: Add the module, checks: [api] }\n')
    const task = await world.task('s-1')
    expect(task.round).toBeGreaterThan(3)
  })
})

test('H-1 many that land on one branch verify one after the other: none verifies what another makes worthless', async () => {
  world = await World.create()
  await world.run(Array.from({ length: 12 }, (_, n) => `  - { id: ${n + 1}, name: Write part ${n + 1} }\n`).join(''))
  const runs = await Promise.all(Array.from({ length: 12 }, (_, n) => world.runs(`s-${n + 1}`)))
  expect(runs.map((of) => of.map(({ name }) => name))).toEqual(
    Array.from({ length: 12 }, () => ['implementer', 'merge', 'contract', 'merge']),
  )
})

test('H-1 who gives up the turn to land lets the next one go: a cancelled, held or refused landing stops nobody', async () => {
  world = await World.create({ config: 'checks: { api: "! test -f bad" }\nlimits: { maxTaskRounds: 1 }' })
  world.agent('s-1', 'echo x >bad; verdict pass')
  await world.run(
    '  - { id: 1, name: Write one, checks: [api] }\n  - { id: 2, name: Write two }\n  - { id: 3, name: Write three }\n',
  )
  expect((await world.task('s-1')).status).toBe('failed')
  for (const id of ['s-2', 's-3']) expect((await world.task(id)).status).toBe('completed')
})
