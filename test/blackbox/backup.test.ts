/** muster backup and restore, as a person types them: whatever is at work, and whatever has happened since. */
import {
  copyFileSync,
  existsSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { BackupReport, RestoreReport } from '../../src/backup.ts'
import type { Explanation } from '../../src/engine/views/explain.ts'
import { begun, gated, openGate } from '../support/gated.ts'
import { BY_PERSON } from '../support/maps.ts'
import type { ErrorDocument, Repo, StatusDocument } from '../support/muster.ts'
import { exited, makeRepo, planText } from '../support/muster.ts'

const stages = async (repo: Repo) =>
  (await repo.here('status', '--all', '--json')).json<StatusDocument>().tasks.map(({ id, stage }) => `${id} ${stage}`)

/** One task landed, one that waits for a person. */
async function withWork(): Promise<Repo> {
  const repo = makeRepo({ config: `phases: ${BY_PERSON}` })
  repo.write('plan.yaml', planText('p', { 1: 'phases: direct', 2: '' }))
  exited(await repo.here('run', 'plan.yaml'), 8)
  return repo
}

test('what was saved comes back on a machine that has lost everything but the repository', async () => {
  const repo = await withWork()
  const before = await stages(repo)
  const report = exited(await repo.here('backup', '../saved', '--json'), 0).json<BackupReport>()
  expect(report.events).toBeGreaterThan(5)
  expect(statSync(report.file).size).toBe(report.bytes)
  expect(statSync(report.file).mode & 0o777).toBe(0o600)
  rmSync(repo.musterHome, { recursive: true })
  const restored = exited(await repo.here('restore', '../saved', '--json'), 0).json<RestoreReport>()
  expect(restored).toMatchObject({ events: report.events, replaced: null, kept: null, landed: [], unknown: [] })
  expect(await stages(repo)).toEqual(before)
  exited(await repo.here('accept', 'p-2'), 0)
  exited(await repo.here('run'), 0)
  expect(await stages(repo)).toEqual(['p-1 completed', 'p-2 completed'])
  expect(repo.git('ls-tree', '-r', '--name-only', 'muster/story/p')).toContain('p-2.txt')
  expect((await repo.here('doctor')).stdout).toContain('all intact, all of them sealed')
})

test('L6 what landed after the backup is told, and not done again', async () => {
  const repo = await withWork()
  exited(await repo.here('backup', '../saved'), 0)
  exited(await repo.here('accept', 'p-2'), 0)
  repo.write('more.yaml', planText('q', { 1: 'phases: direct' }))
  exited(await repo.here('run'), 0)
  exited(await repo.here('run', 'more.yaml'), 0)
  const head = repo.git('rev-parse', 'muster/story/p')
  const { stdout } = exited(await repo.here('restore', '../saved'), 0)
  expect(stdout).toMatch(/the replaced database had \d+ events\nthe replaced database is in .*before-restore-\d+\n/)
  expect(stdout).toMatch(
    /landed since then; muster run continues from there:\n {2}p-2 on muster\/story\/p, as [0-9a-f]{12}\n/,
  )
  expect(stdout).toMatch(/from tasks that this backup does not contain:\n {2}q-1 on muster\/story\/q, as/)
  exited(await repo.here('run'), 0)
  expect(await stages(repo)).toEqual(['p-1 completed', 'p-2 completed'])
  expect(repo.git('rev-parse', 'muster/story/p')).toBe(head)
  const { history } = (await repo.here('explain', 'p-2', '--json')).json<Explanation>()
  expect(history.map(({ text }) => text).join('\n')).toMatch(
    /already on muster\/story\/p, as [0-9a-f]{12}: the database is older than that landing/,
  )
})

test('it is made while agents work, and goes on from there', async () => {
  const repo = makeRepo({ agent: gated })
  repo.write('plan.yaml', planText('p', { 1: '' }))
  const run = repo.start('run', 'plan.yaml')
  await begun(repo, 'p-1')
  exited(await repo.muster('backup', '../saved'), 0)
  const { error } = exited(await repo.muster('restore', '../saved', '--json'), 1).json<ErrorDocument>()
  expect(error.message).toBe('Muster is at work here')
  openGate(repo, 'p-1')
  exited(await run.ended, 0)
  exited(await repo.here('restore', '../saved'), 0)
  exited(await repo.here('run'), 0)
  expect(await stages(repo)).toEqual(['p-1 completed'])
})

test('a damaged database is replaced and kept; a damaged backup replaces nothing', async () => {
  const repo = await withWork()
  exited(await repo.here('backup', '../saved'), 0)
  const saved = join(repo.dir, '../saved')
  const [half, other] = [join(repo.dir, '../half'), join(repo.dir, '../other')]
  copyFileSync(saved, half)
  truncateSync(half, statSync(saved).size - 200)
  writeFileSync(other, 'something else')
  const before = readFileSync(join(repo.dataDir(), 'muster.db'))
  expect((await repo.here('restore', half)).code).not.toBe(0)
  expect(exited(await repo.here('restore', other, '--json'), 2).json<ErrorDocument>().error.message).toContain(
    'not a Muster backup',
  )
  exited(await repo.here('restore', '../nowhere'), 5)
  expect(readFileSync(join(repo.dataDir(), 'muster.db'))).toEqual(before)
  expect(readdirSync(repo.dataDir()).filter((name) => /^(?:backup|restore|before)/.test(name))).toEqual([])

  writeFileSync(join(repo.dataDir(), 'muster.db'), Buffer.alloc(8192, 1))
  expect((await repo.here('status')).code).not.toBe(0)
  const { kept } = exited(await repo.here('restore', '../saved', '--json'), 0).json<RestoreReport>()
  expect(existsSync(join(kept ?? '', 'muster.db'))).toBe(true)
  expect(await stages(repo)).toEqual(['p-1 completed', 'p-2 review'])
})

test('it overwrites no file, and is refused where nothing is stored or nobody shows who asks', async () => {
  const empty = makeRepo()
  exited(await empty.here('backup', '../saved'), 5)
  const repo = await withWork()
  exited(await repo.here('backup', 'plan.yaml'), 3)
  exited(await repo.here('backup', '../saved'), 0)
  repo.write('muster.yaml', repo.read('muster.yaml').replace('decisions: scripted', 'decisions: person'))
  expect(exited(await repo.here('restore', '../saved'), 4).stderr).toContain(
    'Muster cannot tell that a person decides this',
  )
})

test('a backup of another repository is refused, and so is one of a shallow clone', async () => {
  const [one, other] = [await withWork(), makeRepo()]
  other.git('commit', '--quiet', '--amend', '--message', 'Another start')
  exited(await one.here('backup', '../saved'), 0)
  expect(exited(await other.here('restore', join(one.dir, '../saved')), 3).stderr).toContain('of another repository')
  writeFileSync(join(one.dataDir(), 'mirror.git/shallow'), one.git('rev-parse', 'main'))
  expect(exited(await one.here('backup', '../again'), 2).stderr).toContain('git fetch --unshallow')
})

test('a person who cancels after a restore is not overruled by what landed before', async () => {
  const repo = await withWork()
  exited(await repo.here('backup', '../saved'), 0)
  exited(await repo.here('accept', 'p-2'), 0)
  exited(await repo.here('run'), 0)
  exited(await repo.here('restore', '../saved'), 0)
  exited(await repo.here('cancel', 'p-2'), 0)
  await repo.here('run')
  expect(await stages(repo)).toEqual(['p-1 completed', 'p-2 cancelled'])
})
