/** What people read of checked work on the command line, and what they can type next. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { TaskView } from '../../src/engine/views/views.ts'
import { ACCEPTED } from '../support/maps.ts'
import { exited, fileText, isAlive, makeRepo, planText } from '../support/muster.ts'

/** The checker fails task 1 and cannot tell of task 2. */
const CHECKER = `[ "$MUSTER_TASK_ID" = p-2 ] && exit 3
printf '{"verdict":"fail","nonce":"%s","detail":"it is not what was asked for"}' "$MUSTER_NONCE" >"$MUSTER_VERDICT_FILE"`

test('D-9, S0.41, S0.42 run says what can be typed; what was accepted over the checker stays marked', async () => {
  const checker = '  checker: { runtime: command, run: ./checker.sh, verdict: file }'
  const repo = makeRepo({ config: `${checker}\nphases: ${ACCEPTED}` })
  repo.script('checker.sh', CHECKER)
  repo.write('plan.yaml', planText('p', { 1: '', 2: '' }))
  const { stdout } = exited(await repo.here('run', 'plan.yaml'), 8)
  expect(stdout).toContain(`? p-1 is waiting: its checker says it is not done: it is not what was asked for
      muster show p-1   muster accept p-1 --reason "why it is fine"   muster reject p-1 -m "what must change"`)
  expect(stdout).toContain(`? p-2 is waiting: its checker could not tell: worker completed without writing verdict
      muster show p-2   muster retry p-2   muster accept p-2 --reason "why it is fine"   muster reject`)
  exited(await repo.here('accept', 'p-1', '--reason', 'it read the wrong file'), 0)
  exited(await repo.here('run', 'plan.yaml'), 8)
  const shown = exited(await repo.here('show', 'p-1'), 0).stdout
  expect(shown).toContain('checker    failed (p-1.check.1)')
  expect(shown).toContain('waived by tester: checker (it read the wrong file)')
  expect(shown).toContain('⚠ Checker failed\n  it is not what was asked for')
})

test('F-6, F-11 what a checker quotes is run again after a crash, and ends when Muster is told to', async () => {
  const checker = '  checker: { runtime: command, run: ./checker.sh, verdict: file }'
  const repo = makeRepo({ config: `${checker}\nchecks: { slow: ./slow.sh }\nphases: ${ACCEPTED}` })
  repo.script('slow.sh', 'echo $$ >"$HOME/again"; exec sleep 1000')
  const finding = '{"severity":"FAIL","message":"it never ends","command":"./slow.sh"}'
  repo.script(
    'checker.sh',
    `printf '{"verdict":"fail","nonce":"%s","findings":[${finding}]}' "$MUSTER_NONCE" >"$MUSTER_VERDICT_FILE"`,
  )
  repo.write('plan.yaml', planText('p', { 1: '' }))
  const pids: number[] = []
  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    const run = repo.start('run', 'plan.yaml')
    pids.push(Number(await fileText(join(repo.home, 'again'))))
    rmSync(join(repo.home, 'again'))
    run.signal(signal)
    await run.ended
  }
  expect(pids.filter(isAlive)).toEqual([])
  const { findings } = (await repo.here('show', 'p-1', '--json')).json<TaskView>()
  expect(findings).toMatchObject([{ message: 'it never ends', replay: 'not-run' }])
})
