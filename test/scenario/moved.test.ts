/**
 * The user does as they please with branches while tasks run, wait or land: rewrites, renames and deletes them. Nothing
 * that they took away comes back, nothing of theirs is overwritten, and what a task waits for says what to type.
 */
import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { mergeAction } from '../../src/engine/steps/actions/merge.ts'
import type { EngineParts } from '../../src/engine/loop/parts.ts'
import type { TaskView } from '../../src/engine/views/views.ts'
import { World } from '../support/world.ts'
import { BY_PERSON } from '../support/maps.ts'

let world: World
afterEach(() => world.dispose())

type Stage = 'running' | 'waiting' | 'landing'

/** Before its first landing touches the branch, the user does something to it. */
function beforeLanding(deed: () => void): (parts: EngineParts) => EngineParts {
  return (parts) => {
    let done = false
    const land: typeof parts.workspaces.land = async (...args) => {
      if (!done) deed()
      done = true
      return parts.workspaces.land(...args)
    }
    const workspaces = { ...parts.workspaces, land }
    return { ...parts, workspaces, actions: { merge: mergeAction(workspaces, parts.clock) } }
  }
}

/** Each stage on one of the two targets; `npm run soak` takes both. */
const places = (['running', 'waiting', 'landing'] as const).flatMap((stage, n) =>
  ['main', 'muster/story/s']
    .filter((_, index) => process.env['MUSTER_SOAK'] || n % 2 === index)
    .map((target) => ({ stage, target })),
)

interface Meanwhile {
  stage: Stage
  target: string
  deed(target: string): void
}

/** A task on the target, as far as it gets after the user has done the deed and said yes once. */
async function meanwhile({ stage, target, deed }: Meanwhile): Promise<{ id: string; sayYes(): Promise<TaskView> }> {
  const story = target !== 'main'
  const id = story ? 's-1' : 'task-1'
  world = await World.create({ config: story ? `phases: ${BY_PERSON}` : '' })
  const gate = world.gate('work')
  world.agent(`${id}.implementer.1`, 'echo work >work; echo up; gate work; verdict pass')
  world.agent(`${id}.implementer`, 'verdict pass')
  world.git('tag', 'start')
  world.git('tag', 'extra', world.commitOn('start', 'extra', ''))
  world.git('switch', '-qc', 'elsewhere')
  world.git('branch', '-qf', 'main', 'extra')
  const doIt = () => deed(target)
  await world.start(stage === 'landing' ? beforeLanding(doIt) : undefined)
  if (story) await world.submit('  - { id: 1, name: Work }\n')
  else await world.add('Work')
  const settled = world.engine.settled()
  await world.until((event) => event.type === 'output')
  if (stage === 'running') doIt()
  await gate.open()
  await settled
  if (stage === 'waiting') doIt()
  const sayYes = async () => {
    await world.commands.decide({ kind: story ? 'accept' : 'approve', task: id, message: '', by: 'tester' })
    await world.engine.settled()
    return world.task(id)
  }
  return { id, sayYes }
}

const subjects = (...args: string[]) => world.git('log', '--format=%s', ...args).split('\n')

describe('the user rewrites the target', () => {
  test.for(places)(
    '$target, while the task is $stage: what they took out stays out, and the work is done again',
    async (place) => {
      const { target } = place
      const deed = () => void world.git('branch', '-qf', target, world.commitOn('start', 'instead', ''))
      const { sayYes } = await meanwhile({ ...place, deed })
      const again = await sayYes()
      expect(again).toMatchObject({ status: 'in-progress', stage: 'review', round: 1, attempt: 2 })
      expect(again.findings[0]?.message).toBe(
        `${target} was rewritten: a commit that this work builds on is no longer part of it. The next attempt starts from its new head and must do this work again`,
      )
      expect(await sayYes()).toMatchObject({ status: 'completed' })
      expect(world.git('ls-tree', '--name-only', target).split('\n')).toEqual(['README.md', 'instead', 'work'])
      expect(subjects('--first-parent', target)).toEqual(['Work', 'Change instead', 'Start'])
      expect(subjects(target)).not.toContain('Change extra')
    },
  )
})

describe.each(['deletes', 'renames'])('the user %s the target', (what) => {
  test.for(places)(
    '$target, while the task is $stage: it waits, is not made anew, and says what to type',
    async (place) => {
      const { target } = place
      const how = what === 'renames' ? ['-m', target, 'other'] : ['-qD', target]
      const { id, sayYes } = await meanwhile({ ...place, deed: () => void world.git('branch', ...how) })
      const waiting = await sayYes()
      expect(waiting).toMatchObject({ status: 'in-progress', stage: 'review', round: 0 })
      const [now, from] =
        what === 'renames' ? [' (renamed to other)', 'other'] : ['', world.git('rev-parse', '--short=12', 'extra')]
      const typed = `git branch ${target} ${from}`
      expect(waiting.waitingFor).toBe(
        `the branch ${target} is no longer in the repository${now} (to restore it: ${typed})`,
      )
      expect(world.git('branch', '--list', target)).toBe('')
      execFileSync('sh', ['-c', typed], { cwd: world.repository })
      await world.engine.settled()
      expect(await world.task(id)).toMatchObject({ status: 'completed', round: 0 })
      expect(world.git('ls-tree', '--name-only', target).split('\n')).toEqual(['README.md', 'extra', 'work'])
      expect(subjects('--first-parent', target)).toEqual(['Work', 'Change extra', 'Start'])
    },
  )
})

test('a task whose target is gone before it starts is held, with what to type', async () => {
  world = await World.create()
  await world.start()
  await world.commands.pause({ paused: true })
  await world.submit('  - { id: 1, name: One }\n')
  const head = world.git('rev-parse', '--short=12', 'main')
  world.git('branch', '-qD', 'muster/story/s')
  await world.commands.pause({ paused: false })
  await world.settled()
  const why = `the branch muster/story/s is no longer in the repository (to restore it: git branch muster/story/s ${head})`
  expect((await world.task('s-1')).waitingFor).toBe(`implementer could not run (tried 3 times): ${why}`)
})

test('what is done to a shown branch of a task stops nothing, and a commit there that is not Muster’s stays', async () => {
  world = await World.create({ config: `phases: ${BY_PERSON}` })
  world.agent('default', 'echo "$MUSTER_ATTEMPT" >>"$MUSTER_TASK_ID"; verdict pass')
  await world.run(
    ['Deleted', 'Renamed', 'Rewritten', 'Broken'].map((name, n) => `  - { id: ${n + 1}, name: ${name} }\n`).join(''),
  )
  const ids = [1, 2, 3, 4].map((n) => `s-${n}`)
  const first = (await world.task('s-2')).commit
  world.git('branch', '-qD', 'muster/task/s-1')
  world.git('branch', '-m', 'muster/task/s-2', 'mine')
  const rewritten = world.commitOn('main', 'rewritten', '')
  world.git('branch', '-qf', 'muster/task/s-3', rewritten)
  for (const id of ids) await world.reject(id, 'once more')
  await world.settled()
  const refused = await world.until((event) => event.type === 'publish_refused')
  expect(refused).toMatchObject({ task: 's-3', branch: 'muster/task/s-3' })
  expect(refused['why']).toBe(
    "it has a commit that is not Muster's (git show muster/task/s-3; muster submit takes it as an attempt)",
  )
  const ref = join(world.repository, '.git/refs/heads/muster/task/s-4')
  writeFileSync(ref, `${'1'.repeat(40)}\n`)
  await world.settled()
  expect(world.events.filter((event) => event.type === 'branch_unreadable')).toMatchObject([{ task: 's-4' }])
  rmSync(ref)
  for (const id of ids) await world.accept(id)
  await world.settled()
  for (const id of ids) {
    expect(await world.task(id)).toMatchObject({ status: 'completed', attempt: 2 })
    expect(world.git('show', `muster/story/s:${id}`)).toBe('1\n2')
  }
  expect(world.git('rev-parse', 'mine')).toBe(first)
  expect(world.git('branch', '--list', 'muster/task/*').trim()).toBe('muster/task/s-3')
  expect(world.git('rev-parse', 'muster/task/s-3')).toBe(rewritten)
  expect(world.events.filter(({ type }) => type === 'branch_kept')).toMatchObject([{ branch: 'muster/task/s-3' }])
})

test('S1.10 a second worktree of the target is treated like the first: dirty, gone, clean', async () => {
  world = await World.create()
  world.agent('s-1', 'echo changed >README.md; verdict pass')
  await world.start()
  const tree = join(world.top, 'second tree')
  world.git('branch', 'muster/story/s')
  world.git('worktree', 'add', '-q', tree, 'muster/story/s')
  writeFileSync(join(tree, 'README.md'), 'my own words\n')
  await world.submit('  - { id: 1, name: One }\n')
  await world.settled()
  expect((await world.task('s-1')).waitingFor).toBe(
    `muster/story/s is checked out in ${tree} with uncommitted changes: README.md (commit there, or git -C '${tree}' stash)`,
  )
  rmSync(tree, { recursive: true })
  // Restarted, it looks first whether it can go on: a folder that is gone must not keep it from starting.
  await world.stop()
  await world.start()
  await world.settled()
  expect((await world.task('s-1')).waitingFor).toBe(
    `muster/story/s is checked out in the worktree ${tree}, and that folder is gone (git worktree prune; if it was only moved: git worktree repair <new folder>)`,
  )
  world.git('worktree', 'prune')
  world.git('worktree', 'add', '-q', tree, 'muster/story/s')
  await world.settled()
  expect(await world.task('s-1')).toMatchObject({ status: 'completed', round: 0 })
  expect(execFileSync('git', ['status', '--porcelain'], { cwd: tree, encoding: 'utf8' })).toBe('')
  expect(execFileSync('cat', ['README.md'], { cwd: tree, encoding: 'utf8' })).toBe('changed\n')
})
