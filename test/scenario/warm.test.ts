/** Workspaces that start warm: a setup that runs once, files that are copied in, and a port for each run. */
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { canLayer } from '../../src/process/layers.ts'
import { World } from '../support/world.ts'

let world: World
afterEach(() => world.dispose())

/** Installs a package, and writes down that it did. */
const SETUP = (top: string) =>
  `setup: echo ran >>${top}/setups && mkdir -p node_modules/dep && cat lock.json >node_modules/dep/index.js && echo made >made.txt && echo changed >README.md`

async function warmWorld(config = ''): Promise<World> {
  world = await World.create()
  const yaml = join(world.repository, 'muster.yaml')
  const setup = `${SETUP(world.top).replace('lock.json', 'package-lock.json')}\n`
  const own = readFileSync(yaml, 'utf8').replace('phases: direct\n', /^phases:/m.test(config) ? '' : '$&')
  writeFileSync(yaml, `${own}${setup}${config}`)
  writeFileSync(join(world.repository, 'package-lock.json'), '"v1"\n')
  writeFileSync(join(world.repository, '.gitignore'), 'node_modules\n.env\n')
  mkdirSync(join(world.repository, 'lib'))
  writeFileSync(join(world.repository, 'lib/a.js'), 'a\n')
  world.git('add', 'package-lock.json', '.gitignore', 'lib')
  world.git('-c', 'user.name=A', '-c', 'user.email=a@example.invalid', 'commit', '-qm', 'Lock')
  return world
}

const setups = () => readFileSync(join(world.top, 'setups'), 'utf8').trim().split('\n').length
const tree = (branch: string) => world.git('ls-tree', '-r', '--name-only', branch).split('\n')
const goldens = () => readdirSync(join(world.project.dataDir, 'golden'))

describe('setup', () => {
  test.each([
    ['layered where the machine can', 'data'],
    // No mount options for such a name.
    ['copied', 'da,ta'],
  ])('runs once for the same lock files, and nobody sees what another did with it: %s', async (_, data) => {
    await warmWorld()
    world.env['MUSTER_HOME'] = join(world.top, data)
    const see = 'cat node_modules/dep/index.js README.md >>"$WORLD/seen"; git status --porcelain >>"$WORLD/seen"'
    world.agent(
      'default',
      `${see}; echo poison >node_modules/dep/index.js; mv lib "lib-$MUSTER_TASK_ID"; echo $MUSTER_TASK_ID >$MUSTER_TASK_ID.txt; verdict pass`,
    )
    await world.run('  - { id: 1, name: One }\n  - { id: 2, name: Two, depends_on: [1] }\n')
    expect((await world.task('s-2')).status).toBe('completed')
    expect(setups()).toBe(1)
    expect(readFileSync(join(world.top, 'seen'), 'utf8')).toBe('"v1"\n# A project\n'.repeat(2))
    // What the setup made is no work of anybody: not the ignored, not the rest, not what it changed.
    expect(tree('muster/story/s')).toEqual(
      ['.gitignore', 'README.md', 'lib-s-1/a.js', 'package-lock.json', 's-1.txt', 's-2.txt'].sort(),
    )
    expect(world.git('show', 'muster/story/s:README.md')).toBe('# A project')
    expect(world.workspacesLeft()).toEqual([])
  })

  test.each([
    ['layered where the machine can', 'data'],
    ['copied', 'da,ta'],
  ])('hides nothing from the look at what an author left: %s', async (_, data) => {
    await warmWorld()
    world.env['MUSTER_HOME'] = join(world.top, data)
    // What the setup made is nobody's work, whatever becomes of it; what takes the place of a file deletes it.
    world.agent(
      'default',
      `git init -q node_modules/dep; truncate -s 2G node_modules/huge; mkfifo node_modules/pipe
rm -rf lib/a.js README.md; mkdir -p lib; mkfifo README.md lib/.gitignore
mkdir -p closed; echo kept >closed/kept; chmod 000 closed
if [ "$MUSTER_ROUND" = 0 ]; then truncate -s 2G huge; git init -q inner; echo x >inner/x; fi
verdict pass`,
    )
    await world.run('  - { id: 1, name: One }\n')
    const task = await world.task('s-1')
    expect(task).toMatchObject({ status: 'completed', round: 1 })
    expect(task.findings.flatMap(({ file }) => file ?? []).sort()).toEqual(['huge', 'inner'])
    expect(tree('muster/story/s')).toEqual(['.gitignore', 'closed/kept', 'package-lock.json'])
    expect(world.workspacesLeft()).toEqual([])
  })

  test('of lock files that an author changed runs apart, until they have landed', async () => {
    await warmWorld(
      'phases:\n  implement: { run: agent implementer, on_pass: look, on_fail: implement }\n  look: { run: check seen, on_pass: land, on_fail: implement }\n  land: { run: action merge, on_pass: done, on_fail: implement }\nchecks: { seen: "cat node_modules/dep/index.js" }\n',
    )
    world.agent('s-1', 'echo \'"v2"\' >package-lock.json; verdict pass')
    world.agent('s-2', 'cat node_modules/dep/index.js >"$WORLD/seen"; echo x >x.txt; verdict pass')
    await world.run('  - { id: 1, name: One }\n  - { id: 2, name: Two, depends_on: [1] }\n')
    expect((await world.task('s-2')).status).toBe('completed')
    // The base's, the author's own for its check, and the landed one for everybody after it.
    expect(setups()).toBe(3)
    expect(goldens()).toHaveLength(3)
    expect(readFileSync(join(world.top, 'seen'), 'utf8')).toBe('"v2"\n')
  })

  test('that fails is an error with its output, not the author’s failure, and holds the task (S3.27)', async () => {
    world = await World.create({ config: 'setup: echo no network >&2; exit 7\nlimits: { maxErrorAttempts: 1 }\n' })
    await world.run('  - { id: 1, name: One }\n')
    const task = await world.task('s-1')
    expect(task).toMatchObject({ status: 'in-progress', stage: 'review', round: 0 })
    expect(task.waitingFor).toContain('setup failed (exit 7)')
    expect(task.waitingFor).toContain('no network')
    expect(goldens().filter((name) => !name.endsWith('.new'))).toEqual([])
    expect(world.started()).toEqual([])
  })

  test('that takes too long says so once, with what it printed last and how to give it longer', async () => {
    const config = "setup: { run: 'echo compiling; exec sleep 1000', timeout: 2s }\nlimits: { maxErrorAttempts: 1 }\n"
    world = await World.create({ config })
    await world.run('  - { id: 1, name: One }\n')
    const waits = (await world.task('s-1')).waitingFor
    expect(waits).toContain(
      'setup failed (timed out after 2s): give it more time: setup: { run: …, timeout: 30m }; its last output: compiling',
    )
  })

  test('is told to everybody who waits for it: its command, its last line, and how long it took', async () => {
    world = await World.create()
    const yaml = join(world.repository, 'muster.yaml')
    const gate = world.gate('setup')
    writeFileSync(
      yaml,
      `${readFileSync(yaml, 'utf8')}setup: echo installing; cat ${world.top}/gates/setup >/dev/null\n`,
    )
    await world.start()
    await world.submit('  - { id: 1, name: One }\n  - { id: 2, name: Two }\n')
    const told = (task: string, type: string) => world.until((event) => event.type === type && event.task === task)
    await Promise.all(['s-1', 's-2'].map((task) => told(task, 'setup-started')))
    await world.until(
      ({ type, line, setup }) => type === 'output' && line === 'setup: installing' && typeof setup === 'number',
    )
    await gate.open()
    for (const task of ['s-1', 's-2'])
      expect(await told(task, 'setup-ended')).toMatchObject({ ok: true, ms: expect.any(Number) })
    await world.settled()
    expect(world.events.filter(({ type, task }) => type === 'setup-ended' && task === 's-1')).toHaveLength(1)
    const lines = world.events.filter(({ type, task }) => type === 'output' && task === 's-2').map(({ line }) => line)
    expect(lines).toContainEqual(expect.stringMatching(/^setup: done after /))
  })

  test('that Muster’s end cuts short runs again at the next start, and costs nothing', async () => {
    world = await World.create()
    const yaml = join(world.repository, 'muster.yaml')
    const gate = world.gate('setup')
    const run = `echo started; cat ${world.top}/gates/setup >/dev/null; echo done >made.txt`
    writeFileSync(yaml, `${readFileSync(yaml, 'utf8')}setup: ${run}\n`)
    await world.start()
    await world.submit('  - { id: 1, name: One }\n')
    await world.until((event) => event.type === 'output' && event['line'] === 'setup: started')
    await world.stop()
    world.agent('default', 'cat made.txt >"$WORLD/seen"; work; verdict pass')
    await world.start()
    await gate.open()
    await world.settled()
    expect((await world.task('s-1')).status).toBe('completed')
    expect(readFileSync(join(world.top, 'seen'), 'utf8')).toBe('done\n')
    expect((await world.runs('s-1')).map(({ id }) => id)).toEqual(['s-1.r1', 's-1.r2', 's-1.r3', 's-1.r4'])
  })

  test('makes workspaces that lie over the golden copy where the machine can do that', async (context) => {
    await warmWorld()
    world.agent('default', 'ls "$PWD/../../layers/$MUSTER_RUN_ID" >"$WORLD/seen" 2>&1; verdict pass')
    await world.run('  - { id: 1, name: One }\n')
    if (!(await canLayer(join(world.project.dataDir, 'workspaces')))) {
      context.skip('overlay mounts with renames do not work here: workspaces are copies')
    }
    expect(readFileSync(join(world.top, 'seen'), 'utf8')).toContain('upper')
  })
})

describe('copy', () => {
  test('gives every workspace the user’s untracked files, and keeps them out of the work', async () => {
    await warmWorld('copy: [.env, local/settings.json]\n')
    writeFileSync(join(world.repository, '.env'), 'SECRET=1\n')
    mkdirSync(join(world.repository, 'local'))
    writeFileSync(join(world.repository, 'local/settings.json'), '{}\n')
    world.agent(
      'default',
      'cat .env local/settings.json >"$WORLD/seen"; echo more >>local/settings.json; git add -A; git commit -qm all; echo w >w.txt; verdict pass',
    )
    await world.run('  - { id: 1, name: One }\n')
    expect(await world.task('s-1')).toMatchObject({ status: 'completed', waitingFor: null })
    expect(readFileSync(join(world.top, 'seen'), 'utf8')).toBe('SECRET=1\n{}\n')
    expect(tree('muster/story/s')).toEqual(['.gitignore', 'README.md', 'lib/a.js', 'package-lock.json', 'w.txt'])
  })

  test('of a file that is not there says so', async () => {
    world = await World.create({ config: 'copy: [.env]\nlimits: { maxErrorAttempts: 1 }\n' })
    await world.run('  - { id: 1, name: One }\n')
    expect((await world.task('s-1')).waitingFor).toContain('lists .env under "copy"')
  })

  test('leaves a tracked file as the tree has it', async () => {
    world = await World.create({ config: 'copy: [README.md]\n' })
    writeFileSync(join(world.repository, 'README.md'), 'edited by the user\n')
    world.agent('default', 'cat README.md >"$WORLD/seen"; echo mine >README.md; verdict pass')
    await world.run('  - { id: 1, name: One }\n')
    expect(readFileSync(join(world.top, 'seen'), 'utf8')).toBe('# A project\n')
    expect(world.git('show', 'muster/story/s:README.md')).toBe('mine')
  })
})

test('every run has a port of its own', async () => {
  world = await World.create()
  world.agent('default', 'echo "port $MUSTER_PORT"; gate hold; work; verdict pass')
  world.gate('hold')
  await world.start()
  await world.submit('  - { id: 1, name: One }\n  - { id: 2, name: Two }\n')
  const said = (task: string) =>
    world.until(({ type, task: of, line }) => type === 'output' && of === task && /^port 2\d{4}$/.test(String(line)))
  const ports = [await said('s-1'), await said('s-2')].map(({ line }) => line)
  expect(new Set(ports).size).toBe(2)
})
