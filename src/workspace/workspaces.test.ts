import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { AttemptBase, Snapshot, Workspaces } from '../ports/workspaces.ts'
import { Mirror } from './mirror.ts'
import { mirrorWorkspaces } from './workspaces.ts'

let top: string
let repository: string
let mirror: Mirror
let workspaces: Workspaces
let runs = 0

beforeEach(async () => {
  top = mkdtempSync(join(tmpdir(), 'muster-workspace-'))
  repository = join(top, 'repo')
  mkdirSync(repository)
  git('init', '-q', '-b', 'main')
  commitFile('a.txt', 'one\n')
  mirror = new Mirror(join(top, 'mirror.git'), join(repository, '.git'), { name: 'Ann', email: 'ann@example.invalid' })
  workspaces = mirrorWorkspaces(mirror)
  await workspaces.sync()
})
afterEach(() => rmSync(top, { recursive: true, force: true }))

function git(...args: string[]): string {
  const identity = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.invalid']
  return execFileSync('git', [...identity, ...args], { cwd: repository, encoding: 'utf8' }).trimEnd()
}

function commitFile(name: string, content: string): string {
  writeFileSync(join(repository, name), content)
  git('add', '-A')
  git('commit', '-qm', `Change ${name}`)
  return git('rev-parse', 'HEAD')
}

interface Attempt {
  dir: string
  base: AttemptBase
  take(): Promise<Snapshot>
  snapshot(): Promise<string>
}

async function attempt(head: string | null = null, target = 'main'): Promise<Attempt> {
  const name = `r${++runs}`
  const dir = join(top, 'work', name)
  const base = await workspaces.attemptBase(head, target)
  const index = join(top, name)
  const copy = { root: top, paths: [] }
  const { leaveOut } = await workspaces.checkout({ dir, base, branch: 'muster/task/t', index, golden: null, copy })
  const request = { dir, base, index, leaveOut, keepAs: name, message: 'Do it\n', author: 'implementer' }
  const take = () => workspaces.snapshot(request)
  return { dir, base, take, snapshot: async () => (await take()).commit }
}

/** A snapshot that writes these files. */
async function work(files: Record<string, string>, head: string | null = null, target = 'main'): Promise<string> {
  const { dir, snapshot } = await attempt(head, target)
  for (const [name, content] of Object.entries(files)) writeFileSync(join(dir, name), content)
  return snapshot()
}

describe('an attempt', () => {
  test('starts on its branch at the target with clean files, and in a repository of its own', async () => {
    const { dir } = await attempt()
    const here = (...args: string[]) => execFileSync('git', args, { cwd: dir, encoding: 'utf8' }).trimEnd()
    expect(here('status', '--porcelain', '--branch')).toBe('## muster/task/t')
    expect(here('rev-parse', 'HEAD')).toBe(git('rev-parse', 'main'))
    expect(here('remote')).toBe('')
    expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toBe('one\n')
  })

  test('its result is the tree: new, changed, deleted and executable files, without what is ignored', async () => {
    commitFile('gone.txt', 'x\n')
    commitFile('.gitignore', '*.log\n')
    const { dir, snapshot } = await attempt()
    writeFileSync(join(dir, 'a.txt'), 'two\n')
    writeFileSync(join(dir, 'new file.sh'), '#!/bin/sh\n', { mode: 0o755 })
    writeFileSync(join(dir, 'debug.log'), 'noise\n')
    rmSync(join(dir, 'gone.txt'))
    const commit = await snapshot()
    const listed = await mirror.line(['ls-tree', '-r', '--format=%(objectmode) %(path)', commit])
    expect(listed.split('\n')).toEqual(['100644 .gitignore', '100644 a.txt', '100755 new file.sh'])
    expect(await mirror.line(['show', `${commit}:a.txt`])).toBe('two')
    expect(await mirror.line(['show', '-s', '--format=%an|%cn', commit])).toBe('implementer (muster)|Ann')
  })

  test('a file rewritten in the same instant with the same size is still seen', async () => {
    const { dir, snapshot } = await attempt()
    writeFileSync(join(dir, 'a.txt'), 'two\n')
    expect(await mirror.line(['show', `${await snapshot()}:a.txt`])).toBe('two')
  })

  test('that changes nothing is its base, and no new commit', async () => {
    const { snapshot } = await attempt()
    expect(await snapshot()).toBe(git('rev-parse', 'main'))
  })

  test('nothing an agent plants in its .git runs when the snapshot is taken', async () => {
    const { dir, snapshot } = await attempt()
    const marker = join(top, 'marker')
    const hook = `#!/bin/sh\ntouch ${marker}\ncat\n`
    mkdirSync(join(dir, '.git/hooks'), { recursive: true })
    for (const name of ['pre-commit', 'post-index-change', 'post-checkout', 'reference-transaction']) {
      writeFileSync(join(dir, '.git/hooks', name), hook, { mode: 0o755 })
    }
    writeFileSync(join(dir, 'run.sh'), hook, { mode: 0o755 })
    for (const [key, value] of [
      ['core.fsmonitor', './run.sh'],
      ['filter.evil.clean', './run.sh'],
      ['filter.evil.process', './run.sh'],
      ['diff.external', './run.sh'],
    ] as const) {
      execFileSync('git', ['config', key, value], { cwd: dir })
    }
    writeFileSync(join(dir, '.gitattributes'), '* filter=evil diff=evil\n')
    const commit = await snapshot()
    await workspaces.diff(git('rev-parse', 'main'), commit, { stat: false, color: false })
    expect(existsSync(marker)).toBe(false)
  })

  test('after the target moved, the next one starts from both sides, and its commit has both parents', async () => {
    const first = await work({ 'b.txt': 'mine\n' })
    const moved = commitFile('c.txt', 'theirs\n')
    const next = await attempt(first)
    expect(next.base).toMatchObject({ parents: [first, moved], conflicts: [] })
    expect(readFileSync(join(next.dir, 'b.txt'), 'utf8') + readFileSync(join(next.dir, 'c.txt'), 'utf8')).toBe(
      'mine\ntheirs\n',
    )
    expect(await mirror.line(['show', '-s', '--format=%P', await next.snapshot()])).toBe(`${first} ${moved}`)
  })

  test.for([
    ['with both', 'both\n'],
    ['with their own side', 'mine\n'],
    ['with the other side', 'theirs\n'],
  ])(
    'S1.14 conflict markers are left in for the author, and what they resolve %s stays resolved',
    async ([, text = '']) => {
      const first = await work({ 'a.txt': 'mine\n' })
      commitFile('a.txt', 'theirs\n')
      const next = await attempt(first)
      expect(next.base.conflicts).toEqual(['a.txt'])
      expect(readFileSync(join(next.dir, 'a.txt'), 'utf8')).toMatch(
        /<<<<<<<[\s\S]*mine[\s\S]*=======[\s\S]*theirs[\s\S]*>>>>>>>/,
      )
      writeFileSync(join(next.dir, 'a.txt'), text)
      const merged = await workspaces.merge('main', await next.snapshot(), false)
      expect(merged.kind).toBe('merged')
    },
  )
})

/** Workspaces whose pushes are disturbed: when git has seen where the branch is, and before it moves it. */
function meddling(command: string): Workspaces {
  class Meddled extends Mirror {
    override run(args: readonly string[], options = {}) {
      const first = join(top, 'first')
      const meddle = `{ dd bs=1 count=4 of='${first}'; (${command}); cat '${first}' -; } 2>/dev/null | `
      return super.run(
        args.map((arg) => arg.replace(/^--receive-pack=/, `--receive-pack=${meddle}`)),
        options,
      )
    }
  }
  return mirrorWorkspaces(new Meddled(mirror.dir, mirror.userGitDir, mirror.committer))
}

test('S1.13 markers are found in a file that one side renamed, and with line ends of either kind', async () => {
  const lines = Array.from({ length: 9 }, (_, n) => `line ${n}`)
  const text = (fifth: string, end: string) => lines.map((line, n) => (n === 4 ? fifth : line) + end).join('')
  commitFile('a.txt', text('line 4', '\n'))
  commitFile('crlf.txt', text('line 4', '\r\n'))
  const first = await attempt()
  rmSync(join(first.dir, 'a.txt'))
  writeFileSync(join(first.dir, 'renamed.txt'), text('mine', '\n'))
  writeFileSync(join(first.dir, 'crlf.txt'), text('mine', '\r\n'))
  const mine = await first.snapshot()
  commitFile('a.txt', text('theirs', '\n'))
  commitFile('crlf.txt', text('theirs', '\r\n'))
  const left = await (await attempt(mine)).snapshot()
  expect(await workspaces.leftoverMarkers(left)).toEqual(['crlf.txt', 'renamed.txt'])
})

describe('landing', () => {
  test('S1.13 a conflict names the file and shows both sides', async () => {
    const mine = await work({ 'a.txt': 'mine\n' })
    commitFile('a.txt', 'theirs\n')
    const merged = await workspaces.merge('main', mine, false)
    expect(merged).toMatchObject({ kind: 'conflict', files: [{ path: 'a.txt' }] })
    expect(merged.kind === 'conflict' && merged.files[0]?.excerpt).toMatch(/theirs[\s\S]*=======[\s\S]*mine/)
  })

  test('moves a checked-out branch with its files, or not at all when somebody else was faster', async () => {
    const mine = await work({ 'b.txt': 'mine\n' })
    const merged = await workspaces.merge('main', mine, false)
    if (merged.kind !== 'merged') throw new Error(merged.kind)
    const commit = await merged.commit('Merge\n')
    const faster = commitFile('c.txt', 'theirs\n')
    expect(await workspaces.land('main', merged.old, commit)).toEqual({ kind: 'moved', head: faster })
    expect(git('rev-parse', 'main')).toBe(faster)
    const again = await workspaces.merge('main', mine, false)
    if (again.kind !== 'merged') throw new Error(again.kind)
    const retried = await again.commit('Merge\n')
    expect(await workspaces.land('main', again.old, retried)).toEqual({ kind: 'landed' })
    expect(readFileSync(join(repository, 'b.txt'), 'utf8')).toBe('mine\n')
    expect(git('status', '--porcelain')).toBe('')
    expect(await workspaces.isAncestor(retried, 'main')).toBe(true)
    expect(await workspaces.merge('main', mine, false)).toMatchObject({ kind: 'already' })
  })

  test('E-23 a commit of the user’s in the middle of the push keeps the branch, and its files stay in the checkout', async () => {
    const mine = await work({ 'b.txt': 'mine\n' })
    const merged = await workspaces.merge('main', mine, false)
    if (merged.kind !== 'merged') throw new Error(merged.kind)
    const landing = await merged.commit('Merge\n')
    const commit = 'git add c.txt && git -c user.name=Ann -c user.email=ann@example.invalid commit -qm Mine'
    const meddled = meddling(`cd '${repository}' && echo theirs >c.txt && ${commit}`)
    const moved = await meddled.land('main', merged.old, landing)
    expect(moved).toEqual({ kind: 'moved', head: git('rev-parse', 'main') })
    expect(git('log', '-1', '--format=%s', 'main')).toBe('Mine')
    expect(git('status', '--porcelain')).toBe('')
    expect(readFileSync(join(repository, 'c.txt'), 'utf8')).toBe('theirs\n')
    const again = await workspaces.merge('main', mine, false)
    if (again.kind !== 'merged') throw new Error(again.kind)
    const retried = await again.commit('Merge\n')
    expect(await workspaces.land('main', again.old, retried)).toEqual({ kind: 'landed' })
    expect(git('ls-files')).toBe('a.txt\nb.txt\nc.txt')
    expect(git('status', '--porcelain')).toBe('')
  })

  test('a checkout with changes is never overwritten', async () => {
    const merged = await workspaces.merge('main', await work({ 'a.txt': 'mine\n' }), false)
    if (merged.kind !== 'merged') throw new Error(merged.kind)
    const commit = await merged.commit('Merge\n')
    writeFileSync(join(repository, 'a.txt'), 'precious\n')
    const detail = `main is checked out in ${repository} with uncommitted changes: a.txt (commit there, or git -C ${repository} stash)`
    expect(await workspaces.obstacle('main', commit)).toBe(detail)
    expect(await workspaces.land('main', merged.old, commit)).toEqual({ kind: 'blocked', detail, brief: false })
    expect(readFileSync(join(repository, 'a.txt'), 'utf8')).toBe('precious\n')
    expect(git('rev-parse', 'main')).toBe(merged.old)
  })

  test('an untracked file in the way is never overwritten', async () => {
    const merged = await workspaces.merge('main', await work({ 'b.txt': 'mine\n' }), false)
    if (merged.kind !== 'merged') throw new Error(merged.kind)
    const commit = await merged.commit('Merge\n')
    writeFileSync(join(repository, 'b.txt'), 'precious\n')
    const landed = await workspaces.land('main', merged.old, commit)
    const detail = `main is checked out in ${repository}, and the landing would overwrite uncommitted files there: b.txt (commit them, or move them away)`
    expect(landed).toEqual({ kind: 'blocked', detail, brief: false })
    expect(await workspaces.obstacle('main', commit)).toBe(detail)
    expect(readFileSync(join(repository, 'b.txt'), 'utf8')).toBe('precious\n')
  })
})

describe('a published branch', () => {
  test("follows Muster's snapshots and never overwrites a person's commit", async () => {
    const first = await work({ 'b.txt': '1\n' })
    expect(await workspaces.publish('muster/task/t', first)).toBeNull()
    expect(await workspaces.publish('muster/task/t', first)).toBeNull()
    const second = await work({ 'b.txt': '2\n' }, first)
    expect(await workspaces.publish('muster/task/t', second)).toBeNull()
    git('switch', '-q', 'muster/task/t')
    const person = commitFile('b.txt', 'person\n')
    git('switch', '-q', 'main')
    expect(await workspaces.publish('muster/task/t', await work({ 'b.txt': '3\n' }, second))).toContain(
      "it has a commit that is not Muster's",
    )
    expect(git('rev-parse', 'muster/task/t')).toBe(person)
  })

  test('is made once; one with work of its own is left as it is, one without follows where it should start', async () => {
    const main = git('rev-parse', 'main')
    expect(await workspaces.ensureBranch('muster/story/s', main)).toBe(main)
    const later = commitFile('c.txt', 'x\n')
    await workspaces.sync()
    expect(await workspaces.ensureBranch('muster/story/s', later)).toBe(later)
    git('switch', '-q', 'muster/story/s')
    const own = commitFile('d.txt', 'x\n')
    git('switch', '-q', 'main')
    const last = commitFile('e.txt', 'x\n')
    await workspaces.sync()
    expect(await workspaces.ensureBranch('muster/story/s', last)).toBe(own)
  })

  test('a branch that was renamed to a name below its own is still followed', async () => {
    git('branch', 'side')
    await workspaces.sync()
    git('branch', '-m', 'side', 'side/way')
    await workspaces.sync()
    git('switch', '-q', 'side/way')
    const later = commitFile('c.txt', 'x\n')
    expect(await workspaces.head('side/way')).toBe(later)
    git('switch', '-q', 'main')
    git('branch', '-m', 'side/way', 'side')
    git('branch', '-f', 'side', commitFile('d.txt', 'x\n'))
    expect(await workspaces.head('side')).toBe(git('rev-parse', 'side'))
  })

  test('a broken ref in the repository is said to be the reason why nothing can be pushed there', async () => {
    writeFileSync(join(repository, '.git/refs/heads/broken'), '')
    await expect(workspaces.publish('muster/task/t', await work({ 'b.txt': '1\n' }))).rejects.toMatchObject({
      hint: expect.stringMatching(/a ref of the repository is broken: find it with git fsck/),
    })
  })

  test('a branch of the user that is in the way is told', async () => {
    git('branch', 'muster')
    await expect(workspaces.ensureBranch('muster/story/s', git('rev-parse', 'main'))).rejects.toMatchObject({
      code: 'config',
      message: 'cannot create the branch muster/story/s: the branch "muster" is in the way',
    })
  })
})

describe('letting go', () => {
  test('a snapshot that is forgotten goes once it is old; the others stay, and so does what was just written', async () => {
    const [old, kept] = [await work({ 'b.txt': 'old\n' }), await work({ 'b.txt': 'kept\n' })]
    const [oldName, keptName] = [`r${runs - 1}`, `r${runs}`]
    expect(await workspaces.snapshots()).toEqual(
      new Map([
        [oldName, old],
        [keptName, kept],
      ]),
    )
    const young = await mirror.commitTree(await mirror.treeOf(kept), [], 'Young\n', mirror.committer)
    const object = join(mirror.dir, 'objects', old.slice(0, 2), old.slice(2))
    utimesSync(object, new Date(0), new Date(0))
    await workspaces.forget([oldName])
    expect(await workspaces.snapshots()).toEqual(new Map([[keptName, kept]]))
    expect([await mirror.has(old), await mirror.has(kept), await mirror.has(young)]).toEqual([false, true, true])
    // What is packed now can still be moved and told apart from what is not Muster's.
    await mirror.keep(`attempt/${keptName}`, young)
    expect([await mirror.isOwn(young), await mirror.isOwn(kept)]).toEqual([true, false])
    expect((await workspaces.snapshots()).get(keptName)).toBe(young)
  })

  test('the changes of a workspace are named without writing into the mirror', async () => {
    const { dir, base } = await attempt()
    writeFileSync(join(dir, 'a.txt'), 'other\n')
    writeFileSync(join(dir, 'new file'), 'new\n')
    expect(await workspaces.changes(dir, base, join(top, 'index'))).toEqual(['a.txt', 'new file'])
    rmSync(join(dir, 'a.txt'))
    expect(await workspaces.changes(dir, base, join(top, 'index'))).toEqual(['a.txt', 'new file'])
  })
})

describe("a branch of the user's", () => {
  test('is seen as it is, renamed to a folder of its own name and back, force-moved and deleted', async () => {
    git('branch', 'a')
    expect(await workspaces.head('a')).toBe(git('rev-parse', 'main'))
    git('branch', '-m', 'a', 'a/b')
    commitFile('a.txt', 'two\n')
    git('branch', '-f', 'a/b')
    expect(await workspaces.head('a/b')).toBe(git('rev-parse', 'main'))
    expect(await workspaces.head('a')).toBe(null)
    git('commit', '-q', '--amend', '--allow-empty', '-m', 'Amended')
    git('branch', '-m', 'a/b', 'c')
    git('branch', 'a')
    const [amended, before] = [await workspaces.head('a'), await workspaces.head('c')]
    expect([amended, before]).toEqual([git('rev-parse', 'main'), git('rev-parse', 'c')])
    git('pack-refs', '--all')
    git('branch', '-D', 'c')
    expect(await workspaces.head('c')).toBe(null)
    expect(await mirror.isAncestor(String(before), String(amended))).toBe(false)
  })
})

test('F-1 several that make the mirror at once all get the one that is there, and leave nothing beside it', async () => {
  const folder = join(top, 'fresh')
  mkdirSync(folder)
  const dir = join(folder, 'mirror.git')
  const mirrors = [1, 2, 3, 4].map(() => new Mirror(dir, join(repository, '.git'), mirror.committer))
  await Promise.all(mirrors.map((each) => each.ensure()))
  for (const each of mirrors) expect(await each.userHead('main')).toMatch(/^[0-9a-f]{40}$/)
  expect(readdirSync(folder)).toEqual(['mirror.git'])
})
