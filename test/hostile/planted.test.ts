/** Agents that leave traps for git in their workspaces: none goes off outside of them, and the work lands all the same. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { RunDocument } from '../support/muster.ts'
import { exited, makeRepo, planText } from '../support/muster.ts'
import { layTraps } from './traps.ts'

/** What each task does to its workspace, once it has changed a line of shared.txt. */
const DEEDS: Record<string, string> = {
  // Everything at once. Its first round also leaves what must not land, and shows that the traps are live.
  traps: `plant .git
cp "$T/modules" .gitmodules
cp "$T/programs/git" git
if [ "$MUSTER_ROUND" = 0 ]; then
  cp "$T/attributes" .gitattributes
  git init -q empty
  git init -q full; git -C full commit -q --allow-empty -m x; echo x >full/x
  mkdir odd; ln -s / odd/.git
  export TRAP_LOG="$T/control"
  for args in status 'add shared.txt' 'diff HEAD' 'diff --no-ext-diff HEAD' commit 'commit -m x' x; do
    git $args </dev/null >/dev/null 2>&1
  done
else
  echo '*.txt diff=evil merge=evil' >.gitattributes
  git config core.hooksPath "$T/elsewhere"
fi
git rev-parse HEAD >.git/refs/heads/a..b/c
git rev-parse HEAD >".git/refs/heads/new
line"
for lock in index HEAD config packed-refs shallow; do : >.git/$lock.lock; done
echo nonsense >.git/index`,
  file: 'rm -rf .git; echo "gitdir: $T/foreign.git" >.git',
  link: 'rm -rf .git; ln -s "$T/foreign.git" .git',
  bare: 'rm -rf .git; cp -R "$T/foreign.git" inner; cp -R "$T/foreign.git" .git',
  gone: 'rm -rf .git',
  pipes: `rm .git/HEAD; mkfifo .git/HEAD .gitignore
if [ "$MUSTER_ROUND" = 0 ]; then mkdir -p sub/.git/objects sub/.git/refs; mkfifo sub/.git/HEAD; fi`,
}
const ids = Object.keys(DEEDS)
const lineOf = (id: string) => (ids.indexOf(id) + 1) * 6

test('L36 nothing an agent plants for git runs, its traps live though they are, and its work lands', async () => {
  const repo = makeRepo({ agent: null })
  const traps = layTraps(repo.home)
  const deeds = ids.map((id) => `t-${id})\nsed -i "${lineOf(id)}s/.*/by ${id}/" shared.txt\n${DEEDS[id]} ;;`)
  const identity = 'export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b.c GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b.c'
  const own = `PATH='${process.env['PATH']}'\n${identity}\n${traps.shell}`
  repo.script('agent.sh', `${own}\ncase "$MUSTER_TASK_ID" in\n${deeds.join('\n')}\nesac`)
  const lines = Array.from({ length: (ids.length + 1) * 6 }, (_, index) => `line ${index + 1}`)
  repo.write('shared.txt', `${lines.join('\n')}\n`)
  repo.git('add', 'shared.txt')
  repo.git('commit', '--quiet', '--message', 'Lines')
  repo.git('clone', '--quiet', '--bare', '.', join(repo.home, 'traps/foreign.git'))
  repo.write('plan.yaml', planText('t', Object.fromEntries(ids.map((id) => [id, '']))))

  const run = exited(await repo.musterWith({ env: traps.env }, 'run', 'plan.yaml', '--json'), 0)
  const tasks = new Map(run.json<RunDocument>().tasks.map((task) => [task.id, task]))
  const leftOut = (id: string) =>
    tasks.get(`t-${id}`)?.findings.flatMap(({ file, message }) => (file ? `${file}: ${message}` : []))
  expect([...tasks.values()].filter(({ status }) => status !== 'completed')).toEqual([])
  const nested = 'left out of the result: it is a repository inside the repository, but not a declared submodule'
  expect(leftOut('traps')?.toSorted()).toEqual([
    expect.stringMatching(/^\.gitattributes: left out of the result: it names a git filter/),
    `empty: ${nested}`,
    `full: ${nested}`,
    `odd: ${nested}`,
  ])
  expect(leftOut('pipes')).toEqual([`sub: ${nested}`])

  const looks = [
    ['diff', 'traps'],
    ['diff', 'traps', '--stat'],
    ['show', 'traps'],
    ['explain', 'pipes'],
    ['status'],
    ['doctor'],
  ]
  await Promise.all(looks.map(async (args) => exited(await repo.musterWith({ env: traps.env }, ...args), 0)))

  const landed = repo.git('show', 'muster/story/t:shared.txt').split('\n')
  for (const id of ids) expect(landed[lineOf(id) - 1]).toBe(`by ${id}`)
  const top = repo.git('ls-tree', '--name-only', 'muster/story/t').trim().split('\n')
  expect(top).toEqual(['.gitattributes', '.gitmodules', 'README.md', 'git', 'inner', 'shared.txt'])

  expect(traps.control()).toEqual(
    expect.arrayContaining(['alias.x', 'diff.evil.command', 'diff.evil.textconv', 'filter.cleaning.clean', 'gpg']),
  )
  expect(traps.control()).toEqual(
    expect.arrayContaining(['core.editor', 'hook-pre-commit', 'hook-post-index-change', 'included']),
  )
  expect(traps.fired()).toEqual([])
})
