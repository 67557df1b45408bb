/** Repositories as tests begin with: made by git once in a file, copied after that, which starts no process at all. */
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
