/** Landing as a user meets it: on the branch they have checked out, with their own files about, and across a kill -9. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Repo } from '../support/muster.ts'
import { exited, fileText, makeRepo, planText } from '../support/muster.ts'

/** A fresh repository on master, made ready by \`muster init\` alone; one task is verified and waits for a person. */
async function waitingForApproval(agent: string): Promise<Repo> {
  const repo = makeRepo({ branch: 'master', agent })
  repo.git('clean', '--quiet', '--force', 'muster.yaml')
  exited(await repo.here('init', '--agent', './agent.sh'), 0)
  exited(await repo.here('add', 'Write the news'), 0)
  const run = exited(await repo.here('run'), 8)
  expect(run.stdout).toContain('task-1 is waiting: a person must decide (acceptance)')
  expect(run.stdout).toContain('muster diff task-1   muster accept task-1   muster reject task-1 -m "what must change"')
  return repo
}

/** What the last lines of a run say, without the leading blanks. */
const lines = (text: string): string[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => line.trim())

describe.concurrent('S1.10 master is checked out and nothing of Muster’s is committed', () => {
  test('approved, it lands, and the checkout shows it', async () => {
    const repo = await waitingForApproval('echo news >news.txt')
    const approved = exited(await repo.here('approve', '1'), 0)
    expect(approved.stderr).toContain('task-1 approved\n  next: muster run')
    const run = exited(await repo.here('run'), 0)
    expect(lines(run.stdout)).toEqual(['open tasks: 1 completed', '✓ task-1 is on master: muster diff task-1'])
    expect(repo.read('news.txt')).toBe('news\n')
    expect(lines(repo.git('status', '--porcelain'))).toEqual(['?? agent.sh', '?? muster.yaml'])
    expect(repo.git('log', '-1', '--format=%s', 'master')).toBe('Write the news\n')
  })

  test('a changed file and then an untracked one in the way: it waits, says why and what to type, and lands after that', async () => {
    const repo = await waitingForApproval('echo news >news.txt')
    repo.write('README.md', 'my own words\n')
    exited(await repo.here('approve', '1'), 0)
    const dirty = exited(await repo.here('run'), 8)
    expect(lines(dirty.stdout)).toEqual([
      'open tasks: 1 in-progress',
      `? task-1 is waiting: master is checked out in ${repo.dir} with uncommitted changes: README.md (commit there, or git -C ${repo.dir} stash)`,
      'muster diff task-1   muster run   muster reject task-1 -m "what must change"',
    ])
    const told = exited(await repo.here('explain', '1'), 0)
    expect(told.stdout).toMatch(
      /why {8}merge ended: WAIT: master is checked out in \S+ with uncommitted changes: README\.md/,
    )
    expect(told.stdout).toMatch(/next {7}muster diff task-1\n +muster run\n/)
    execFileSync('sh', ['-c', `git -C ${repo.dir} -c user.name=T -c user.email=t@example.invalid stash --quiet`])

    repo.write('news.txt', 'my own news\n')
    const blocked = exited(await repo.here('run'), 8)
    expect(lines(blocked.stdout)[1]).toBe(
      `? task-1 is waiting: master is checked out in ${repo.dir}, and the landing would overwrite uncommitted files there: news.txt (commit them, or move them away)`,
    )
    expect(repo.read('news.txt')).toBe('my own news\n')
    execFileSync('mv', ['news.txt', '../news.txt'], { cwd: repo.dir })
    exited(await repo.here('run'), 0)
    expect(repo.read('news.txt')).toBe('news\n')
    expect(repo.git('stash', 'list')).toContain('stash@{0}')
  })
})

describe.concurrent('L6, E-30 kill -9 in the middle of moving the branch', () => {
  // Before the branch moves git goes on without Muster; after it, the landing is there and not written down.
  test.each(['before', 'after'])(
    '%s the branch moves: one landing, and what the user committed since is kept',
    async (when) => {
      const repo = makeRepo()
      repo.write('plan.yaml', planText('p', { 1: '' }))
      execFileSync('mkfifo', [join(repo.home, 'pid')])
      const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
      repo.script(
        '../bin/git',
        `case "$*" in
  *\\ update-ref\\ *\\ refs/heads/muster/story/p\\ *) ;;
  *) exec '${git}' "$@" ;;
esac
end() { read pid <'${repo.home}/pid' && kill -9 "$pid"; while kill -0 "$pid" 2>/dev/null; do :; done; }
[ ${when} = after ] || end
'${git}' "$@"
[ ${when} = before ] || end
echo done >'${repo.home}/pushed'`,
      )
      // The story's branch would be made that way too.
      repo.git('branch', 'muster/story/p')
      const run = repo.startWith({ env: { PATH: `${repo.dir}/../bin:${process.env['PATH']}` } }, 'run', 'plan.yaml')
      execFileSync('sh', ['-c', `echo ${run.pid} >'${repo.home}/pid'`])
      expect(await run.ended).toMatchObject({ signal: 'SIGKILL' })
      await fileText(join(repo.home, 'pushed'))
      const cancel = exited(await repo.muster('cancel', '1'), 3)
      expect(cancel.stderr).toContain('p-1 cannot be cancelled: it landed on muster/story/p before Muster ended')
      repo.git('switch', '--quiet', 'muster/story/p')
      repo.write('mine.txt', 'mine\n')
      repo.git('add', 'mine.txt')
      repo.git('commit', '--quiet', '--message', 'Mine')
      exited(await repo.here('run', 'plan.yaml'), 0)
      const history = repo.git('log', '--first-parent', '--format=%s', 'muster/story/p')
      expect(lines(history)).toEqual(['Mine', 'Task 1', 'Start'])
      expect((await repo.here('diff', '1')).stdout).toContain('+by p-1')
    },
  )
})
