/**
 * muster demo: a story from plan to Ship in a throwaway repository, with agents that follow a script. It runs on the
 * board until somebody ends it, or by itself if there is no terminal. It needs no account, network or key.
 */
import type { Demo } from './demo-folder.ts'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ERROR_CODES } from '../domain/errors.ts'
import { git } from '../workspace/git.ts'
import type { Io } from './io.ts'
import { closeOnSignal } from './signals.ts'

export async function demo(io: Io, _: string[], options: Record<string, unknown>): Promise<number> {
  // From the first moment to the last: who ends it leaves nothing behind. What runs is ended by whoever began it.
  const signals = closeOnSignal(
    () => undefined,
    '',
    async () => undefined,
  )
  const top = await mkdtemp(join(tmpdir(), 'muster-demo-'))
  const repository = join(top, 'shop')
  const env = { ...io.env, MUSTER_HOME: join(top, 'data'), MUSTER_TASK_ID: undefined }
  const keep = options['keep'] === true
  const here: Demo = {
    io: { ...io, cwd: repository, env },
    keep,
    top,
    repository,
    interrupted: () => signals.interrupted(),
    begin: (content, script) => makeRepository(top, repository, content, script),
  }
  try {
    if (options['terminal'] === true) return await (await import('./demo-terminal.ts')).demoInTerminal(here)
    // Without anybody at a terminal it would never be ended.
    const once = options['once'] === true || (options['board'] !== true && !io.asks)
    const { demoOnBoard } = await import('./demo-board.ts')
    return signals.interrupted() ? ERROR_CODES.interrupted.exit : await demoOnBoard(here, once)
  } finally {
    if (!keep) await rm(top, { recursive: true, force: true, maxRetries: 3 })
    await signals.close()
  }
}

async function makeRepository(
  top: string,
  repository: string,
  content: (agent: string) => Record<string, string>,
  script: object,
): Promise<void> {
  const scriptFile = join(top, 'script.json')
  const agent = [process.execPath, scriptedAgent(), scriptFile].map((part) => `'${part}'`).join(' ')
  for (const [name, text] of Object.entries(content(agent))) {
    await mkdir(dirname(join(repository, name)), { recursive: true })
    await writeFile(join(repository, name), text)
  }
  await writeFile(scriptFile, JSON.stringify(script, null, 2))
  const env = {
    GIT_AUTHOR_NAME: 'Demo',
    GIT_AUTHOR_EMAIL: 'demo@muster.invalid',
    GIT_COMMITTER_NAME: 'Demo',
    GIT_COMMITTER_EMAIL: 'demo@muster.invalid',
  }
  await git(['init', '--quiet', '--initial-branch=main', repository])
  await git(['add', '--all'], { cwd: repository })
  await git(['commit', '--quiet', '-m', 'Start the shop'], { cwd: repository, env })
}

/** The scripted agent that ships with Muster: beside the bundle, or in the sources. */
function scriptedAgent(): string {
  const source = import.meta.url.endsWith('.ts')
  return fileURLToPath(new URL(source ? '../agents/scripted/main.ts' : './scripted-agent.js', import.meta.url))
}
