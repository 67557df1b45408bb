/** Services beside a run: in every kind of sandbox, on ports of their own, and gone when it is over. */
import { createServer } from 'node:net'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import type { Service } from '../../domain/service.ts'
import type { RunOutcome, RunRequest } from '../../ports/runtime.ts'
import { kinds } from '../../process/fixtures/kinds.ts'
import { marked } from '../../process/fixtures/marked.ts'
import { lineSeen, tempDir } from '../../process/fixtures/temp.ts'
import { readLog } from '../../process/log-read.ts'
import { noSandbox } from '../../process/sandbox.ts'
import { type Sandbox } from '../../process/sandbox-found.ts'
import { commandRuntime } from '../command/command.ts'

const all = await kinds()
const plain = noSandbox('a test')

/** Perl, because it is small and in every place that tests run in. */
const listen = (port = '$ENV{MUSTER_PORT}', then = '') =>
  `exec perl -MIO::Socket::INET -e '$| = 1; my $s = IO::Socket::INET->new(Listen => 5, LocalAddr => "127.0.0.1", LocalPort => ${port}) or die "cannot listen: $!\\n"; print "listening\\n"; ${then} while (my $c = $s->accept) { print $c "served\\n"; close $c }'`
const ASK = `perl -MIO::Socket::INET -e 'my $s = IO::Socket::INET->new("127.0.0.1:$ENV{MUSTER_PORT_DB}") or die "$!\\n"; print <$s>'`

let runs = 0
function request(run: string, services: Partial<Service>[], more: Partial<RunRequest> = {}): RunRequest {
  const root = tempDir()
  const runId = `served-${process.pid}-${(runs += 1)}`
  for (const name of ['workspace', 'project', 'data']) mkdirSync(join(root, name))
  const blank = { name: 'db', run: listen(), ready: null, stop: null, env: [], timeoutMs: 20_000 }
  const run0 = { runId, taskId: 't-1', role: 'check', judge: true, attempt: 1, round: 0, nonce: 'n0nce', prompt: 'Go' }
  const places = { workspace: join(root, 'workspace'), projectRoot: join(root, 'project') }
  const agent = {
    runtime: 'command',
    verdict: 'exit',
    env: [],
    timeoutMs: 30_000,
    network: true,
    checks: [],
    run,
  } as const
  const beside = services.map((service) => ({ ...blank, ...service }))
  return { ...run0, ...places, dir: join(root, 'data/runs/r1'), agent, services: beside, resolved: true, ...more }
}

const runtimeIn = (kind: Sandbox, { dir }: RunRequest) => {
  const mode = kind.kind === 'none' ? 'off' : kind.kind === 'container' ? 'container' : 'auto'
  return commandRuntime({ sandbox: { mode, home: [] }, dataDir: join(dir, '../..'), kind })
}
const outcome = async (of: RunRequest, kind = plain): Promise<RunOutcome> =>
  (await runtimeIn(kind, of).start(of, () => {})).ended
const logOf = async ({ dir }: RunRequest, name = 'db') => (await readLog(dir, name)).toString()

afterEach(() => {
  delete process.env['SERVICE_KEY']
  delete process.env['AGENT_KEY']
})

describe.each(all)('in $name', ({ sandbox, kind }) => {
  for (const network of kind === 'bubblewrap' || kind === 'container' ? [true, false] : [true]) {
    test.skipIf(sandbox === null)(`a run reaches its service, which ends with it (network: ${network})`, async () => {
      const of = request(`${ASK}; cat; exit 3`, [{}])
      const ended = await outcome({ ...of, agent: { ...of.agent, network } }, sandbox ?? plain)
      expect(ended).toMatchObject({ process: { code: 3, log: Buffer.from('served\nGo') }, sandbox: kind })
      expect(await logOf(of)).toBe('listening\n')
      expect(marked(of.runId)).toEqual([])
      expect(readdirSync(join(of.dir, 'services')).toSorted()).toEqual(['.state', 'db'])
      expect(existsSync(join(of.dir, 'service-data'))).toBe(false)
    })
  }

  test.skipIf(sandbox === null)('one that ends before it is ready is an error with its last words', async () => {
    const of = request('echo never', [{ run: 'echo no disk; exit 7' }])
    const { verdict, detail, process: ended } = await outcome(of, sandbox ?? plain)
    expect({ verdict, ended, detail }).toEqual({
      verdict: 'ERROR',
      ended: undefined,
      detail: `service db ended before it was ready (exit 7); its log: ${of.dir}/services/db/log
the end of its output:
no disk
fix services.db in muster.yaml`,
    })
    expect((await readLog(of.dir)).toString()).toBe('')
  })
})

describe('services', () => {
  test('each has a port of its own, which those after it and the run know; they start in turn and stop in reverse', async () => {
    const told = `echo "$MUSTER_PORT $MUSTER_PORT_DB $MUSTER_PORT_WEB_2" >>told`
    const of = request(told, [
      { run: `${told}; ${listen()}`, stop: 'echo stop db >>told' },
      { name: 'web-2', run: `${told}; ${listen()}`, ready: '[ -e told ]', stop: 'echo stop web >>told' },
    ])
    expect(await outcome(of)).toMatchObject({ verdict: 'PASS' })
    const lines = readFileSync(join(of.workspace, 'told'), 'utf8').trim().split('\n')
    const [db, web] = (lines[0] ?? '').split(' ').slice(1)
    expect(new Set([db, web, lines[2]?.split(' ')[0]]).size).toBe(3)
    expect(lines).toEqual([`${db} ${db} ${web}`, `${web} ${db} ${web}`, expect.any(String), 'stop web', 'stop db'])
  })

  test('a service gets what it lists and nothing of the run; the run gets nothing of the service', async () => {
    Object.assign(process.env, { SERVICE_KEY: 's-key', AGENT_KEY: 'a-key' })
    const print = `echo "$SERVICE_KEY,$AGENT_KEY,$MUSTER_NONCE,$MUSTER_VERDICT_FILE"`
    const of = request(print, [
      { run: `${print}; ${listen()}`, env: ['SERVICE_KEY'] },
      { name: 'other', run: `${print}; ${listen()}` },
    ])
    const ended = await outcome({ ...of, agent: { ...of.agent, env: ['AGENT_KEY'] } })
    expect(ended.process?.log?.toString()).toBe(`,a-key,n0nce,${of.dir}/verdict\n`)
    expect(await logOf(of)).toBe('s-key,,,\nlistening\n')
    expect(await logOf(of, 'other')).toBe(',,,\nlistening\n')
  })

  test('has a folder for its data, which goes with it, and prints as it likes: the log keeps beginning and end', async () => {
    const of = request('true', [
      {
        run: `echo first >"$MUSTER_SERVICE_DIR/x"; cat "$MUSTER_SERVICE_DIR/x"; head -c 12000000 /dev/zero | tr '\\0' x; echo; ${listen()}`,
      },
    ])
    expect(await outcome(of)).toMatchObject({ verdict: 'PASS' })
    expect(readdirSync(of.dir)).not.toContain('service-data')
    expect(readdirSync(of.workspace)).toEqual([])
    const log = await logOf(of)
    expect(log.length).toBeLessThan(9_000_000)
    expect(log).toMatch(/^first\nx+\n… \d+ bytes left out …\nx+\nlistening\n$/)
  })
})

test('a ready that says much at its own pace is heard to its end, and a name that a file of ours had is a name', async () => {
  const ready = 'for n in $(seq 20); do echo line $n; sleep 0.01; done'
  const of = request('echo went', [{ name: 'state', run: 'exec sleep 1000', ready }])
  expect(await outcome(of)).toMatchObject({ process: { code: 0, log: Buffer.from('went\n') } })
})

describe('what goes wrong', () => {
  test.each([
    [
      'nothing listens',
      { ready: null },
      /^service db was not ready after 1s: nothing listens on its port, MUSTER_PORT; its log: /,
    ],
    [
      'ready says no',
      // Long enough for one try to be over on a busy machine.
      { ready: 'echo not yet; false', timeoutMs: 5000 },
      /^service db was not ready after 5s: `echo not yet; false` did not exit with 0 \(it printed: not yet\);/,
    ],
    [
      'ready hangs',
      { ready: 'sleep 1000' },
      /`sleep 1000` did not exit with 0; its log: .*\nthe end of its output:\nup\n/,
    ],
  ])('%s in its time: an error', async (_, service, words) => {
    const of = request('echo never', [{ run: 'echo up; sleep 1000', timeoutMs: 1000, ...service }])
    const { verdict, detail } = await outcome(of)
    expect(verdict).toBe('ERROR')
    expect(detail).toMatch(words)
    expect(marked(of.runId)).toEqual([])
  })

  test('a port in use is told in the words of the service', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    const { verdict, detail } = await outcome(request('echo never', [{ run: listen(String(port)) }]))
    server.close()
    expect(verdict).toBe('ERROR')
    expect(detail).toContain('cannot listen: Address already in use')
  })

  test('one that ends under a check makes its result unclear, whatever it says; under an author only if that fails', async () => {
    const service = { run: 'until [ -e go ]; do sleep 0.02; done; exit 4', ready: ':' }
    const run = `touch go; while [ ! -s "\${MUSTER_VERDICT_FILE%/*}/services/db/exit" ]; do sleep 0.02; done`
    const lost = {
      verdict: 'ERROR',
      detail: expect.stringMatching(/^service db ended while the run needed it \(exit 4\)/),
    }
    const author = { role: 'implementer', judge: false }
    expect(await outcome(request(run, [service]))).toMatchObject(lost)
    expect(await outcome(request(`${run}; exit 1`, [service], author))).toMatchObject(lost)
    expect(await outcome(request(run, [service], author))).toMatchObject({ verdict: 'PASS' })
  })

  test('a timeout ends service and check alike, and is told as the check’s', async () => {
    const of = request('echo begun; sleep 1000', [{ stop: 'echo stopped >stopped' }])
    const { onLine, seen } = lineSeen('begun')
    // Long enough for the clock to be stopped before it is over, on a busy machine too.
    const worker = await runtimeIn(plain, of).start({ ...of, agent: { ...of.agent, timeoutMs: 2000 } }, onLine)
    worker.setClock(false)
    await seen
    worker.setClock(true)
    const ended = await worker.ended
    expect(ended.process).toMatchObject({ timedOut: true })
    expect(readFileSync(join(of.workspace, 'stopped'), 'utf8')).toBe('stopped\n')
    expect(marked(of.runId)).toEqual([])
  })

  test('a timeout while a service starts is not the author’s', async () => {
    const of = request('echo never', [{ run: 'sleep 1000' }], { role: 'implementer', judge: false })
    const { verdict, detail } = await outcome({ ...of, agent: { ...of.agent, timeoutMs: 1500 } })
    expect({ verdict, detail }).toMatchObject({
      verdict: 'ERROR',
      detail: expect.stringMatching(/^service db was not ready when/),
    })
  })

  test('what code in the run plants among the logs is not followed, and a forged state is no pass', async () => {
    const planted = `cd "\${MUSTER_VERDICT_FILE%/*}/services"; ln -s / more; ln -sf /etc/passwd .state; ln -sf /etc/passwd db/log`
    const of = request(`${planted}; exit 1`, [{}])
    expect(await outcome(of)).toMatchObject({ verdict: 'ERROR', detail: 'Muster did not see its services start' })
    expect(readdirSync(join(of.dir, 'services'))).toEqual(['db'])
    expect(await logOf(of)).toBe('')
    const forged = request('echo running >"${MUSTER_VERDICT_FILE%/*}/services/.state"; exit 1', [{}])
    expect(await outcome(forged)).toMatchObject({ verdict: 'FAIL' })
  })
})
