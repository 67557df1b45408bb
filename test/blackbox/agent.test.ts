/** Agents that cannot start, print too much, die or do not listen: nothing is lost and nothing passes by accident. */
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { RunDocument } from '../support/muster.ts'
import { configText, exited, fileText, isAlive, makeRepo, planText } from '../support/muster.ts'

describe.concurrent('a command that cannot start is refused with 2 before anything starts', () => {
  test.each([
    ['not on the PATH', 'no-such-agent --yes', /agents\.implementer: .*"no-such-agent" is not found/],
    ['a file that is not there', './gone.sh', /agents\.implementer: .*"\.\/gone\.sh" is not found/],
    ['not executable', './README.md', /agents\.implementer: .*not executable: chmod \+x/],
    ['a folder', './docs', /agents\.implementer: .*directory/],
  ])('%s', async (_, run, message) => {
    const repo = makeRepo({ agent: null })
    repo.write('docs/x', '')
    repo.write('muster.yaml', configText('', 'exit', run))
    const refused = await repo.here('run', 'Do this now')
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toMatch(message)
    expect(repo.branches()).toEqual(['main'])
    expect(existsSync(repo.musterHome)).toBe(false)
    const doctor = await repo.here('doctor')
    expect(doctor).toMatchObject({ code: 1 })
    expect(doctor.stdout).toMatch(message)
  })
})

test.concurrent('L22 a command that is gone at run time is ERROR three times, costs no round, and is held: 8', async () => {
  const repo = makeRepo({ agent: "sh -c 'exec /nonexistent'; exit $?" })
  const run = await repo.muster('run', 'Do this now', '--json')
  expect(run).toMatchObject({ code: 8 })
  const [task] = run.json<RunDocument>().tasks
  expect(task).toMatchObject({ status: 'in-progress', stage: 'review', round: 0, attempt: 3, findings: [] })
  expect(task?.waitingFor).toMatch(/^implementer could not run .*tried 3 times.*not found/)
  const shown = await repo.here('show', '1', '--json')
  const { runs } = shown.json<{ runs: { verdict: string; exit: string }[] }>()
  expect(runs.map(({ verdict, exit }) => `${verdict} ${exit}`)).toEqual(Array(3).fill('ERROR exit 127'))

  repo.script('agent.sh', 'echo well >well.txt')
  expect(await repo.muster('retry', '1')).toMatchObject({ code: 0 })
  expect(await repo.here('run')).toMatchObject({ code: 0 })
})

test.concurrent('50 MB of output are taken in, its head and tail kept, the disk spared', async () => {
  const agent = 'echo first; head -c 50000000 /dev/zero | tr "\\0" x; echo; echo last; echo ok >ok.txt'
  const repo = makeRepo({ agent })
  expect(await repo.here('run', 'Do this now')).toMatchObject({ code: 0 })
  const logs = await repo.here('logs', '1')
  expect(logs).toMatchObject({ code: 0 })
  expect(logs.stdout.startsWith('first\n')).toBe(true)
  expect(logs.stdout.trimEnd().endsWith('\nlast')).toBe(true)
  expect(logs.stdout).toMatch(/… \d+ bytes left out …/)
  expect(logs.stdout.length).toBeLessThan(9_000_000)
  expect(statSync(join(repo.dataDir(), 'runs', 'do-this-now-1.r1', 'log')).size).toBeLessThan(9_000_000)
})

test.concurrent('output without a newline is kept and shown', async () => {
  const repo = makeRepo({ agent: 'printf "no newline at all"; echo ok >ok.txt' })
  expect(await repo.here('run', 'Do this now')).toMatchObject({ code: 0 })
  expect((await repo.here('logs', '1')).stdout).toBe('no newline at all')
})

test.concurrent('an agent that dies by a signal failed, and the signal is named', async () => {
  const repo = makeRepo({ agent: 'kill -SEGV $$', config: 'limits: { maxTaskRounds: 1 }' })
  const run = await repo.here('run', 'Do this now', '--json')
  expect(run).toMatchObject({ code: 1 })
  expect(run.json<RunDocument>().tasks[0]?.findings[0]?.message).toContain('SIGSEGV')
})

test.concurrent('H-1, H-5 an agent that changes nothing is not done because it says so: it is held, and its diff is empty', async () => {
  const repo = makeRepo({ agent: 'true' })
  const run = exited(await repo.here('run', 'Do this now'), 8)
  expect(run.stdout).toContain('no change: the result equals what it started from')
  expect(await repo.here('diff', '1')).toMatchObject({ code: 0, stdout: '' })
})

test.concurrent('gets only the allow-list, its own variables and what env lists, and the prompt on stdin and in a file', async () => {
  const agent = 'env | sort >env.txt; cat >stdin.txt; cat "$MUSTER_PROMPT_FILE" >file.txt; pwd >pwd.txt'
  const repo = makeRepo({ agent: null })
  repo.script('agent.sh', agent)
  repo.write('muster.yaml', configText().replace('timeout: 1m', 'timeout: 1m, env: [WANTED]'))
  repo.write('plan.yaml', planText('p', { a: 'description: Build the thing' }))
  const env = { SECRET: 'hunter2', WANTED: 'yes', GIT_DIR: '/nowhere', NODE_OPTIONS: '' }
  expect(await repo.musterWith({ env }, 'run', 'plan.yaml')).toMatchObject({ code: 0 })
  const result = (path: string) => repo.git('show', `muster/story/p:${path}`)
  const names = result('env.txt').match(/^\w+(?==)/gm)
  expect(names).toEqual(
    expect.arrayContaining(['HOME', 'MUSTER_ATTEMPT', 'MUSTER_NONCE', 'MUSTER_ROLE', 'MUSTER_ROUND']),
  )
  expect(names).toEqual(expect.arrayContaining(['MUSTER_TASK_ID', 'MUSTER_VERDICT_FILE', 'PATH', 'USER', 'WANTED']))
  expect(names).not.toContain('SECRET')
  expect(names).not.toContain('MUSTER_HOME')
  expect(result('stdin.txt')).toContain('Build the thing')
  expect(result('stdin.txt')).toBe(result('file.txt'))
  expect(result('pwd.txt').startsWith(repo.dir)).toBe(false)
})

test.concurrent('cancel ends an agent that ignores SIGTERM, with everything it started', async () => {
  const agent = `trap '' TERM; sleep 1000 & echo "$$ $!" >"$HOME/pids"; wait; wait`
  const repo = makeRepo({ agent })
  const run = repo.start('run', 'Do this now', '--json')
  const pids = (await fileText(join(repo.home, 'pids'))).trim().split(' ').map(Number)
  expect(pids.every(isAlive)).toBe(true)
  expect(await repo.muster('cancel', '1', '-m', 'not needed')).toMatchObject({ code: 0 })
  const ended = await run.ended
  expect(ended.code).toBe(0)
  expect(ended.json<RunDocument>().tasks[0]).toMatchObject({ status: 'cancelled', failureReason: 'not needed' })
  expect(pids.some(isAlive)).toBe(false)
})

test.concurrent('a timeout of its own is FAIL and is told to the next attempt', async () => {
  const agent = 'if [ "$MUSTER_ROUND" = 0 ]; then sleep 1000; fi; cat >seen.txt'
  const repo = makeRepo({ agent })
  repo.write('muster.yaml', configText().replace('1m', '1s'))
  const run = await repo.here('run', 'Do this now', '--json')
  expect(run).toMatchObject({ code: 0 })
  expect(run.json<RunDocument>().tasks[0]).toMatchObject({ round: 1, attempt: 2 })
  expect(repo.git('show', 'muster/story/do-this-now:seen.txt')).toContain('timed out after 1s')
})

test.concurrent('escape sequences in output and findings never reach the terminal through logs, show, status or progress', async () => {
  const agent = `printf '\\033]0;owned\\007\\033[2Jhello\\033[31m red\\n'; printf '\\033[2J\\233evil' >&2; exit 1`
  const repo = makeRepo({ agent, config: 'limits: { maxTaskRounds: 1 }' })
  const run = await repo.here('run', 'Do this now')
  expect(run).toMatchObject({ code: 1 })
  const said = [run]
  for (const args of [
    ['logs', '1'],
    ['show', '1'],
    ['explain', '1'],
    ['status', '--all'],
  ])
    said.push(await repo.here(...args))
  for (const { stdout, stderr } of said) {
    // oxlint-disable-next-line no-control-regex -- control characters are what must not be there
    expect(stdout + stderr).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/)
  }
  expect(said[1]?.stdout).toContain('hello red')
  expect((await repo.muster('logs', '1', '--raw')).stdout).toContain('\u001B]0;owned')
})

test.concurrent('files on the data directory are for nobody else to read', async () => {
  const repo = makeRepo()
  await repo.muster('run', 'Do this now')
  expect(statSync(repo.dataDir()).mode & 0o077).toBe(0)
})
