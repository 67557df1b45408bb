/** Workers in containers as a user has them: podman or docker, with an image of the machine's own files. */
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { RunView } from '../../src/engine/views/run-view.ts'
import { kinds, pathWithContainers, testImage } from '../../src/process/fixtures/kinds.ts'
import { having } from '../../src/process/fixtures/marked.ts'
import { gone } from '../../src/process/group.ts'
import type { RunDocument } from '../support/muster.ts'
import { exited, fileText, makeRepo } from '../support/muster.ts'

const container = (await kinds()).find(({ kind }) => kind === 'container')
const env = { PATH: pathWithContainers() }
const IN_IMAGE = `{ mode: container, image: '${testImage}' }`

describe.skipIf(container?.sandbox == null)(`in a ${container?.name}`, () => {
  test('a run works in the image, sees neither home nor data, and its checks have no network if they ask so (L4)', async () => {
    const agent = `set -e
[ ! -e "$HOME/secret" ] && [ -f /usr/bin/env ] && [ ! -e /var/lib/dpkg ]
[ -z "$(find "\${PWD%/workspaces/*}" -name muster.db -o -name '*.sock' -o -name notices.jsonl)" ]
git log -1 --format=%s; echo "by $MUSTER_TASK_ID" >"$MUSTER_TASK_ID.txt"`
    const phases = `phases:
  implement: { run: agent implementer, on_pass: offline, on_fail: implement }
  offline: { run: check offline, on_pass: land, on_fail: implement }
  land: { run: action merge, on_pass: done, on_fail: implement }`
    const check = `checks: { offline: { run: "[ $(ls /sys/class/net) = lo ]", network: false } }`
    const repo = makeRepo({ agent, config: `sandbox: ${IN_IMAGE}\nprotected: []\n${phases}\n${check}` })
    repo.write('../home/secret', 'hunter2')
    const run = exited(await repo.musterWith({ env }, 'run', 'Do this', '--json'), 0)
    expect(run.stderr).not.toContain('without a sandbox')
    const [task] = run.json<RunDocument>().tasks
    expect(repo.git('show', `muster/story/${task?.story}:${task?.id}.txt`)).toBe(`by ${task?.id}\n`)
    const shown = (await repo.here('show', task?.id ?? '', '--json')).json<{ runs: RunView[] }>()
    for (const ran of [shown.runs[0], shown.runs[1]])
      expect(ran).toMatchObject({ sandbox: 'container', unsandboxed: false })
  })

  test('a run starts from the setup’s golden copy without ever seeing it (L4)', async () => {
    const agent = `set -e
[ "$(cat packages/dep)" = v1 ]; echo poison >packages/dep
[ -z "$(find "\${PWD%/workspaces/*}" -path '*/golden/*')" ]
mv lib moved; touch "$MUSTER_TASK_ID"`
    const setup = 'mkdir packages && cp package-lock.json packages/dep && echo packages/ >.gitignore'
    const repo = makeRepo({ agent, config: `sandbox: ${IN_IMAGE}\nsetup: ${setup}` })
    repo.write('package-lock.json', 'v1')
    repo.write('lib/a.txt', 'a')
    repo.git('add', 'package-lock.json', 'lib')
    repo.git('commit', '--quiet', '--message', 'Lock')
    for (const title of ['Do this', 'Do that']) {
      const run = exited(await repo.musterWith({ env }, 'run', title, '--json'), 0)
      const [task] = run.json<RunDocument>().tasks
      const files = repo.git('ls-tree', '-r', '--name-only', `muster/story/${task?.story}`).trim().split('\n')
      expect(files).toEqual(['README.md', task?.id, 'moved/a.txt', 'package-lock.json'])
    }
  })

  test('L4, E-19 kill -9 of run: ten seconds later no worker lives, not even after setsid, and the next run completes', async () => {
    const agent = `[ -e "$HOME/.meeting/open" ] && { echo done >done.txt; exit 0; }
setsid sh -c '(trap "" TERM HUP; exec sleep 1000) &'; echo ready >"$HOME/.meeting/ready"; sleep 1000`
    const repo = makeRepo({ agent, config: `sandbox: ${IN_IMAGE.replace('}', ', home: [.meeting] }')}` })
    repo.write('../home/.meeting/x', '')
    const run = repo.startWith({ env }, 'run', 'Do this')
    await fileText(join(repo.home, '.meeting/ready'))
    const workers = () => having(`HOME=${repo.home}`).filter((pid) => pid !== run.pid)
    expect(workers().length).toBeGreaterThan(2)
    run.signal('SIGKILL')
    await run.ended
    expect(await gone(() => workers().length > 0, 10_000)).toBe(true)
    repo.write('../home/.meeting/open', 'yes')
    const again = exited(await repo.musterWith({ env }, 'run', '--json'), 0)
    expect(again.json<RunDocument>().tasks).toMatchObject([{ status: 'completed', round: 0 }])
  })

  test('doctor says what works, and looks for programs of commands in no other place than the image', async () => {
    const repo = makeRepo({ config: `sandbox: ${IN_IMAGE}\nchecks: { lint: only-in-the-image . }` })
    const doctor = exited(await repo.musterWith({ env }, 'doctor', '--no-try'), 0)
    expect(doctor.stdout).toMatch(/✓ sandbox +container: \S+ works with localhost\/muster-test:1/)
    expect(doctor.stdout).toMatch(/✓ commands +implementer, lint can start/)
  })

  test('an image that is not there is a configuration error that says what to type: nothing is fetched, nothing runs', async () => {
    const repo = makeRepo({ config: 'sandbox: { mode: container, image: muster-none }' })
    const run = exited(await repo.musterWith({ env }, 'run', 'Do this'), 2)
    expect(run.stderr).toMatch(
      /asks for container: .*does not have the image muster-none\. Get it: (podman|docker) pull muster-none/,
    )
    expect(repo.branches()).toEqual(['main'])
    exited(await repo.musterWith({ env }, 'doctor'), 1)
  })
})

test('without a runtime a container is a configuration error: nothing runs', async () => {
  const repo = makeRepo({ config: 'sandbox: { mode: container, image: node:24, runtime: podman }' })
  // Nothing but what Muster itself needs; where /bin holds podman, this is about an image that is not there.
  const run = exited(await repo.musterWith({ env: { PATH: '/bin' } }, 'run', 'Do this'), 2)
  expect(run.stderr).toMatch(/asks for container: podman/)
  expect(repo.branches()).toEqual(['main'])
})

test.skipIf(process.platform === 'darwin')('sandbox-exec is a configuration error where it is not', async () => {
  const run = exited(await makeRepo({ config: 'sandbox: { mode: sandbox-exec }' }).here('run', 'Do this'), 2)
  expect(run.stderr).toMatch(/asks for sandbox-exec: sandbox-exec is only on macOS/)
})
