/** Repositories as tests begin with: made by git once in a file, copied after that, which starts no process at all. And what a person commits there. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterFile } from './after.ts'

const IDENTITY = ['-c', 'user.name=Tester', '-c', 'user.email=tester@example.invalid']
const made = new Map<string, string>()

/** Makes `dir` a repository with a README.md in one commit. */
export function beginRepository(dir: string, branch = 'main'): void {
  const begun = made.get(branch) ?? make(branch)
  made.set(branch, begun)
  cpSync(begun, dir, { recursive: true })
}

function make(branch: string): string {
  const dir = mkdtempSync(join(tmpdir(), 'muster-begun-'))
  afterFile(() => {
    made.delete(branch)
    rmSync(dir, { recursive: true })
  })
  const env = { PATH: process.env['PATH'], GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' }
  const git = (...args: string[]) => execFileSync('git', args, { cwd: dir, env, stdio: 'pipe' })
  writeFileSync(join(dir, 'README.md'), '# A project\n')
  git('init', '-q', '-b', branch)
  git('add', '-A')
  git(...IDENTITY, 'commit', '-qm', 'Start')
  return dir
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
