/** What an author leaves is looked at before it counts, whatever its verdict says. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { World } from '../support/world.ts'

let world: World
afterEach(() => world.dispose())

test('conflict markers that are still there are FAIL, though the author says PASS', async () => {
  world = await World.create()
  const [a, b] = [world.gate('a'), world.gate('b')]
  world.agent('s-1', 'echo one >line; gate a; verdict pass')
  world.agent('s-2.implementer.1', 'echo two >line; gate b; verdict pass')
  world.agent('s-2.implementer.2', 'verdict pass')
  world.agent('s-2.implementer.3', 'echo "one and two" >line; verdict pass')
  await world.landInTurn(a, b)
  const task = await world.task('s-2')
  expect(task).toMatchObject({ status: 'completed', round: 2, attempt: 3 })
  expect(task.findings.filter(({ round }) => round === 1)).toEqual([
    expect.objectContaining({ message: 'the result cannot be accepted as it is' }),
    expect.objectContaining({ file: 'line', message: 'still has conflict markers: resolve both sides' }),
  ])
  expect(world.git('show', 'muster/story/s:line')).toBe('one and two')
})

test('a link out of the tree never lands: the author is told and the rest of its work is kept', async () => {
  world = await World.create()
  world.agent('s-1.implementer.1', 'echo good >good.txt; ln -s /etc/passwd secrets; verdict pass')
  world.agent('s-1.implementer.2', '[ -f good.txt ] && [ ! -e secrets ] && verdict pass')
  await world.run('  - { id: 1, name: One }\n')
  const task = await world.task('s-1')
  expect(task).toMatchObject({ status: 'completed', round: 1 })
  expect(task.findings).toContainEqual(
    expect.objectContaining({ file: 'secrets', message: expect.stringContaining('outside the tree') as string }),
  )
  expect(world.git('ls-tree', '-r', '--name-only', 'muster/story/s').split('\n')).toEqual(['README.md', 'good.txt'])
})

test('a repository whose files are behind a filter (LFS) is refused before anything starts', async () => {
  world = await World.create()
  writeFileSync(
    join(world.repository, '.gitattributes'),
    '# filter=old\n*.txt text\n*.psd filter=lfs diff=lfs merge=lfs -text\n',
  )
  world.git('add', '-A')
  world.git('-c', 'user.name=A', '-c', 'user.email=a@example.invalid', 'commit', '-qm', 'Use LFS')
  await world.start()
  await expect(world.submit('  - { id: 1, name: One }\n')).rejects.toMatchObject({
    code: 'config',
    message: expect.stringContaining('lfs (.gitattributes)') as string,
  })
  expect(await world.store.stories()).toEqual([])
  expect(world.git('branch', '--list', 'muster/*')).toBe('')
})

test('a repository with SHA-256 object names works like any other', async () => {
  world = await World.create()
  rmSync(join(world.repository, '.git'), { recursive: true })
  world.git('init', '-q', '-b', 'main', '--object-format=sha256')
  world.git('add', 'README.md')
  world.git('-c', 'user.name=A', '-c', 'user.email=a@example.invalid', 'commit', '-qm', 'Start')
  world.agent('s-1', 'git status --porcelain && echo made >one.txt; verdict pass')
  await world.run('  - { id: 1, name: One }\n')
  expect(await world.task('s-1')).toMatchObject({ status: 'completed', round: 0 })
  expect(world.git('show', 'muster/story/s:one.txt')).toBe('made')
})
