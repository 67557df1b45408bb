/** Agents that leave too much: it is refused and named, what is beside it is kept, and nothing is left behind. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { resultFilesMax } from '../../src/domain/limits.ts'
import { isAlive } from '../support/muster.ts'
import { World } from '../support/world.ts'

async function world(): Promise<World> {
  const made = await World.create()
  onTestFinished(() => made.dispose())
  return made
}

const tooMany = resultFilesMax + 1

test('H-5, L36 more new files than anybody writes are left out by their folder; the work beside them lands without them', async () => {
  const w = await world()
  w.agent(
    's-1',
    `mkdir -p src made/by; echo work >src/work
if [ "$MUSTER_ROUND" = 0 ]; then (cd made/by; seq ${tooMany} | split -l 1 -a 5 - f); fi
verdict pass`,
  )
  await w.run('  - { id: 1, name: One }\n')
  expect(await w.task('s-1')).toMatchObject({ status: 'completed', round: 1 })
  const why = `it has ${tooMany} new files; a result can have at most ${resultFilesMax}`
  for (const words of ['made/by/*', why]) expect(w.prompt('s-1.r2')).toContain(words)
  expect(w.git('ls-tree', '-r', '--name-only', 'muster/story/s').split('\n')).toEqual(['README.md', 'src/work'])
  expect(w.workspacesLeft()).toEqual([])
})

test('what is ignored may be as many as it likes', async () => {
  const w = await world()
  w.agent(
    's-1',
    `echo made >.gitignore; mkdir made; (cd made; seq ${tooMany} | split -l 1 -a 5 - f); echo work >work; verdict pass`,
  )
  await w.run('  - { id: 1, name: One }\n')
  expect(await w.task('s-1')).toMatchObject({ status: 'completed', round: 0 })
  expect(w.git('ls-tree', '-r', '--name-only', 'muster/story/s').split('\n')).toEqual([
    '.gitignore',
    'README.md',
    'work',
  ])
})

test('L4 folders 600 deep and 400 processes are gone with their run', async () => {
  const w = await world()
  w.agent(
    's-1',
    `echo work >work
for n in $(seq 400); do sleep 1000 & echo $! >>"$WORLD/pids"; done
[ "$MUSTER_ROUND" != 0 ] || (for n in $(seq 600); do mkdir folder-$n; cd folder-$n; done; echo x >x)
verdict pass`,
  )
  await w.run('  - { id: 1, name: One }\n')
  expect(await w.task('s-1')).toMatchObject({ status: 'completed', round: 1 })
  expect(w.workspacesLeft()).toEqual([])
  const pids = readFileSync(join(w.top, 'pids'), 'utf8').trim().split('\n').map(Number)
  expect(pids.length).toBe(800)
  expect(pids.filter(isAlive)).toEqual([])
  expect(existsSync(join(w.repository, 'folder-1'))).toBe(false)
})
