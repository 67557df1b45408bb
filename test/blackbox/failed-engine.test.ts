/** When the engine fails, everybody who waits for it is told what happened and where the log is, and ends with 1. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import type { Repo, Running } from '../support/muster.ts'
import { fileText, isAlive, makeRepo, planText } from '../support/muster.ts'

const gated = `echo "$$" >"$HOME/begun"; mkfifo "$HOME/gate"; echo waits; cat "$HOME/gate" >/dev/null; echo x >x.txt`

const begun = (repo: Repo) => fileText(join(repo.home, 'begun'))
const openGate = (repo: Repo) => execFileSync('sh', ['-c', 'echo go >"$1"', 'sh', join(repo.home, 'gate')])

/** What the engine has to write next finds no place. */
function damage(repo: Repo): void {
  const db = new DatabaseSync(join(repo.dataDir(), 'muster.db'), { timeout: 5000 })
  db.exec('drop table runs')
  db.close()
}

async function ends(running: Running, repo: Repo): Promise<void> {
  const { code, stderr } = await running.ended
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('the engine failed: ') as string })
  expect(stderr).toContain(join(repo.dataDir(), 'muster.log'))
}

test.concurrent('a run, the run that follows it and logs -f end with it', async () => {
  const repo = makeRepo({ agent: gated })
  repo.write('plan.yaml', planText('p', { a: '' }))
  const first = repo.start('run', 'plan.yaml')
  await begun(repo)
  const second = repo.start('run', 'plan.yaml')
  await second.saw(/story p continues/)
  const logs = repo.start('logs', 'p-a', '-f')
  await logs.saw(/waits/)
  damage(repo)
  openGate(repo)
  await Promise.all([ends(first, repo), ends(second, repo)])
  // The agent had ended before: its log is whole.
  expect(await logs.ended).toMatchObject({ code: 0 })
})

test.concurrent('muster serve ends with it', async () => {
  const repo = makeRepo({ agent: gated })
  expect(await repo.muster('add', 'Do this now')).toMatchObject({ code: 0 })
  const serving = repo.start('serve', '--port', '0')
  await begun(repo)
  damage(repo)
  openGate(repo)
  await ends(serving, repo)
})

test.concurrent('logs -f of a run whose muster was killed ends and says how to go on', async () => {
  const repo = makeRepo({ agent: gated })
  const run = repo.start('run', 'Do this now')
  const worker = Number(await begun(repo))
  const logs = repo.start('logs', '1', '-f')
  await logs.saw(/waits/)
  run.signal('SIGKILL')
  const told = { code: 1, stderr: expect.stringMatching(/no muster is at work on .*\n.*muster run/) as string }
  expect(await logs.ended).toMatchObject({ ...told, stdout: 'waits\n' })
  expect(await repo.muster('logs', '1', '-f')).toMatchObject({ ...told, stdout: 'waits\n' })
  expect(isAlive(worker)).toBe(true)
  expect(await repo.muster('cancel', '1')).toMatchObject({ code: 0 })
  expect(await repo.muster('run')).toMatchObject({ code: 0 })
  expect(isAlive(worker)).toBe(false)
})
