/** Repositories from strangers, and those that do not hold still: Muster runs nothing of theirs, and works or says why not. */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Repo, RunDocument } from '../support/muster.ts'
import { exited, fileText, goodAgent, makeRepo, openRepo, planText } from '../support/muster.ts'
import { layTraps } from './traps.ts'

const who = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b.c', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b.c' }
const shell = (repo: Repo, text: string, env: Record<string, string> = {}) =>
  execFileSync('sh', ['-c', text], {
    cwd: repo.dir,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: repo.home, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })

test.concurrent('S1.10 what a repository comes with is not run: hooks, settings, attributes, modules, a git of its own', async () => {
  const agent = `echo more >notes.txt; echo '*.txt diff=evil merge=evil' >.gitattributes
[ "$MUSTER_ROUND" != 0 ] || echo '*.txt filter=cleaning' >>.gitattributes`
  const repo = makeRepo({ agent, config: 'protected: []' })
  const traps = layTraps(repo.home)
  repo.write('notes.txt', 'notes\n')
  shell(repo, `cp ${repo.home}/traps/modules .gitmodules; cp ${repo.home}/traps/programs/git git`)
  repo.git('add', 'notes.txt', '.gitmodules', 'git')
  repo.git('commit', '--quiet', '--message', 'Files')
  repo.git('clone', '--quiet', '--bare', '.', join(repo.home, 'traps/foreign.git'))
  shell(
    repo,
    `${traps.shell}
plant .git
echo 'ref: refs/heads/loop' >.git/refs/heads/loop
git rev-parse 'main^{tree}' >.git/refs/heads/tree
git update-ref refs/heads/-dash main; git update-ref refs/heads/HEAD main; git update-ref 'refs/heads/|x;"' main`,
    { TRAP_LOG: '/dev/null' },
  )
  const { env } = traps
  const refused = exited(await repo.musterWith({ env }, 'run', 'Do this now'), 2)
  expect(refused.stderr).toContain('filters, which Muster does not run: cleaning (.git/info/attributes), long (')
  rmSync(join(repo.dir, '.git/info/attributes'))

  exited(await repo.musterWith({ env }, 'add', 'Write more'), 0)
  const run = exited(await repo.musterWith({ env }, 'run', '--json'), 0)
  expect(run.json<RunDocument>().tasks).toMatchObject([{ status: 'completed', round: 1 }])
  expect(repo.read('notes.txt')).toBe('more\n')
  const looks = [['diff', '1'], ['show', '1'], ['status'], ['doctor']]
  await Promise.all(looks.map(async (args) => exited(await repo.musterWith({ env }, ...args), 0)))
  expect(traps.fired()).toEqual([])

  const control = { TRAP_LOG: join(repo.home, 'traps/control') }
  shell(
    repo,
    'git update-index --refresh; git clone -q . ../clone; cd ../clone; git push -q origin main:refs/heads/x',
    control,
  )
  expect(traps.control()).toEqual(
    expect.arrayContaining(['core.alternateRefsCommand', 'hook-pre-receive', 'hook-reference-transaction', 'included']),
  )
})

test.concurrent('S1.10 10,000 branches are not brought along: the mirror keeps the commits that the work needs', async () => {
  const repo = makeRepo()
  const head = repo.git('rev-parse', 'main').trim()
  const refs = Array.from({ length: 10_000 }, (_, index) => `${head} refs/heads/b/${index}/x\n`).toSorted()
  writeFileSync(join(repo.dir, '.git/packed-refs'), `# pack-refs with: peeled fully-peeled sorted \n${refs.join('')}`)
  exited(await repo.muster('run', 'Do this now'), 0)
  const kept = execFileSync('git', ['for-each-ref'], { cwd: join(repo.dataDir(), 'mirror.git'), encoding: 'utf8' })
  expect(kept.trim().split('\n').length).toBeLessThan(10)
})

test.concurrent('E-23 branches that are amended, renamed, deleted and packed all the while do not disturb it', async () => {
  const repo = makeRepo()
  repo.git('checkout', '--quiet', '-b', 'side')
  const loop = `while [ -e going ]; do
  git commit -q --allow-empty -m one; git commit -q --amend --allow-empty -m two; git branch -f main
  git branch a && git branch -D a; git branch a/b && git branch -D a/b; git pack-refs --all; git gc -q; echo >>turns
done`
  repo.write('going', 'yes')
  const env = { PATH: process.env['PATH'], HOME: repo.home, ...who }
  const restless = spawn('sh', ['-c', loop], { cwd: repo.dir, env, stdio: 'ignore' })
  const ended = new Promise((resolve) => restless.once('close', resolve))
  try {
    await fileText(join(repo.dir, 'turns'))
    repo.write('plan.yaml', planText('p', { a: '', b: '', c: '', d: '', e: '' }))
    exited(await repo.muster('run', 'plan.yaml'), 0)
    expect(repo.git('ls-tree', '--name-only', 'muster/story/p').match(/p-.\.txt/g)).toHaveLength(5)
  } finally {
    rmSync(join(repo.dir, 'going'))
    await ended
  }
})

test.runIf(existsSync('/proc/self/stat')).for(['main', 'muster/task/do-this-now-1', 'muster/story/do-this-now'])(
  'F-1 a lock on %s that a killed git left keeps nobody waiting',
  async (branch) => {
    const repo = makeRepo({ config: 'protected: []' })
    const lock = join(repo.dir, '.git/refs/heads', `${branch}.lock`)
    mkdirSync(dirname(lock), { recursive: true })
    writeFileSync(lock, '')
    utimesSync(lock, 1, 1)
    if (branch === 'main') exited(await repo.here('add', 'Do this now', '--phases', 'direct'), 0)
    exited(await repo.muster('run', ...(branch === 'main' ? [] : ['Do this now'])), 0)
    expect(existsSync(lock)).toBe(false)
  },
)

describe.concurrent('a clone that does not have everything', () => {
  /** A second repository beside the first, cloned from it. */
  function cloned(...how: string[]): Repo {
    const source = makeRepo()
    source.write('more.txt', 'more\n')
    source.git('add', 'more.txt')
    source.git('commit', '--quiet', '--message', 'More')
    source.git('config', 'uploadpack.allowFilter', 'true')
    source.git('clone', '--quiet', ...how, `file://${source.dir}`, '../cloned')
    const repo = openRepo(join(source.dir, '../cloned'), source.home, source.musterHome)
    repo.write('muster.yaml', source.read('muster.yaml'))
    repo.script('agent.sh', goodAgent)
    return repo
  }

  test('works without the older history', async () => {
    const repo = cloned('--depth=1')
    exited(await repo.muster('run', 'Do this now'), 0)
    expect(repo.git('log', '--format=%s', 'muster/story/do-this-now').trim().split('\n')).toEqual([
      'Do this now',
      'More',
    ])
    // Nothing is missing in the mirror that it does not know to be missing.
    execFileSync('git', ['rev-list', '--all', '--objects'], { cwd: join(repo.dataDir(), 'mirror.git'), stdio: 'pipe' })
  })

  test('is refused with 2 when files were left at its remote', async () => {
    const refused = exited(await cloned('--filter=blob:none', '--no-checkout').muster('run', 'Do this now'), 2)
    expect(refused.stderr).toMatch(/is a partial clone[^]*without --filter/)
  })
})
