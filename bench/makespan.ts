/** n independent tasks on w workers with real processes and real git, against the ideal of nothing but the work itself. */
import { attach } from '../src/app.ts'
import { buildPlan } from '../src/config/plan.ts'
import { parseYaml } from '../src/config/yaml.ts'
import { openProject } from '../src/project.ts'
import type { Row } from './main.ts'
import { inTemp, makeRepository, round } from './measure.ts'

const tasks = 16
const workers = 4
/** Far shorter than a real agent's run, so that Muster's own share shows. */
const workSeconds = 5

export function makespan(): Promise<Row[]> {
  return inTemp(async (dir) => {
    const run = `echo "$MUSTER_TASK_ID" >"$MUSTER_TASK_ID"; sleep ${workSeconds}`
    const agent = `agents:\n  implementer: { runtime: command, run: '${run}', verdict: exit }\n`
    const { repository, env } = makeRepository(dir, `limits: { maxWorkers: ${workers} }\n${agent}`)
    const project = await openProject(repository, env)
    const lines = Array.from({ length: tasks }, (_, n) => `  - { id: ${n + 1}, name: Task ${n + 1} }\n`)
    const plan = buildPlan(parseYaml(`meta: { id: s }\ntasks:\n${lines.join('')}`, 'plan'), project.config, 's')
    const engine = await attach(project, env)
    const start = performance.now()
    await engine.commands.submit({ plan, config: project.config })
    await engine.settled('s')
    const took = performance.now() - start
    await engine.close()
    const ideal = Math.ceil(tasks / workers) * workSeconds * 1000
    const ratio = took / ideal
    const overheadMs = Math.round((took - ideal) / Math.ceil(tasks / workers))
    return [
      {
        what: `makespan, ${tasks} tasks of ${workSeconds} s on ${workers} workers`,
        measured: `${ratio.toFixed(3)} × ideal (${overheadMs} ms a wave)`,
        aim: '≤ 1.05',
        met: ratio <= 1.05,
        figures: { ratio: round(ratio, 3), tookMs: Math.round(took), idealMs: ideal, overheadMsPerWave: overheadMs },
      },
    ]
  })
}
