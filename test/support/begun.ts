/** Repositories as tests begin with, and their mirrors: made once in a file, copied after that, which starts no process at all. And what a person commits there. */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Mirror } from '../../src/workspace/mirror.ts'
import { afterFile } from './after.ts'

const IDENTITY = ['-c', 'user.name=Tester', '-c', 'user.email=tester@example.invalid']
const made = new Map<string, Begun>()

interface Begun {
  repository: string
  /** What Muster makes of it, once somebody asks. */
  mirror?: Promise<string>
}

/** Makes `dir` a repository with a README.md in one commit. */
export function beginRepository(dir: string, branch = 'main'): void {
  const begun = made.get(branch) ?? make(branch)
  made.set(branch, begun)
  cpSync(begun.repository, dir, { recursive: true })
}

/** Makes `dir` the mirror that Muster would make of this repository, if it began so and has none. */
export async function beginMirror(dir: string, repository: string, branch = 'main'): Promise<void> {
  const begun = made.get(branch)
  if (begun === undefined || existsSync(dir)) return
  const [now, then] = [repository, begun.repository].map((each) => readFileSync(join(each, '.git/config'), 'utf8'))
  if (now !== then) return
  begun.mirror ??= makeMirror(begun.repository, branch)
  cpSync(await begun.mirror, dir, { recursive: true })
}

async function makeMirror(repository: string, branch: string): Promise<string> {
  const own = { name: 'Muster', email: 'muster@muster.invalid' }
  const mirror = new Mirror(`${repository}-mirror.git`, join(repository, '.git'), own)
  await mirror.ensure()
  await mirror.userHead(branch)
  return mirror.dir
}

function make(branch: string): Begun {
  const top = mkdtempSync(join(tmpdir(), 'muster-begun-'))
  afterFile(() => {
    made.delete(branch)
    rmSync(top, { recursive: true })
  })
  const repository = join(top, 'repository')
  mkdirSync(repository)
  const env = { PATH: process.env['PATH'], GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' }
  const git = (...args: string[]) => execFileSync('git', args, { cwd: repository, env, stdio: 'pipe' })
  writeFileSync(join(repository, 'README.md'), '# A project\n')
  git('init', '-q', '-b', branch)
  git('add', '-A')
  git(...IDENTITY, 'commit', '-qm', 'Start')
  return { repository }
}

/** A person's commit that writes one file, on top of another; no branch and no checkout is touched. */
export function personsCommit(cwd: string, index: string, parent: string, file: string, text: string): string {
  const env = { ...process.env, GIT_INDEX_FILE: index }
  const identity = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.invalid']
  const git = (input: string, ...args: string[]) =>
    execFileSync('git', [...identity, ...args], { cwd, encoding: 'utf8', input, env }).trimEnd()
  git('', 'read-tree', parent)
  git('', 'update-index', '--add', '--cacheinfo', `100644,${git(text, 'hash-object', '-w', '--stdin')},${file}`)
  return git(`Change ${file}\n`, 'commit-tree', git('', 'write-tree'), '-p', parent, '-F', '-')
}
