/** `landing: { push: true }` as a user meets it: across a kill -9, and with a remote that has moved (S1.18, H-6). */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Repo } from '../support/muster.ts'
import { exited, fileText, makeRepo, planText } from '../support/muster.ts'

function remoteOf(repo: Repo): (...args: string[]) => string {
  const dir = join(repo.home, 'remote.git')
  execFileSync('git', ['clone', '-q', '--bare', repo.dir, dir], { stdio: 'pipe' })
  execFileSync('git', ['config', 'core.logAllRefUpdates', 'always'], { cwd: dir })
  repo.git('remote', 'add', 'origin', dir)
  return (...args) => execFileSync('git', args, { cwd: dir, encoding: 'utf8' }).trimEnd()
}

async function shippable(): Promise<Repo> {
  const repo = makeRepo({ config: 'landing: { push: true }' })
  repo.write('plan.yaml', planText('p', { 1: '' }))
  exited(await repo.here('run', 'plan.yaml'), 0)
  return repo
}

describe.concurrent('E-30 kill -9 at the push', () => {
  test.each(['before', 'after'])('%s the remote has it: the next start pushes, and once in all', async (when) => {
    const repo = await shippable()
    const there = remoteOf(repo)
    execFileSync('mkfifo', [join(repo.home, 'pid')])
    const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
    repo.script(
      '../bin/git',
      `case "$*" in
  *\\ push\\ *\\ origin\\ *) ;;
  *) exec '${git}' "$@" ;;
esac
end() { read pid <'${repo.home}/pid' && kill -9 "$pid"; while kill -0 "$pid" 2>/dev/null; do :; done; }
[ ${when} = after ] || { end; echo done >'${repo.home}/ended'; exit 1; }
'${git}' "$@"
end
echo done >'${repo.home}/ended'`,
    )
    const ship = repo.startWith({ env: { PATH: `${repo.dir}/../bin:${process.env['PATH']}` } }, 'ship', 'p')
    execFileSync('sh', ['-c', `echo ${ship.pid} >'${repo.home}/pid'`], { timeout: 30_000 })
    expect(await ship.ended).toMatchObject({ signal: 'SIGKILL' })
    await fileText(join(repo.home, 'ended'))
    const here = repo.git('rev-parse', 'main').trim()
    expect(there('rev-parse', 'main') === here).toBe(when === 'after')
    await repo.here('run')
    expect(there('rev-parse', 'main')).toBe(here)
    expect(there('reflog', 'show', 'main').split('\n')).toHaveLength(1)
    expect(repo.git('rev-parse', 'main').trim()).toBe(here)
  })
})

test('a remote that has moved: status says why and what to type, and what is typed ends it', async () => {
  const repo = await shippable()
  const there = remoteOf(repo)
  const tree = there('rev-parse', 'main^{tree}')
  const identity = ['-c', 'user.name=B', '-c', 'user.email=b@example.invalid']
  there('update-ref', 'refs/heads/main', there(...identity, 'commit-tree', tree, '-p', 'main', '-m', 'Theirs'))
  const shipped = exited(await repo.here('ship', 'p'), 0)
  expect(shipped.stderr).toContain('main was not pushed: origin has commits on main that are not here')
  const told = 'not pushed: origin has commits on main that are not here. Next: git fetch origin'
  expect((await repo.here('status')).stdout).toContain(told)
  repo.git('fetch', '-q', 'origin')
  repo.git('merge', '-q', '--no-edit', 'origin/main')
  repo.git('push', '-q', 'origin', 'main:main')
  await repo.here('run')
  expect((await repo.here('status')).stdout).not.toContain('not pushed')
})
