/** The executor of this machine, with real git, real processes and no sandbox. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, onTestFinished } from 'vitest'
import { commandRuntime } from '../agents/command/command.ts'
import { readLog } from '../process/log-read.ts'
import { Mirror } from '../workspace/mirror.ts'
import { mirrorWorkspaces } from '../workspace/workspaces.ts'
import { executorConformance, type ExecutorWorld } from './conformance.ts'
import { LocalGoldenCopies } from './golden.ts'
import { localExecutor } from './local.ts'

async function localWorld(): Promise<ExecutorWorld> {
  const top = mkdtempSync(join(tmpdir(), 'muster-executor-'))
  onTestFinished(() => rmSync(top, { recursive: true, force: true }))
  const [projectRoot, dataDir] = [join(top, 'project'), join(top, 'data')]
  mkdirSync(projectRoot)
  const identity = { name: 'Ann', email: 'ann@example.invalid' }
  const git = (...args: string[]): string => {
    const words = ['-c', `user.name=${identity.name}`, '-c', `user.email=${identity.email}`, ...args]
    return execFileSync('git', words, { cwd: projectRoot, encoding: 'utf8' }).trimEnd()
  }
  git('init', '-q', '-b', 'main')
  git('commit', '-q', '--allow-empty', '-m', 'Begin')
  const workspaces = mirrorWorkspaces(new Mirror(join(dataDir, 'mirror.git'), join(projectRoot, '.git'), identity))
  await workspaces.sync()
  const runtime = commandRuntime({ sandbox: { mode: 'off', home: [] }, dataDir })
  const parts = { runtime, workspaces, dataDir, projectRoot, now: Date.now }
  return {
    executor: () => localExecutor({ ...parts, golden: new LocalGoldenCopies(parts) }),
    commit(files, links = {}) {
      for (const [path, target] of Object.entries(links)) symlinkSync(target, join(projectRoot, path))
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(projectRoot, path)), { recursive: true })
        writeFileSync(join(projectRoot, path), text)
      }
      git('add', '-A')
      git('commit', '-qm', 'Change', '--allow-empty')
      const commit = git('rev-parse', 'HEAD')
      // The engine fetches what it works on before it asks for a job.
      git('push', '-q', join(dataDir, 'mirror.git'), 'HEAD:refs/user/heads/main')
      return commit
    },
    outside() {
      const path = join(top, 'outside')
      mkdirSync(path)
      writeFileSync(join(path, 'kept'), 'kept\n')
      return { path, kept: () => readFileSync(join(path, 'kept'), 'utf8') }
    },
    setVariable(name, value) {
      process.env[name] = value
      onTestFinished(() => void delete process.env[name])
    },
    log: async (job) => (await readLog(join(dataDir, 'runs', job))).toString(),
    checkouts: () => (readdirSync(dataDir).includes('checkouts') ? readdirSync(join(dataDir, 'checkouts')) : []),
    gate() {
      const path = join(top, 'gate')
      execFileSync('mkfifo', [path])
      // Opening to write waits for who reads.
      const opened: Promise<FileHandle> = open(path, 'w')
      return {
        path,
        reached: opened.then(() => undefined),
        open: (word) => void opened.then((file) => file.write(`${word}\n`).then(() => file.close())),
      }
    },
  }
}

describe('the local executor', () => {
  executorConformance(localWorld)
})
