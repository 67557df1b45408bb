/** A data directory that is damaged, foreign or not there to write to: said in words, and nothing more is lost. */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
  closeSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { writeDurably } from '../../src/durable.ts'
import type { Repo, RunDocument } from '../support/muster.ts'
import { cleanEnv, cliWords, exited, makeRepo } from '../support/muster.ts'

const isRoot = process.getuid?.() === 0

async function used(): Promise<Repo> {
  const repo = makeRepo()
  exited(await repo.here('run', 'Do this now'), 0)
  return repo
}

function sql(repo: Repo, statement: string): void {
  const db = new DatabaseSync(join(repo.dataDir(), 'muster.db'))
  db.exec(statement)
  db.exec('pragma wal_checkpoint(truncate)')
  db.close()
}

/** What each command says that needs the store; all of them must end with 1. */
async function answers(
  repo: Repo,
  commands = [['status'], ['run'], ['add', 'Something'], ['doctor']],
): Promise<string[]> {
  const said: string[] = []
  for (const args of commands) {
    const { stdout, stderr } = exited(await repo.here(...args), 1)
    said.push(stdout + stderr)
  }
  return said
}

const everySaying = (words: RegExp, length = 4) => Array.from({ length }, () => expect.stringMatching(words) as string)

describe.concurrent('the store', () => {
  test('from a newer Muster is refused in clear words', async () => {
    const repo = await used()
    sql(repo, `update meta set value = '99' where name = 'schema'`)
    expect(await answers(repo)).toEqual(everySaying(/newer Muster.*version 99/))
  })

  test('with a garbled header is refused in clear words, and is not touched', async () => {
    const repo = await used()
    const file = join(repo.dataDir(), 'muster.db')
    sql(repo, 'select 1')
    for (const end of ['-wal', '-shm']) rmSync(file + end, { force: true })
    const handle = openSync(file, 'r+')
    writeSync(handle, 'this is not a database at all', 0)
    closeSync(handle)
    const kept = `${file}.kept`
    copyFileSync(file, kept)
    expect(await answers(repo)).toEqual(everySaying(/muster\.db is not a database/))
    execFileSync('cmp', [file, kept])
  })

  test('with a damaged page that nobody reads just now: run begins nothing, and doctor says so', async () => {
    const repo = await used()
    const file = join(repo.dataDir(), 'muster.db')
    sql(repo, 'pragma wal_checkpoint(truncate)')
    const database = new DatabaseSync(file)
    const { page } = database
      .prepare(`select rootpage as page from sqlite_master where type = 'table' and name = 'evidence'`)
      .get() as { page: number }
    const { size } = database.prepare('select page_size as size from pragma_page_size').get() as { size: number }
    database.close()
    const handle = openSync(file, 'r+')
    writeSync(handle, Buffer.alloc(size, 0xa5), 0, size, (page - 1) * size)
    closeSync(handle)
    const run = exited(await repo.here('run'), 1)
    expect(run.stderr).toMatch(
      /muster\.db is damaged: .*\n +stop Muster, then restore your latest backup: muster restore/,
    )
    const doctor = exited(await repo.here('doctor'), 1)
    expect(doctor.stdout).toMatch(/✗ history +\S+muster\.db is damaged/)
  })

  test('with a changed history: doctor names the event and ends with 1', async () => {
    const repo = await used()
    sql(
      repo,
      `update events set body = replace(body, 'PASS', 'FAIL') where chain = 'task:do-this-now-1' and body like '%PASS%'`,
    )
    const doctor = await repo.here('doctor')
    expect(doctor).toMatchObject({ code: 1 })
    expect(doctor.stdout).toMatch(/history .*event \d+ of task:do-this-now-1/)
    const json = (await repo.here('doctor', '--json')).json<{
      ok: boolean
      findings: { what: string; ok: boolean }[]
    }>()
    expect(json.findings.filter(({ ok }) => !ok).map(({ what }) => what)).toEqual(['history'])
  })

  test('with a changed configuration: doctor says which, and nothing is begun under it', async () => {
    const repo = await used()
    sql(repo, `update configs set body = replace(body, './agent.sh', './other.sh')`)
    expect(exited(await repo.here('doctor'), 1).stdout).toMatch(
      /the stored configuration [0-9a-f]{12} is not what Muster stored/,
    )
  })

  test('with its last events cut off: doctor names the task and ends with 1', async () => {
    const repo = await used()
    sql(repo, `delete from events where seq = (select max(seq) from events where chain = 'task:do-this-now-1')`)
    const doctor = await repo.here('doctor')
    expect(doctor).toMatchObject({ code: 1 })
    expect(doctor.stdout).toContain('task:do-this-now-1')
  })

  test('locked for long by another program says so', async () => {
    const repo = await used()
    const db = new DatabaseSync(join(repo.dataDir(), 'muster.db'))
    db.exec('begin immediate')
    const refused = await repo.muster('add', 'Something')
    db.close()
    expect(refused).toMatchObject({ code: 1 })
    expect(refused.stderr).toMatch(/muster\.db is locked/)
    expect(await repo.muster('add', 'Something')).toMatchObject({ code: 0 })
  })

  test('whose lock file is garbage says what to do', async () => {
    const repo = await used()
    writeFileSync(join(repo.dataDir(), 'engine.lock'), 'this is not a lock file at all, it is garbage')
    const run = await repo.here('run')
    expect(run.stderr).not.toContain('internal error')
  })

  test('whose mirror was deleted is made anew and the work goes on', async () => {
    const repo = await used()
    rmSync(join(repo.dataDir(), 'mirror.git'), { recursive: true })
    const run = await repo.here('run', 'Do that as well', '--json')
    expect(run).toMatchObject({ code: 0 })
    expect(run.json<RunDocument>().tasks[0]).toMatchObject({ status: 'completed' })
    expect((await repo.here('diff', 'do-this-now-1')).stdout).toContain('+by do-this-now-1')
  })
})

describe.concurrent('a data directory', () => {
  // Looking at what is not there needs no folder; everything else does.
  const writers = [['run'], ['add', 'Something'], ['doctor']]

  test('that cannot be made says so, and what to set', async () => {
    const repo = makeRepo()
    writeFileSync(repo.musterHome, 'a file is in the way')
    expect(await answers(repo, writers)).toEqual(everySaying(/MUSTER_HOME/, writers.length))
  })

  test.skipIf(!isRoot)('of another user is refused, and says whose it is', async () => {
    const repo = await used()
    chownSync(repo.dataDir(), 12_345, 12_345)
    expect(await answers(repo, writers)).toEqual(everySaying(/belongs to another user \(12345.*as that user/s, 3))
    // What is only looked at may be anybody's.
    exited(await repo.here('status'), 0)
  })

  test('that is a link is the folder that it leads to', async () => {
    const repo = makeRepo()
    mkdirSync(join(repo.home, 'elsewhere'))
    symlinkSync(join(repo.home, 'elsewhere'), repo.musterHome)
    exited(await repo.here('run', 'Do this now'), 0)
    expect(await repo.here('doctor')).toMatchObject({ code: 0 })
  })

  test('that another machine works in is left alone, until somebody says that it does not', async () => {
    const repo = await used()
    const mark = join(repo.dataDir(), 'at-work.json')
    await writeDurably(mark, { boot: 'b', machine: 'm', host: 'tower' })
    const { stdout, stderr } = await repo.here('run')
    expect(stdout + stderr).toMatch(/another machine \(tower\) is using .*\n.*rm '.*at-work\.json'/)
    expect(readFileSync(mark, 'utf8')).toContain('tower')
    rmSync(mark)
    exited(await repo.here('run'), 0)
  })

  test.skipIf(!canMount())('on a read-only disk says so, and what to set', async () => {
    const repo = await used()
    execFileSync('mount', ['--bind', repo.musterHome, repo.musterHome])
    execFileSync('mount', ['-o', 'remount,ro,bind', repo.musterHome])
    try {
      expect(await answers(repo, writers)).toEqual(everySaying(/its disk is read-only\n.*MUSTER_HOME/, 3))
      exited(await repo.here('status'), 0)
    } finally {
      execFileSync('umount', ['-l', repo.musterHome])
    }
  })

  // Root may write anywhere, so only other users can see this one.
  test.skipIf(isRoot)('that may not be written to says so, and what to set', async () => {
    const repo = makeRepo()
    mkdirSync(repo.musterHome)
    chmodSync(repo.musterHome, 0o555)
    expect(await answers(repo, writers)).toEqual(everySaying(/MUSTER_HOME/, writers.length))
    chmodSync(repo.musterHome, 0o755)
  })

  // Needs the right to mount; elsewhere it is left out.
  test.skipIf(!canMount())('on a full disk: said in words; with room again the same command goes on', async () => {
    const repo = makeRepo({ agent: 'head -c 3000000 /dev/urandom >big.bin' })
    mkdirSync(repo.musterHome)
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'none', repo.musterHome])
    try {
      const full = await repo.muster('run', 'Do this now')
      expect(full.code).not.toBe(0)
      expect(full.stdout + full.stderr).toMatch(/disk is full|no space/i)
      expect(full.stderr).not.toContain('internal error')
      execFileSync('mount', ['-o', 'remount,size=100m', repo.musterHome])
      await repo.muster('retry', '1')
      const again = await repo.muster('run', 'Do this now', '--json')
      exited(again, 0)
      expect(await repo.muster('doctor', '--json')).toMatchObject({
        stdout: expect.stringContaining('all intact') as string,
      })
    } finally {
      execFileSync('umount', ['-l', repo.musterHome])
    }
  })
})

function canMount(): boolean {
  if (!isRoot) return false
  const { dir } = makeRepo()
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'none', dir], { stdio: 'ignore' })
    execFileSync('umount', [dir], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

test('with few open files it ends by itself: refused at once, or held with the reason', async () => {
  const repo = makeRepo()
  const limited = (files: number) =>
    spawnSync('sh', ['-c', `ulimit -n ${files}; exec ${cliWords} run "Do this now"`], {
      cwd: repo.dir,
      env: cleanEnv(repo.home, repo.musterHome),
      encoding: 'utf8',
      timeout: 60_000,
    })
  expect(limited(40)).toMatchObject({ status: 2, stderr: expect.stringContaining('ulimit -n 1024') as string })
  expect(existsSync(repo.musterHome)).toBe(false)
  expect(limited(64)).toMatchObject({ signal: null })
})
