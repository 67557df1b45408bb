/** Ctrl-C, once and twice, and every other way to end a run: what was done is stored, no worker is left behind. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { killGraceMs } from '../../src/domain/limits.ts'
import type { RunDocument } from '../support/muster.ts'
import { exited, fileText, isAlive, makeRepo, planText } from '../support/muster.ts'

/** Stays until it is stopped, unless the file `open` is there. */
const stays = `if [ "$MUSTER_TASK_ID" = p-a ] || [ -e "$HOME/open" ]; then echo x >"$MUSTER_TASK_ID.txt"; exit 0; fi
sleep 1000 & echo "$$ $!" >"$HOME/pids"; wait; wait`

test.concurrent.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s: run ends with 130, all is stored, the workers are gone, and the next run completes without a lost round',
  async (signal) => {
    const repo = makeRepo({ agent: stays })
    repo.write('plan.yaml', planText('p', { a: '', b: 'depends_on: [a]' }))
    const run = repo.start('run', 'plan.yaml', '--json')
    const pids = (await fileText(join(repo.home, 'pids'))).trim().split(' ').map(Number)
    run.signal(signal)
    const ended = await run.ended
    expect(ended).toMatchObject({ code: 130 })
    expect(pids.some(isAlive)).toBe(false)
    expect(ended.json<RunDocument>().tasks.map(({ status }) => status)).toEqual(['completed', 'in-progress'])
    repo.write('../home/open', 'yes')
    const again = await repo.muster('run', '--json')
    expect(again).toMatchObject({ code: 0 })
    expect(again.json<RunDocument>().tasks).toMatchObject([{ id: 'p-b', status: 'completed', round: 0 }])
  },
)

test.concurrent('Ctrl-C says truly what was begun, finished and stopped, and what muster run does next', async () => {
  const repo = makeRepo({ agent: stays })
  repo.write('plan.yaml', planText('p', { a: '', b: 'depends_on: [a]' }))
  const run = repo.start('run', 'plan.yaml')
  await fileText(join(repo.home, 'pids'))
  run.signal('SIGINT')
  const { stdout } = exited(await run.ended, 130)
  const [, begun, finished] =
    /interrupted: (\d+) runs started, (\d+) finished, 1 stopped; finished work is stored\n/.exec(stdout) ?? []
  expect(Number(begun)).toBe(Number(finished) + 1)
  expect(stdout).toContain('◼ p-b: implementer was stopped; muster run starts this step again\n')
  expect(stdout).toMatch(/next {4}muster run continues from here; this cost no round\n/)
  expect(stdout.match(/^ {2}next/gm)).toHaveLength(1)
})

test.concurrent('Ctrl-C of a run that only follows another says that the other goes on', async () => {
  const repo = makeRepo({ agent: stays })
  repo.write('plan.yaml', planText('p', { b: '' }))
  const first = repo.start('run', 'plan.yaml')
  await fileText(join(repo.home, 'pids'))
  const second = repo.start('run')
  await second.saw(/another muster is at work here/)
  second.signal('SIGINT')
  const { stdout } = exited(await second.ended, 130)
  expect(stdout).toContain('left: the other muster keeps working on these')
  expect(stdout).not.toContain('interrupted:')
  first.signal('SIGINT')
  exited(await first.ended, 130)
})

test.concurrent('Ctrl-C twice ends at once even when the agent ignores SIGTERM, and leaves no process', async () => {
  const agent = `[ -e "$HOME/open" ] && { echo done >done.txt; exit 0; }; trap '' TERM INT HUP
(trap '' TERM INT HUP; while :; do sleep 1000; done) & echo "$$ $!" >"$HOME/pids"; while :; do wait; done`
  const repo = makeRepo({ agent })
  const run = repo.start('run', 'Do this now')
  const pids = (await fileText(join(repo.home, 'pids'))).trim().split(' ').map(Number)
  const before = performance.now()
  run.signal('SIGINT')
  await run.saw(/stopping/)
  run.signal('SIGINT')
  const ended = await run.ended
  expect(ended).toMatchObject({ code: 130 })
  // Asked once, it would have had all of that.
  expect(performance.now() - before).toBeLessThan(killGraceMs)
  expect(pids.some(isAlive)).toBe(false)
  repo.write('../home/open', 'yes')
  expect(await repo.muster('run')).toMatchObject({ code: 0 })
})

test.concurrent('kill -9 of run: the next run ends the orphan and completes', async () => {
  const repo = makeRepo({ agent: stays })
  repo.write('plan.yaml', planText('p', { a: '', b: 'depends_on: [a]' }))
  const run = repo.start('run', 'plan.yaml')
  const pids = (await fileText(join(repo.home, 'pids'))).trim().split(' ').map(Number)
  run.signal('SIGKILL')
  await run.ended
  repo.write('../home/open', 'yes')
  const again = await repo.muster('run', '--json')
  expect(again).toMatchObject({ code: 0 })
  expect(again.json<RunDocument>().tasks).toMatchObject([{ id: 'p-b', status: 'completed', round: 0 }])
  expect(pids.some(isAlive)).toBe(false)
  expect(await repo.muster('doctor')).toMatchObject({ code: 0 })
})
