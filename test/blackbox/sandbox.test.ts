/** The sandbox as a user has it: what the configuration says about it, what doctor tells, what a run can and cannot do. */
import { chmodSync, mkdirSync, readFileSync, readlinkSync, symlinkSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { kinds } from '../../src/process/fixtures/kinds.ts'
import { having } from '../../src/process/fixtures/marked.ts'
import { gone } from '../../src/process/group.ts'
import type { RunView } from '../../src/engine/views/run-view.ts'
import type { RunDocument } from '../support/muster.ts'
import { exited, fileText, makeRepo } from '../support/muster.ts'
import { BY_PERSON } from '../support/maps.ts'

const all = await kinds()
const [bubblewrap] = all
const best = all.find(({ sandbox }) => sandbox !== null)

const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as { url: string }

/** A PATH with what Muster and its agents need, and neither bubblewrap nor unshare. */
function barePath(dir: string): string {
  mkdirSync(dir)
  for (const name of ['git', 'sh', 'mkfifo', 'cat', 'ls', 'env']) {
    symlinkSync(execFileSync('/bin/sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim(), join(dir, name))
  }
  symlinkSync(process.execPath, join(dir, 'node'))
  return dir
}

describe.skipIf(bubblewrap?.sandbox == null)(`with ${bubblewrap?.name}`, () => {
  test('a run works by default, cannot read the home or Muster’s data, and its git works (L4)', async () => {
    const agent = `set -e
git log -1 --format=%s
[ ! -e "$HOME/secret" ]
[ -z "$(find "\${PWD%/workspaces/*}" -name muster.db -o -name '*.sock' -o -name notices.jsonl)" ]
echo "by $MUSTER_TASK_ID" >"$MUSTER_TASK_ID.txt"; git add --all; git -c user.name=a -c user.email=a@b.c commit -qm Work`
    const repo = makeRepo({ agent, config: 'sandbox: { mode: require }\nlanding: { keepBranches: true }' })
    repo.write('../home/secret', 'hunter2')
    const run = await repo.muster('run', 'Do this', '--json')
    expect(run, run.stderr).toMatchObject({ code: 0 })
    const [task] = run.json<RunDocument>().tasks
    expect(repo.git('show', `muster/task/${task?.id}:${task?.id}.txt`)).toBe(`by ${task?.id}\n`)
  })

  test('a run starts from the setup’s golden copy without ever seeing it (L4)', async () => {
    const agent = `set -e
[ "$(cat packages/dep)" = v1 ]; echo poison >packages/dep
[ -z "$(find "\${PWD%/workspaces/*}" -path '*/golden/*')" ]
mv lib moved; touch "$MUSTER_TASK_ID"`
    const setup = 'mkdir packages && cp package-lock.json packages/dep && echo packages/ >.gitignore'
    const repo = makeRepo({
      agent,
      config: `sandbox: { mode: require }\nlanding: { keepBranches: true }\nsetup: ${setup}`,
    })
    repo.write('package-lock.json', 'v1')
    repo.write('lib/a.txt', 'a')
    repo.git('add', 'package-lock.json', 'lib')
    repo.git('commit', '--quiet', '--message', 'Lock')
    for (const title of ['Do this', 'Do that']) {
      const run = await repo.muster('run', title, '--json')
      expect(run, run.stderr).toMatchObject({ code: 0 })
      const [task] = run.json<RunDocument>().tasks
      const files = repo.git('ls-tree', '-r', '--name-only', `muster/task/${task?.id}`).trim().split('\n')
      expect(files).toEqual(['README.md', task?.id, 'moved/a.txt', 'package-lock.json'])
    }
  })

  test('a run reaches the port of muster serve and can decide nothing there: it has no token (S1.21)', async () => {
    const agent = `set -e
port=$(cat "$HERE/port")
ask() { exec 3<>"/dev/tcp/127.0.0.1/$port"; printf '%s\\r\\nHost: 127.0.0.1:%s\\r\\nConnection: close\\r\\n\\r\\n' "$1" "$port" >&3; head -n 1 <&3 | cut -d' ' -f2; }
{ ask 'GET /api/health HTTP/1.1'; ask "POST /api/tasks/$MUSTER_TASK_ID/accept HTTP/1.1"; ask 'GET /api/tasks HTTP/1.1'; } >answers
find "\${PWD%/workspaces/*}" "$HOME" -name 'serve.*' >>answers || true`
    const repo = makeRepo({ agent: null, config: `sandbox: { mode: require }\nphases: ${BY_PERSON}` })
    repo.write('agent.sh', `#!/bin/bash\nHERE='${repo.dir}'\n${agent}\n`)
    chmodSync(join(repo.dir, 'agent.sh'), 0o755)
    const served = repo.start('serve', '--port', '0', '--json')
    await served.saw(/"url"/)
    const { port } = new URL(readJson(join(repo.dataDir(), 'serve.json')).url)
    repo.write('port', port)
    const added = await repo.muster('add', 'Do this', '--json')
    const { id } = added.json<{ id: string }>()
    await served.saw(new RegExp(`${id} implement → review`))
    const { patch } = (await repo.muster('diff', id, '--json')).json<{ patch: string }>()
    expect(patch).toMatch(/@@\n\+200\n\+401\n\+401\n$/)
    const shown = await repo.muster('show', id, '--json')
    expect(shown.json()).toMatchObject({ stage: 'review', phase: 'review' })
    served.signal('SIGTERM')
    expect(await served.ended).toMatchObject({ code: 0 })
  })

  test('a check that asks so has no network, and the run says what kept it in', async () => {
    const phases = `phases:
  implement: { run: agent implementer, on_pass: offline, on_fail: implement }
  offline: { run: check offline, on_pass: land, on_fail: implement }
  land: { run: action merge, on_pass: done, on_fail: implement }`
    const look = 'readlink /proc/self/ns/net'
    const check = `checks: { offline: { run: '${look}', network: false } }`
    const repo = makeRepo({ agent: `${look}; touch x`, config: `sandbox: auto\nprotected: []\n${phases}\n${check}` })
    const run = await repo.muster('run', 'Do this', '--json')
    expect(run, run.stderr).toMatchObject({ code: 0 })
    const [task] = run.json<RunDocument>().tasks
    const shown = (await repo.here('show', task?.id ?? '', '--json')).json<{ runs: RunView[] }>()
    const [author, offline] = shown.runs
    for (const ran of [author, offline]) expect(ran).toMatchObject({ sandbox: 'bubblewrap', unsandboxed: false })
    const net = async (run = '') =>
      (await repo.here('logs', task?.id ?? '', '--run', run)).stdout.match(/net:\[\d+\]/)?.[0]
    expect(await net(author?.id)).toBe(readlinkSync('/proc/self/ns/net'))
    expect(await net(offline?.id)).toMatch(/net/)
    expect(await net(offline?.id)).not.toBe(await net(author?.id))
  })

  test('doctor says that it works, and when it is switched off', async () => {
    const repo = makeRepo({ config: 'sandbox: auto' })
    expect((await repo.here('doctor')).stdout).toMatch(/✓ sandbox +bubblewrap: .*bwrap works/)
    const off = makeRepo({ config: 'sandbox: off' })
    expect((await off.here('doctor')).stdout).toMatch(/! sandbox +off in muster\.yaml/)
  })
})

describe.skipIf(best?.kind === 'none')(`with ${best?.kind === 'none' ? 'no sandbox (SKIPPED)' : best?.name}`, () => {
  test('L4, E-19 kill -9 of run: ten seconds later no worker lives, not even after setsid, and the next run completes', async () => {
    const agent = `[ -e "$HOME/.meeting/open" ] && { echo done >done.txt; exit 0; }
setsid sh -c '(trap "" TERM HUP; exec sleep 1000) &'; echo ready >"$HOME/.meeting/ready"; sleep 1000`
    const repo = makeRepo({ agent, config: 'sandbox: { home: [.meeting] }' })
    repo.write('../home/.meeting/x', '')
    const run = repo.start('run', 'Do this')
    await fileText(join(repo.home, '.meeting/ready'))
    const workers = () => having(`HOME=${repo.home}`).filter((pid) => pid !== run.pid)
    expect(workers().length).toBeGreaterThan(2)
    run.signal('SIGKILL')
    await run.ended
    expect(await gone(() => workers().length > 0, 10_000)).toBe(true)
    repo.write('../home/.meeting/open', 'yes')
    const again = await repo.muster('run', '--json')
    expect(again).toMatchObject({ code: 0 })
    expect(again.json<RunDocument>().tasks).toMatchObject([{ status: 'completed', round: 0 }])
  })
})

describe('without any sandbox program', () => {
  test('runs work in process groups, and doctor says so and what to install', async () => {
    const repo = makeRepo({ config: 'sandbox: auto' })
    const env = { PATH: barePath(join(repo.home, 'bin')) }
    const run = exited(await repo.musterWith({ env }, 'run', 'Do this'), 0)
    expect(run.stderr).toMatch(
      /note: agents run without a sandbox \(bubblewrap is not installed.*they can read and change everything that you can, and decide in your name.*apt-get install bubblewrap/,
    )
    const doctor = await repo.musterWith({ env }, 'doctor')
    expect(doctor).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('ready, with warnings: see each !') as string,
    })
    expect(doctor.stdout).toMatch(/^! sandbox +none, .*unsandboxed.*\n.*not installed.*\n.*apt-get install bubblewrap/m)
  })

  test('what asks for no network does not run at all, and says why', async () => {
    const repo = makeRepo({ config: 'sandbox: auto\nlimits: { maxErrorAttempts: 1 }' })
    repo.write('muster.yaml', repo.read('muster.yaml').replace('verdict: exit', 'verdict: exit, network: false'))
    const env = { PATH: barePath(join(repo.home, 'bin')) }
    const run = await repo.musterWith({ env }, 'run', 'Do this')
    expect(run).toMatchObject({ code: 8 })
    expect(run.stdout + run.stderr).toMatch(/must run without network, which needs bubblewrap/)
  })

  test('a required sandbox is a configuration error that says what to install: nothing runs', async () => {
    const repo = makeRepo({ config: 'sandbox: { mode: require }' })
    const env = { PATH: barePath(join(repo.home, 'bin')) }
    const run = await repo.musterWith({ env }, 'run', 'Do this')
    expect(run).toMatchObject({ code: 2 })
    expect(run.stderr).toMatch(/requires a sandbox: bubblewrap is not installed/)
    expect(run.stderr).toMatch(/apt-get install bubblewrap/)
    expect(repo.branches()).toEqual(['main'])
    expect(await repo.musterWith({ env }, 'doctor')).toMatchObject({ code: 1 })
  })
})

test.each([
  ['sandbox: maybe', /sandbox must be/],
  ['sandbox: { home: [../other] }', /sandbox\.home\.0 cannot be "\.\.\/other"/],
  ['sandbox: { home: [/etc] }', /sandbox\.home\.0 cannot be "\/etc"/],
  ['sandbox: { home: [.] }', /sandbox\.home\.0 cannot be "\.": name a path below your home/],
  ['sandbox: { home: ["~"] }', /sandbox\.home\.0 cannot be "~"/],
  ['sandbox: { home: [$HOME/.ssh] }', /sandbox\.home\.0 cannot be "\$HOME\/\.ssh"/],
  [
    'sandbox: { home: [.gitconfig] }',
    /sandbox\.home\.0 cannot be "\.gitconfig": git would run as you what a run writes to its settings/,
  ],
  ['sandbox: { home: [~/.config/] }', /Below \.config, name only the folders that a tool needs/],
  ['sandbox: { caches: [.config/git] }', /sandbox\.caches\.0 cannot be "\.config\/git"/],
  ['sandbox: { mod: off }', /"mod"/],
  ['sandbox: { mode: container }', /sandbox\.image is missing: .*image: node:24/],
  ['sandbox: { mode: require, image: node:24 }', /sandbox\.image is only for mode: container/],
  ['sandbox: { mode: container, image: --privileged }', /sandbox\.image must be the name of an image/],
])('a configuration with %s is refused with its line', async (config, message) => {
  const run = await makeRepo({ config }).here('run', 'Do this')
  expect(run).toMatchObject({ code: 2 })
  expect(run.stderr).toMatch(message)
  expect(run.stderr).toMatch(/muster\.yaml:4/)
})
