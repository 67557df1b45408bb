import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkoutsOf, findObstacle } from './checkout.ts'
import { Mirror } from './mirror.ts'

let top: string
let repository: string
let mirror: Mirror
let head: string

function git(dir: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.invalid']
  return execFileSync('git', [...identity, ...args], { cwd: dir, encoding: 'utf8', stdio: 'pipe' }).trimEnd()
}

/** A commit on top of main's head that writes and deletes files. */
async function landing(files: Record<string, string | null>): Promise<string> {
  const options = { indexFile: join(top, 'index') }
  await mirror.run(['read-tree', head], options)
  for (const [name, content] of Object.entries(files)) {
    const blob = content === null ? null : await mirror.line(['hash-object', '-w', '--stdin'], { stdin: content })
    const entry = `${blob === null ? '0' : '100644'} ${blob ?? '0'.repeat(40)}\t${name}\n`
    await mirror.run(['update-index', '--index-info'], { ...options, stdin: entry })
  }
  return mirror.commitTree(await mirror.line(['write-tree'], options), [head], 'Land\n', mirror.committer)
}

const obstacle = async (branch: string, to: string) => (await findObstacle(mirror, branch, head, to))?.detail ?? null

beforeAll(async () => {
  top = mkdtempSync(join(tmpdir(), 'muster-checkout-'))
  repository = join(top, 'repo')
  mkdirSync(repository)
  git(repository, 'init', '-q', '-b', 'main')
  writeFileSync(join(repository, 'a.txt'), 'one\n')
  writeFileSync(join(repository, 'tool'), 'a file\n')
  writeFileSync(join(repository, '.gitignore'), '*.env\n')
  git(repository, 'add', '-A')
  git(repository, 'commit', '-qm', 'Start')
  head = git(repository, 'rev-parse', 'main')
  mirror = new Mirror(join(top, 'mirror.git'), join(repository, '.git'), { name: 'Ann', email: 'ann@example.invalid' })
  await mirror.ensure()
  await mirror.fetch(head)
})
afterAll(() => rmSync(top, { recursive: true, force: true }))

describe('files that git does not know are never written over', () => {
  test('one that is ignored, which git itself may replace without a word', async () => {
    const commit = await landing({ 'local.env': 'theirs\n' })
    expect(await obstacle('main', commit)).toBeNull()
    writeFileSync(join(repository, 'local.env'), 'my key\n')
    expect(await obstacle('main', commit)).toBe(
      `main is checked out in ${repository}, and the landing would overwrite uncommitted files there: local.env (commit them, or move them away)`,
    )
    rmSync(join(repository, 'local.env'))
  })

  test('a folder where a file should go, a file where a folder should; not what the landing itself takes away', async () => {
    mkdirSync(join(repository, 'out'))
    const file = await landing({ out: 'a file\n' })
    expect(await obstacle('main', file)).toBeNull()
    writeFileSync(join(repository, 'out/keep.env'), 'mine\n')
    expect(await obstacle('main', file)).toContain('uncommitted files there: out/keep.env (')
    writeFileSync(join(repository, 'lib'), 'mine\n')
    expect(await obstacle('main', await landing({ 'lib/deep/a': 'a\n', 'lib/b': 'b\n' }))).toContain(
      'uncommitted files there: lib (',
    )
    expect(await obstacle('main', await landing({ tool: null, 'tool/main': 'a\n' }))).toBeNull()
    rmSync(join(repository, 'out'), { recursive: true })
    rmSync(join(repository, 'lib'))
  })

  test('many are named as three and a number', async () => {
    const names = ['1', '2', '3', '4', '5']
    for (const name of names) writeFileSync(join(repository, name), 'mine\n')
    const commit = await landing(Object.fromEntries(names.map((name) => [name, 'theirs\n'])))
    expect(await obstacle('main', commit)).toContain('uncommitted files there: 1, 2, 3 and 2 more (')
    for (const name of names) rmSync(join(repository, name))
  })
})

describe('a checkout in the middle of something', () => {
  test('a rebase or a bisection of the branch is waited for', async () => {
    const commit = await landing({ 'a.txt': 'two\n' })
    const tree = join(top, 'worked on')
    git(repository, 'worktree', 'add', '-q', '-b', 'side', tree)
    git(tree, 'commit', '-q', '--allow-empty', '-m', 'Stop here')
    git(tree, '-c', 'sequence.editor=sed -i s/^pick/edit/', 'rebase', '-q', '-i', 'HEAD~1')
    expect(await obstacle('side', commit)).toBe(
      `a rebase of side is under way in ${tree} (git -C '${tree}' rebase --continue, or git -C '${tree}' rebase --abort)`,
    )
    git(tree, 'rebase', '--abort')
    git(tree, 'bisect', 'start', 'HEAD', head)
    git(tree, 'switch', '-q', '--detach')
    expect(await obstacle('side', commit)).toBe(
      `a bisection of side is under way in ${tree} (git -C '${tree}' bisect reset)`,
    )
    git(tree, 'bisect', 'reset')
    expect(await obstacle('side', commit)).toBeNull()
  })

  test('two checkouts of one branch: only one of them would follow', async () => {
    const [one, two] = [join(top, 'one'), join(top, 'two')]
    git(repository, 'worktree', 'add', '-q', '-b', 'twice', one)
    git(repository, 'worktree', 'add', '-q', '--force', two, 'twice')
    const said = await obstacle('twice', await landing({ 'a.txt': 'two\n' }))
    expect(said).toContain(`twice is checked out twice, in ${one} and in ${two}`)
    git(two, 'switch', '-q', '--detach')
    expect(await obstacle('twice', head)).toBeNull()
  })

  test('a folder that is gone is named, with what to type, also when the worktree is locked', async () => {
    const tree = join(top, 'gone')
    git(repository, 'worktree', 'add', '-q', '-b', 'stale', tree)
    rmSync(tree, { recursive: true })
    mkdirSync(tree)
    expect(await obstacle('stale', head)).toBe(
      `stale is checked out in the worktree ${tree}, and that folder is gone (git worktree prune; if it was only moved: git worktree repair <new folder>)`,
    )
    git(repository, 'worktree', 'lock', tree)
    expect(await obstacle('stale', head)).toContain(`(git worktree unlock ${tree}; git worktree prune; `)
    git(repository, 'worktree', 'unlock', tree)
    git(repository, 'worktree', 'prune')
    expect(await obstacle('stale', head)).toBeNull()
  })

  test('the lock of another git is waited for a moment, and named if it stays', async () => {
    for (const lock of ['index.lock', 'refs/heads/main.lock'].map((name) => join(repository, '.git', name))) {
      writeFileSync(lock, '')
      expect(await findObstacle(mirror, 'main', head, head)).toEqual({
        detail: `another git process is at work: it holds ${lock} (if none is running: rm ${lock})`,
        brief: true,
      })
      rmSync(lock)
    }
  })
})

describe('where the files of a repository are', () => {
  beforeAll(() => ['elsewhere', 'included'].forEach((name) => mkdirSync(join(repository, name))))
  const places = async () => (await checkoutsOf(join(repository, '.git'), 'main')).map(({ workTree }) => workTree)

  test.each<[string, readonly string[], () => readonly string[]]>([
    ['beside its git directory', [], () => [repository]],
    ['where core.worktree says', ['core.worktree', '../elsewhere'], () => [join(repository, 'elsewhere')]],
    ['nowhere, in a bare one', ['core.bare', 'true'], () => []],
    ['nowhere, in one that is called bare without a value', ['core.bare', 'yes'], () => []],
    ['where an included file says', ['include.path', '../more'], () => [join(repository, 'included')]],
  ])('%s', async (_, setting, expected) => {
    writeFileSync(join(repository, 'more'), '[core]\n\tworktree = ../included\n')
    const before = readFileSync(join(repository, '.git/config'), 'utf8')
    if (setting.length > 0) execFileSync('git', ['config', '-f', join(repository, '.git/config'), ...setting])
    const found = await places()
    writeFileSync(join(repository, '.git/config'), before)
    rmSync(join(repository, 'more'))
    expect(found).toEqual(expected())
  })
})
