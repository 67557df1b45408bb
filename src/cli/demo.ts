/**
 * muster demo: the whole way of a story, on a throwaway repository, with agents that follow a script. On the board until
 * somebody ends it, or to its end by itself where nobody sits. No account, no network, no key.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ERROR_CODES } from '../domain/errors.ts'
import { git } from '../workspace/git.ts'
import type { Io } from './io.ts'
import { closeOnSignal } from './signals.ts'

/** A demo in its folder; what it leaves there goes afterwards, unless it is to be kept. */
export interface Demo {
  io: Io
  keep: boolean
  /** The folder around the repository. */
  top: string
  repository: string
  /** Somebody wants it to end. */
  interrupted(): boolean
  /** Makes the repository, and the script of its agents beside it. `agent`: the command that follows it. */
  begin(content: (agent: string) => Record<string, string>, script: object): Promise<void>
}

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

/** What one could do after either demo. */
export function tellNext({ io, repository, keep }: Demo): void {
  io.say(`\n${io.paint.bold('What to try next')}\n`)
  if (keep) {
    io.say(`   cd ${repository} && export MUSTER_HOME=${io.env['MUSTER_HOME']}\n`)
    io.say(
      '   muster explain shop-3      why it took two rounds\n   muster logs shop-3         what its agent printed\n',
    )
    io.say('   git log --graph --oneline muster/story/shop\n')
  } else {
    io.say('   muster demo --keep         the same, and the repository stays for you to look around\n')
  }
  io.say(
    '   In a repository of yours:\n   muster init                writes a muster.yaml\n   muster run "what should be done"\n',
  )
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
