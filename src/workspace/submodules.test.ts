import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { AttemptBase, Snapshot, Workspaces } from '../ports/workspaces.ts'
import { notesOnSubmodules } from './gitmodules.ts'
import { Mirror } from './mirror.ts'
import { mirrorWorkspaces } from './workspaces.ts'

const PATH = 'libs/x'
let made: string
let top: string
let repository: string
let marker: string
let mirror: Mirror
let workspaces: Workspaces
let runs = 0

const identity = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.invalid', '-c', 'protocol.file.allow=always']
const gitIn = (cwd: string, ...args: string[]): string =>
  execFileSync('git', [...identity, ...args], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trimEnd()
const git = (...args: string[]): string => gitIn(repository, ...args)
const inner = (...args: string[]): string => gitIn(join(repository, PATH), ...args)
const write = (dir: string, name: string, content: string): void => writeFileSync(join(dir, name), content)

/** One repository with a submodule, made once and copied for each test. Where the submodule came from is gone by then. */
beforeAll(async () => {
  made = mkdtempSync(join(tmpdir(), 'muster-submodules-'))
  const lib = join(made, 'lib')
  repository = join(made, 'repo')
  for (const [dir, file] of [
    [lib, 'lib.txt'],
    [repository, 'a.txt'],
  ] as const) {
    mkdirSync(dir)
    gitIn(dir, 'init', '-q', '-b', 'main')
    write(dir, file, 'one\n')
    gitIn(dir, 'add', '-A')
    gitIn(dir, 'commit', '-qm', 'Start')
  }
  git('submodule', '--quiet', 'add', lib, PATH)
  git('config', '-f', '.gitmodules', `submodule.${PATH}.url`, `ext::sh -c touch% ${join(made, 'marker')}`)
  git('commit', '-qam', 'Add the library')
  rmSync(lib, { recursive: true })
  openMirror(made)
  await workspaces.sync()
})
afterAll(() => rmSync(made, { recursive: true, force: true }))

beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'muster-submodule-'))
  repository = join(top, 'repo')
  marker = join(made, 'marker')
  cpSync(made, top, { recursive: true })
  openMirror(top)
})
afterEach(() => {
  rmSync(top, { recursive: true, force: true })
  if (existsSync(marker)) throw new Error('something ran that was planted')
})

function openMirror(at: string): void {
  mirror = new Mirror(join(at, 'data/mirror.git'), join(repository, '.git'), { name: 'Ann', email: 'a@x.invalid' })
  workspaces = mirrorWorkspaces(mirror)
}

interface Attempt {
  dir: string
  /** The submodule's folder. */
  lib: string
  base: AttemptBase
  take(): Promise<Snapshot>
}

async function attempt(head: string | null = null): Promise<Attempt> {
  const name = `r${++runs}`
  const dir = join(top, 'work', name)
  const base = await workspaces.attemptBase(head, 'main')
  const index = join(top, name)
  const copy = { root: top, paths: [] }
  const { leaveOut } = await workspaces.checkout({ dir, base, branch: 'muster/task/t', index, golden: null, copy })
  const request = { dir, base, index, leaveOut, keepAs: name, message: 'Do it\n', author: 'implementer' }
  return { dir, lib: join(dir, PATH), base, take: () => workspaces.snapshot(request) }
}

const libMirror = (): string => join(top, 'data/submodules', readdirSync(join(top, 'data/submodules'))[0] ?? '')
const linkIn = (commit: string): Promise<string> => mirror.line(['rev-parse', `${commit}:${PATH}`])

async function land(commit: string): Promise<void> {
  const merged = await workspaces.merge('main', commit, false)
  if (merged.kind !== 'merged') throw new Error(merged.kind)
  const landing = await merged.commit('Merge\n')
  expect(await workspaces.land('main', merged.old, landing)).toEqual({ kind: 'landed' })
}

/** A snapshot that changed the submodule's one file. */
async function change(content: string, head: string | null = null): Promise<string> {
  const { lib, take } = await attempt(head)
  write(lib, 'lib.txt', content)
  return (await take()).commit
}

describe('a declared submodule', () => {
  test('is there for the agent: its files, and a repository of its own to use git in', async () => {
    const { dir, lib, take } = await attempt()
    expect(readFileSync(join(lib, 'lib.txt'), 'utf8')).toBe('one\n')
    expect(gitIn(lib, 'status', '--porcelain', '--branch')).toBe('## muster/task/t')
    expect(gitIn(lib, 'rev-parse', 'HEAD')).toBe(git('rev-parse', `main:${PATH}`))
    expect(gitIn(lib, 'remote')).toBe('')
    expect(gitIn(dir, 'status', '--porcelain')).toBe('')
    expect(await take()).toEqual({ commit: git('rev-parse', 'main'), refused: [] })
    expect(await notesOnSubmodules(join(repository, '.git'), git('rev-parse', 'main'))).toEqual([])
    write(join(repository, PATH), '.gitattributes', '*.psd filter=lfs\n')
    inner('add', '-A')
    inner('commit', '-qm', 'Use LFS')
    git('commit', '-qam', 'Use it')
    expect(await notesOnSubmodules(join(repository, '.git'), git('rev-parse', 'main'))).toEqual([
      'in libs/x agents see only what filters left of the files: lfs (.gitattributes)',
    ])
  })

  test.each(['in its checkout', 'beside the git directory, without all of its history'])(
    'S1.18 changes in it land as a commit of its own, and the user, who has it %s, needs no network to get it',
    async (kind) => {
      if (kind === 'in its checkout') {
        rmSync(join(repository, PATH, '.git'))
        cpSync(join(repository, '.git/modules', PATH), join(repository, PATH, '.git'), { recursive: true })
        rmSync(join(repository, '.git/modules'), { recursive: true })
        gitIn(repository, 'config', '-f', `${PATH}/.git/config`, '--unset', 'core.worktree')
      } else {
        inner('commit', '-q', '--allow-empty', '-m', 'Cut off below')
        write(join(repository, '.git/modules', PATH), 'shallow', `${inner('rev-parse', 'HEAD')}\n`)
        inner('reflog', 'expire', '--expire=now', '--all')
        inner('update-ref', '-d', 'refs/remotes/origin/main')
        inner('update-ref', 'refs/heads/main', 'HEAD')
        inner('gc', '-q', '--prune=now')
        git('commit', '-qam', 'Use it')
      }
      const start = git('rev-parse', `main:${PATH}`)
      const { lib, take } = await attempt()
      write(lib, 'new.sh', '#!/bin/sh\n')
      execFileSync('chmod', ['755', join(lib, 'new.sh')])
      rmSync(join(lib, 'lib.txt'))
      const { commit, refused } = await take()
      expect(refused).toEqual([])
      await land(commit)
      const landed = git('rev-parse', `main:${PATH}`)
      expect(landed).toBe(await linkIn(commit))
      git('submodule', '--quiet', 'update')
      expect(inner('rev-parse', 'HEAD')).toBe(landed)
      expect(inner('ls-tree', '--format=%(objectmode) %(path)', 'HEAD')).toBe('100755 new.sh')
      expect(inner('log', '-1', '--format=%P|%an|%cn|%s')).toBe(`${start}|implementer (muster)|Ann|Do it`)
      expect(inner('rev-parse', 'muster/landed/main')).toBe(landed)
      expect(git('status', '--porcelain')).toBe('')
    },
  )

  test('its change is shown as that of its files, and a second landing does not stumble over the first', async () => {
    const start = git('rev-parse', 'main')
    const first = await change('two\n')
    const patch = await workspaces.diff(start, first, { stat: false, color: false })
    expect(patch).toContain(`--- a/${PATH}/lib.txt\n+++ b/${PATH}/lib.txt\n@@ -1 +1 @@\n-one\n+two\n`)
    const stat = await workspaces.diff(start, first, { stat: true, color: false })
    expect(stat).toMatch(/Submodule libs\/x \w{12}\.\.\w{12}:\n lib\.txt \| 2 \+-/)
    await land(first)
    expect(await workspaces.obstacle('main', git('rev-parse', 'main'))).toBe(null)
    await land(await change('three\n'))
    expect(inner('show', 'muster/landed/main:lib.txt')).toBe('three')
    expect(inner('rev-list', '--count', 'muster/landed/main')).toBe('3')
  })

  test("its branch in the user's repository only goes forward: a person's commit there stays", async () => {
    const first = await change('two\n')
    expect(await workspaces.publish('muster/task/t', first)).toBeNull()
    inner('switch', '-q', 'muster/task/t')
    expect(readFileSync(join(repository, PATH, 'lib.txt'), 'utf8')).toBe('two\n')
    inner('commit', '-q', '--allow-empty', '-m', 'Mine')
    const mine = inner('rev-parse', 'HEAD')
    const second = await change('three\n', first)
    expect(await workspaces.publish('muster/task/t', second)).toBeNull()
    expect(inner('rev-parse', 'muster/task/t')).toBe(mine)
    const shown = await linkIn(second)
    expect(inner('rev-parse', `muster/task/t-${shown.slice(0, 12)}`)).toBe(shown)
  })
})

describe('nothing runs', () => {
  const hook = (): string => `#!/bin/sh\ntouch ${marker}\ncat\n`

  function plant(gitDir: string, work: string): void {
    mkdirSync(join(gitDir, 'hooks'), { recursive: true })
    const hooks = ['pre-commit', 'post-index-change', 'post-checkout', 'reference-transaction', 'post-receive']
    for (const name of [...hooks, 'pre-receive', 'update', 'run']) {
      writeFileSync(join(gitDir, 'hooks', name), hook(), { mode: 0o755 })
    }
    const run = join(gitDir, 'hooks/run')
    const settings = { fsmonitor: run, sshCommand: run, pager: run, hooksPath: join(gitDir, 'hooks') }
    const section = (name: string, keys: object) =>
      `[${name}]\n${Object.entries(keys)
        .map(([key, value]) => `\t${key} = ${value}\n`)
        .join('')}`
    const config = [
      section('core', settings),
      section('filter "evil"', { clean: run, process: run, required: true }),
      section('diff', { external: run }),
    ]
    writeFileSync(join(gitDir, 'config'), config.join(''), { flag: 'a' })
    // Of the same size as before, so that only its content, behind the filter, can tell that it changed.
    write(work, 'lib.txt', 'two\n')
    write(work, '.gitattributes', '* filter=evil diff=evil\n')
  }

  test("of what an agent planted in a submodule's git directory", async () => {
    const { lib, take } = await attempt()
    plant(join(lib, '.git'), lib)
    const { commit, refused } = await take()
    expect(refused).toEqual([
      { path: `${PATH}/.gitattributes`, why: expect.stringContaining('a git filter') as string },
    ])
    expect(gitIn(libMirror(), 'show', `${await linkIn(commit)}:lib.txt`)).toBe('two')
    await workspaces.diff(git('rev-parse', 'main'), commit, { stat: false, color: false })
  })

  test('of what it planted where a gitlink is no declared submodule, or one that is not filled in', async () => {
    git('rm', '-q', '--cached', '.gitmodules')
    git('commit', '-qm', 'Forget to declare it')
    const { dir, lib, take } = await attempt()
    expect(readdirSync(lib)).toEqual([])
    cpSync(join(repository, '.git/modules', PATH), join(lib, '.git'), { recursive: true })
    plant(join(lib, '.git'), lib)
    gitIn(join(dir, 'libs'), 'init', '-q', 'empty')
    rmSync(marker, { force: true })
    const { refused } = await take()
    expect(refused.map(({ path }) => path)).toEqual(['libs/empty'])
  })

  test("of the hooks in the user's own repository of it, when a commit is shown there", async () => {
    const commit = await change('two\n')
    plant(join(repository, '.git/modules', PATH), join(repository, PATH))
    await workspaces.publish('muster/task/t', commit)
    expect(existsSync(marker)).toBe(false)
    // With these settings git would run them for anybody who looks.
    rmSync(join(repository, '.git/modules', PATH, 'hooks'), { recursive: true })
    expect(inner('rev-parse', 'muster/task/t')).toBe(await linkIn(commit))
  })

  test('of what is in the checkout of it, when something lands around it', async () => {
    const { dir, lib, take } = await attempt()
    write(lib, 'lib.txt', 'three\n')
    write(dir, 'a.txt', 'two\n')
    const { commit } = await take()
    plant(join(repository, '.git/modules', PATH), join(repository, PATH))
    expect(await workspaces.obstacle('main', commit)).toBe(null)
    await land(commit)
    expect(existsSync(marker)).toBe(false)
    expect(readFileSync(join(repository, PATH, 'lib.txt'), 'utf8')).toBe('two\n')
    // Whoever looks there without care finds that the traps are live.
    expect(() => git('status')).toThrow('failed in submodule ')
    expect(existsSync(marker)).toBe(true)
    rmSync(marker)
  })
})

describe('what an author leaves', () => {
  test('in it is looked at like everything else: links out of it, repositories inside it', async () => {
    const { lib, take } = await attempt()
    symlinkSync('../../a.txt', join(lib, 'up'))
    mkdirSync(join(lib, 'deep'))
    gitIn(lib, 'init', '-q', 'deep/er')
    write(lib, 'fine.txt', 'fine\n')
    const { commit, refused } = await take()
    expect(refused.map(({ path }) => path).sort()).toEqual([`${PATH}/deep/er`, `${PATH}/up`])
    expect(gitIn(libMirror(), 'ls-tree', '--name-only', await linkIn(commit))).toBe('fine.txt\nlib.txt')
  })

  test('cannot have it lie over another folder: what it notes down about layers counts for nothing', async () => {
    const { dir, lib, take } = await attempt()
    const secret = join(top, 'secret')
    for (const folder of [secret, join(dir, 'layers/x/upper'), join(dir, 'layers/x/work')])
      mkdirSync(folder, { recursive: true })
    write(secret, 'key', 'secret\n')
    write(join(dir, 'layers/x'), 'note.json', JSON.stringify({ lower: secret }))
    write(lib, 'fine.txt', 'fine\n')
    const { commit } = await take()
    expect(gitIn(libMirror(), 'ls-tree', '--name-only', await linkIn(commit))).toBe('fine.txt\nlib.txt')
  })

  test('a folder that is gone changes nothing, and a link in its place takes nothing from elsewhere', async () => {
    const { dir, take } = await attempt()
    const secret = join(top, 'secret')
    mkdirSync(join(secret, 'x'), { recursive: true })
    write(join(secret, 'x'), 'key', 'secret\n')
    for (const [place, refused] of [
      [PATH, []],
      ['libs/x', [PATH]],
      ['libs', ['libs', PATH]],
    ] as const) {
      rmSync(join(dir, place), { recursive: true, force: true })
      if (refused.length > 0) symlinkSync(secret, join(dir, place))
      const taken = await take()
      expect(taken.refused.map(({ path }) => path).sort()).toEqual(refused)
      expect(taken.commit).toBe(git('rev-parse', 'main'))
    }
  })

  test('without its declaration it is no submodule any more: gone if its folder is, else files', async () => {
    const gone = await attempt()
    gitIn(gone.dir, 'rm', '-qf', PATH)
    const { commit, refused } = await gone.take()
    expect(refused).toEqual([])
    expect(await mirror.line(['ls-tree', '-r', '--name-only', commit])).toBe('.gitmodules\na.txt')
    const copied = await attempt()
    rmSync(join(copied.dir, '.gitmodules'))
    const nested = await copied.take()
    expect(nested.refused).toEqual([{ path: PATH, why: expect.stringContaining('declared') as string }])
    expect(await mirror.line(['ls-tree', '-r', '--name-only', nested.commit])).toBe('a.txt')
    rmSync(join(copied.lib, '.git'), { recursive: true })
    const { commit: files } = await copied.take()
    expect(await mirror.line(['ls-tree', '-r', '--name-only', files])).toBe('a.txt\nlibs/x/lib.txt')
  })
})

describe('a submodule that the user has not initialised', () => {
  beforeEach(() => {
    rmSync(join(repository, '.git/modules'), { recursive: true })
    rmSync(join(repository, PATH), { recursive: true })
  })

  test('stays an empty folder, its address is never used, and the user is told', async () => {
    const head = git('rev-parse', 'main')
    const { lib, dir, take } = await attempt()
    expect(readdirSync(lib)).toEqual([])
    write(dir, 'a.txt', 'two\n')
    const { commit, refused } = await take()
    expect(refused).toEqual([])
    expect(await linkIn(commit)).toBe(git('rev-parse', `${head}:${PATH}`))
    await land(commit)
    expect(await notesOnSubmodules(join(repository, '.git'), head)).toEqual([
      'agents see the folder libs/x empty: the submodule is not initialised (git submodule update --init libs/x)',
    ])
  })

  test('keeps nothing that is written there, and says so', async () => {
    const { lib, take } = await attempt()
    write(lib, 'lost.txt', 'x\n')
    const { commit, refused } = await take()
    expect(refused).toEqual([{ path: PATH, why: expect.stringContaining('not checked out here') as string }])
    expect(commit).toBe(git('rev-parse', 'main'))
  })

  test('or whose commit is not there', async () => {
    gitIn(repository, 'init', '-q', PATH)
    inner('commit', '-q', '--allow-empty', '-m', 'Another')
    const { lib } = await attempt()
    expect(readdirSync(lib)).toEqual([])
    const [note] = await notesOnSubmodules(join(repository, '.git'), git('rev-parse', 'main'))
    expect(note).toContain('is not in your repository (git submodule update libs/x)')
  })

  test('or of which they have only a partial clone', async () => {
    cpSync(join(made, 'repo/.git/modules'), join(repository, '.git/modules'), { recursive: true })
    git('config', '-f', join(repository, '.git/modules', PATH, 'config'), 'remote.origin.promisor', 'true')
    const { lib } = await attempt()
    expect(readdirSync(lib)).toEqual([])
    const [note] = await notesOnSubmodules(join(repository, '.git'), git('rev-parse', 'main'))
    expect(note).toContain('your clone of it is partial (clone it again without --filter)')
  })
})

describe('when both sides changed it', () => {
  test('and they do not touch each other, both are there without anybody doing anything', async () => {
    const { lib, take } = await attempt()
    write(lib, 'mine.txt', 'mine\n')
    const { commit: mine } = await take()
    await land(await change('theirs\n'))
    const next = await attempt(mine)
    expect(next.base.conflicts).toEqual([])
    await land((await next.take()).commit)
    git('submodule', '--quiet', 'update')
    expect(readdirSync(join(repository, PATH)).sort()).toEqual(['.git', 'lib.txt', 'mine.txt'])
    expect(readFileSync(join(repository, PATH, 'lib.txt'), 'utf8')).toBe('theirs\n')
  })

  test('and the target was rewritten, the work is done again in it too: what was taken out does not come back', async () => {
    const before = git('rev-parse', 'main')
    await land(await change('taken out\n'))
    const { lib, take } = await attempt()
    write(lib, 'mine.txt', 'mine\n')
    const { commit: mine } = await take()
    git('reset', '-q', '--hard', before)
    write(join(repository, PATH), 'theirs.txt', 'theirs\n')
    inner('add', '-A')
    inner('commit', '-qm', 'Theirs')
    git('commit', '-qam', 'Use theirs')
    expect(await workspaces.merge('main', mine, false)).toMatchObject({ kind: 'rewritten' })
    const next = await attempt(mine)
    expect(next.base.conflicts).toEqual([])
    await land((await next.take()).commit)
    git('submodule', '--quiet', 'update')
    expect(readdirSync(join(repository, PATH)).sort()).toEqual(['.git', 'lib.txt', 'mine.txt', 'theirs.txt'])
    expect(readFileSync(join(repository, PATH, 'lib.txt'), 'utf8')).toBe('one\n')
    expect(inner('log', '--format=%s')).toBe('Do it\nTheirs\nStart')
  })

  test('throwing the folder away is no answer, nor is there one when the other side is not here', async () => {
    const mine = await change('mine\n')
    inner('commit', '-q', '--allow-empty', '-m', 'Theirs')
    git('commit', '-qam', 'Move it')
    const next = await attempt(mine)
    rmSync(next.lib, { recursive: true })
    expect((await next.take()).refused).toEqual([{ path: PATH, why: expect.stringContaining('both sides') as string }])
    rmSync(join(top, 'data/submodules'), { recursive: true })
    openMirror(top)
    await expect(attempt(mine)).rejects.toMatchObject({
      code: 'git',
      message: expect.stringContaining(`both sides changed the submodule ${PATH}, to ${await linkIn(mine)}`) as string,
    })
  })
})
