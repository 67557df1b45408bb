/** muster demo --terminal: five tasks with dependencies, one that fails its first round, one that waits for a person. */
import { join } from 'node:path'
import { withCommands } from '../app.ts'
import { loadPlan } from '../config/plan.ts'
import { ERROR_CODES } from '../domain/errors.ts'
import { openProject } from '../project.ts'
import type { Demo } from './demo-folder.ts'
import { tellNext } from './demo-folder.ts'
import { DEMO_FILES, DEMO_PLAN, DEMO_SCRIPT, demoConfig } from './demo-terminal-content.ts'
import { work } from './run.ts'
import { status } from './status.ts'
import { summaryText } from './summary.ts'

const GATE = 'shop-5'

export async function demoInTerminal(demo: Demo): Promise<number> {
  const { io, repository } = demo
  const { bold, dim } = io.paint
  const step = (text: string) => io.say(`\n${bold(text)}\n`)
  step('1. A small repository, and a muster.yaml that names an agent (here: one that follows a script)')
  const content = (agent: string) => ({ ...DEMO_FILES, 'plan.yaml': DEMO_PLAN, 'muster.yaml': demoConfig(agent) })
  await demo.begin(content, DEMO_SCRIPT)
  if (demo.interrupted()) return ERROR_CODES.interrupted.exit
  io.say(dim(`   ${repository}\n`))

  step('2. $ muster run plan.yaml')
  const project = await openProject(repository, io.env)
  const { plan } = await loadPlan(join(repository, 'plan.yaml'), repository, project.config, project.root)
  const first = await work(io, project, plan)
  io.out(summaryText(first))
  if (demo.interrupted()) return ERROR_CODES.interrupted.exit

  step('3. One task needs you. You would look at it and type:')
  io.say(`   $ muster diff ${GATE}\n   $ muster accept ${GATE} -m "prices look right"\n   $ muster run\n`)
  await withCommands(project, io.env, (commands) =>
    commands.decide({ kind: 'accept', task: GATE, message: 'prices look right', by: 'you' }),
  )
  const second = await work(io, project, plan)
  io.out(summaryText(second))

  step('4. $ muster status --all')
  await status(io, [], { all: true, limit: '50' })
  tellNext(demo)
  return second.tasks.every((task) => task.status === 'completed') ? 0 : 1
}
