/** Services as a user has them: beside a check, seen with `muster logs`, tried by `muster doctor`, gone after kill -9. */
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findSandbox } from '../../src/process/sandbox.ts'
import { endsAll } from '../../src/domain/config.ts'
import { having } from '../../src/process/fixtures/marked.ts'
import { gone } from '../../src/process/group.ts'
import type { ErrorDocument, Repo, RunDocument } from '../support/muster.ts'
import { exited, fileText, makeRepo } from '../support/muster.ts'

const { kind } = await findSandbox()

const SERVER = `echo "listening on $MUSTER_PORT"
exec perl -MIO::Socket::INET -e 'my $s = IO::Socket::INET->new(Listen => 5, LocalAddr => "127.0.0.1", LocalPort => $ENV{MUSTER_PORT}) or die; while (my $c = $s->accept) { print $c "served\\n"; close $c }'`
const ASK = `perl -MIO::Socket::INET -e 'print IO::Socket::INET->new("127.0.0.1:$ENV{MUSTER_PORT_DB}")->getline' | grep served`

function served(config: string, agent?: string): Repo {
  const checks = 'checks: { api: { run: ./api.sh, services: [db] } }\nservices: { db: ./server.sh }'
  const repo = makeRepo({ config: `${checks}\nprotected: []\n${config}`, ...(agent === undefined ? {} : { agent }) })
  repo.script('server.sh', SERVER)
  repo.script('api.sh', ASK)
  repo.git('add', 'server.sh', 'api.sh')
  repo.git('commit', '--quiet', '--message', 'Server')
  return repo
}

describe('services', () => {
  test('a check reaches its service, and muster logs --service shows what that printed', async () => {
    const repo = served('sandbox: auto')
    repo.write('plan.yaml', 'meta: { id: p, name: P }\ntasks: [{ id: 1, name: Do this, checks: [api] }]\n')
    exited(await repo.here('run', 'plan.yaml'), 0)
    const logs = exited(await repo.here('logs', 'p-1', '--service', 'db'), 0)
    expect(logs.stdout).toMatch(/^\$ \.\/api\.sh\nlistening on 2\d{4}\n/)
    const none = exited(await repo.here('logs', 'p-1', '--service', 'dbs', '--json'), 5)
    expect(none.json<ErrorDocument>().error.message).toBe('unknown service "dbs" (known: db; did you mean "db"?)')
  })

  test('doctor tries checks with their services, and names a service whose program is missing', async () => {
    const repo = served('sandbox: auto')
    const doctor = exited(await repo.here('doctor'), 0)
    expect(doctor.stdout).toMatch(/✓ api +\d/)
    repo.write(
      'muster.yaml',
      repo.read('muster.yaml').replace('./server.sh', '{ run: no-such-server, ready: ./no.sh }'),
    )
    const missing = exited(await repo.here('doctor'), 1)
    expect(missing.stdout).toContain('services.db.run: the command "no-such-server" is not found')
    expect(missing.stdout).toMatch(/services\.db\.ready: the command "\.\/no\.sh" is not found/)
  })

  test.skipIf(!endsAll(kind))(`kill -9 of run ends services at once (L4; ${kind})`, async () => {
    const { killed, processes } = await beside('auto')
    await killed()
    expect(await gone(() => processes().length > 0, 10_000)).toBe(true)
  })

  test('kill -9 of run: without a sandbox the next run ends services, and completes (L4)', async () => {
    const { repo, killed, processes } = await beside('off')
    await killed()
    repo.write('../home/.meeting/open', 'yes')
    const again = exited(await repo.muster('run', '--json'), 0)
    expect(again.json<RunDocument>().tasks).toMatchObject([{ status: 'completed', round: 0 }])
    expect(processes()).toEqual([])
  })
})

/** A run whose agent has asked its service, and does not go on before it is open. */
async function beside(mode: 'auto' | 'off') {
  const agent = `[ -e "$HOME/.meeting/open" ] && { echo done >done.txt; exit 0; }
${ASK} >"$HOME/.meeting/asked"; sleep 1000`
  const repo = served(`sandbox: { mode: ${mode}, home: [.meeting] }`, agent)
  repo.write('muster.yaml', repo.read('muster.yaml').replace('timeout: 1m', 'timeout: 1m, services: [db]'))
  repo.write('../home/.meeting/x', '')
  const run = repo.start('run', 'Do this')
  expect(await fileText(join(repo.home, '.meeting/asked'))).toBe('served\n')
  const processes = () => having(`HOME=${repo.home}`).filter((pid) => pid !== run.pid)
  expect(processes().length).toBeGreaterThan(2)
  const killed = () => {
    run.signal('SIGKILL')
    return run.ended
  }
  return { repo, killed, processes }
}
