/**
 * muster demo: the whole flow on a throwaway repository, with agents that follow a script: five tasks with dependencies,
 * one that fails its first round, one that waits for a person. No account, no network, no key.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { withCommands } from '../app.ts'
import { loadPlan } from '../config/plan.ts'
import { openProject } from '../project.ts'
import { git } from '../workspace/git.ts'
import { DEMO_FILES, DEMO_PLAN, demoConfig } from './demo-content.ts'
import type { Io } from './io.ts'
import { work } from './run.ts'
import { status } from './status.ts'
import { summaryText } from './summary.ts'

const GATE = 'shop-5'

export async function demo(io: Io, _: string[], options: Record<string, unknown>): Promise<number> {
  const top = await mkdtemp(join(tmpdir(), 'muster-demo-'))
  const repository = join(top, 'shop')
  const here: Io = {
    ...io,
    cwd: repository,
    env: { ...io.env, MUSTER_HOME: join(top, 'data'), MUSTER_TASK_ID: undefined },
  }
  const { bold, dim } = io.paint
  const step = (text: string) => io.say(`\n${bold(text)}\n`)
  try {
    step('1. A small repository, and a muster.yaml that names an agent (here: one that follows a script)')
    await makeRepository(top, repository)
    io.say(dim(`   ${repository}\n`))

    step('2. $ muster run plan.yaml')
    const project = await openProject(repository, here.env)
    const { plan } = await loadPlan(join(repository, 'plan.yaml'), repository, project.config, project.root)
    const first = await work(here, project, plan)
    io.out(summaryText(first))

    step('3. One task waits for a person. You would look at it and type:')
    io.say(`   $ muster diff ${GATE}\n   $ muster accept ${GATE} -m "prices look right"\n   $ muster run\n`)
    await withCommands(project, here.env, (commands) =>
      commands.decide({ kind: 'accept', task: GATE, message: 'prices look right', by: 'you' }),
    )
    const second = await work(here, project, plan)
    io.out(summaryText(second))

    step('4. $ muster status --all')
    await status(here, [], { all: true, limit: '50' })
    const done = second.tasks.every((task) => task.status === 'completed')
    await tellNext(io, repository, here, options['keep'] === true)
    return done ? 0 : 1
  } finally {
    if (options['keep'] !== true) await rm(top, { recursive: true, force: true })
  }
}

async function tellNext(io: Io, repository: string, here: Io, keep: boolean): Promise<void> {
  io.say(`\n${io.paint.bold('What to try next')}\n`)
  if (keep) {
    io.say(`   cd ${repository} && export MUSTER_HOME=${here.env['MUSTER_HOME']}\n`)
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

async function makeRepository(top: string, repository: string): Promise<void> {
  await mkdir(repository, { recursive: true })
  const files = {
    ...DEMO_FILES,
    'plan.yaml': DEMO_PLAN,
    'muster.yaml': demoConfig(process.execPath, scriptedAgent(), join(top, 'script.json')),
  }
  for (const [name, content] of Object.entries(files)) await writeFile(join(repository, name), content)
  await writeFile(join(top, 'script.json'), JSON.stringify((await import('./demo-content.ts')).DEMO_SCRIPT, null, 2))
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
