/** A repository with a submodule: agents change it like any other folder, and it lands with the rest. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { VERIFIED } from '../support/maps.ts'
import { World } from '../support/world.ts'

let world: World
afterEach(() => world.dispose())

const identity = ['-c', 'user.name=A', '-c', 'user.email=a@example.invalid', '-c', 'protocol.file.allow=always']

/** Adds a submodule at `lib` from a repository that is gone afterwards. */
function addSubmodule(files: Record<string, string> = { line: 'zero\n' }): void {
  const origin = join(world.top, 'origin')
  mkdirSync(origin)
  const git = (...args: string[]) => execFileSync('git', [...identity, ...args], { cwd: origin })
  git('init', '-q', '-b', 'main')
  for (const [name, text] of Object.entries(files)) writeFileSync(join(origin, name), text)
  git('add', '-A')
  git('commit', '-qm', 'Start')
  world.git(...identity, 'submodule', '--quiet', 'add', origin, 'lib')
  world.git(...identity, 'commit', '-qm', 'Add the library')
  rmSync(origin, { recursive: true })
}

test('S1.18 two tasks change a submodule: the second is told, starts from both sides, and both land', async () => {
  world = await World.create()
  addSubmodule()
  const [a, b] = [world.gate('a'), world.gate('b')]
  world.agent(
    's-1',
    'echo one >lib/line; cd lib; git -c user.name=x -c user.email=x@x commit -qam "Say one"; gate a; verdict pass',
  )
  world.agent('s-2.implementer.1', 'echo two >lib/line; gate b; verdict pass')
  world.agent('s-2.implementer.2', 'verdict pass')
  world.agent('s-2.implementer.3', 'cat lib/line >"$WORLD/seen"; echo "one and two" >lib/line; verdict pass')
  await world.landInTurn(a, b)
  const task = await world.task('s-2')
  expect(task).toMatchObject({ status: 'completed', round: 2, attempt: 3 })
  const commit = (branch: string) => world.git('-C', 'lib', 'rev-parse', `${branch}^{commit}`)
  const [first, second] = [commit('muster/task/s-1'), commit('muster/task/s-2~2')]
  expect(task.findings.filter(({ round, file }) => round === 0 && file === 'lib')).toEqual([
    expect.objectContaining({
      message: `both sides changed this submodule: one has it at ${first}, the other at ${second}`,
    }),
  ])
  expect(task.findings.filter(({ round }) => round === 1)).toContainEqual(
    expect.objectContaining({ file: 'lib/line', message: 'still has conflict markers: resolve both sides' }),
  )
  expect(world.prompt('s-2.r3')).toContain('- lib/line')
  world.git('switch', '-q', 'muster/story/s')
  expect(readFileSync(join(world.top, 'seen'), 'utf8')).toMatch(/<<<<<<< \w+\ntwo\n=======\none\n>>>>>>>/)
  world.git('submodule', '--quiet', 'update')
  expect(world.git('-C', 'lib', 'show', 'HEAD:line')).toBe('one and two')
  expect(commit('HEAD')).toBe(commit('muster/story/s'))
  expect(world.git('-C', 'lib', 'merge-base', 'HEAD', first)).toBe(first)
  expect(world.git('-C', 'lib', 'merge-base', 'HEAD', second)).toBe(second)
  expect(world.git('-C', 'lib', 'show', '-s', '--format=%B', first)).toContain('  * Say one')
  expect(world.git('status', '--porcelain')).toBe('?? muster.yaml')
})

const pytest = spawnSync('python3', ['-m', 'pytest', '--version']).status === 0

test.skipIf(!pytest)(
  `S1.4, S1.10, S1.12 pytest-submodule runs the submodule's own tests on the change${pytest ? '' : ' (SKIPPED: there is no pytest here)'}`,
  async () => {
    world = await World.create({ config: `phases: ${VERIFIED}` })
    addSubmodule({
      'total.py': 'def total(numbers):\n    return sum(numbers)\n',
      'test_total.py': 'from total import total\n\ndef test_total():\n    assert total([1, 2]) == 3\n',
      '.gitignore': '__pycache__\n.pytest_cache\n',
    })
    const write = (body: string) => `printf 'def total(numbers):\\n    return ${body}\\n' >lib/total.py; verdict pass`
    world.agent('s-1.implementer.1', write('0'))
    world.agent('s-1.implementer.2', write('sum(list(numbers))'))
    await world.run('  - { id: 1, name: Take any iterable, checks: [pytest-submodule] }\n')
    const task = await world.task('s-1')
    expect(task).toMatchObject({ status: 'completed', round: 1 })
    expect(task.findings.map(({ message }) => message).join('\n')).toMatch(/pytest-submodule[\s\S]*test_total/)
    expect(task.results?.criteria[0]).toMatchObject({ activity: 'pytest-submodule', status: 'pass' })
  },
)
