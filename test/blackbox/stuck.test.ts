/** What failed or is held is found by whoever looks, with the command that answers; and a story can be given up. */
import { expect, test } from 'vitest'
import type { StatusDocument } from '../support/muster.ts'
import { exited, makeRepo, planText } from '../support/muster.ts'
import { BY_PERSON } from '../support/maps.ts'

test('status and story show name failed and waiting tasks with what to type, until the story is given up', async () => {
  const repo = makeRepo({
    agent: '[ "$MUSTER_TASK_ID" = p-1 ] && exit 1; echo x >"$MUSTER_TASK_ID.txt"',
    config: 'limits: { maxTaskRounds: 1 }',
  })
  repo.write('plan.yaml', planText('p', { 1: '', 2: `phases: ${BY_PERSON}`, 3: 'depends_on: [2]' }))
  exited(await repo.here('run', 'plan.yaml'), 1)

  const status = exited(await repo.here('status'), 0).stdout
  expect(status).toMatch(/✗ p-1 .*failed.*\n\s+muster logs p-1 {3}muster retry p-1 {3}muster cancel p-1\n/)
  expect(status).toMatch(/\? p-2 .*review.*\n\s+muster diff p-2 {3}muster accept p-2/)
  const { tasks } = exited(await repo.here('status', '--json'), 0).json<StatusDocument>()
  expect(tasks.map(({ id, next }) => [id, next.length > 0])).toEqual([
    ['p-1', true],
    ['p-2', true],
    ['p-3', false],
  ])
  const shown = exited(await repo.here('story', 'show', 'p'), 0).stdout
  expect(shown).toMatch(/✗ p-1 failed: exceeded max rounds.*\n\s+muster logs p-1 {3}muster retry p-1/)
  expect(shown).toMatch(/\? p-2 waits: .*\n\s+.*muster accept p-2/)

  expect(await repo.here('story', 'archive', 'p')).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('muster story cancel p'),
  })
  expect(exited(await repo.here('story', 'cancel', 'p', '-m', 'another way'), 0).stderr).toContain('with p-2, p-3')
  expect(exited(await repo.here('story', 'show', 'p'), 0).stdout).toContain('CANCELLED')
  exited(await repo.here('story', 'archive', 'p'), 0)
  const listed = exited(await repo.here('story', 'list'), 0)
  expect([listed.stdout, listed.stderr]).toEqual(['', expect.stringContaining('1 archived')])
  expect(exited(await repo.here('story', 'list', '--all'), 0).stdout).toMatch(/^p +CANCELLED .*\(archived\)/)
})
