/**
 * n independent tasks on w workers, as a user has it: the real command with real processes and real git, from its start to
 * its end, against the ideal of nothing but the work itself.
 */
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Row } from './main.ts'
import { inTemp, makeRepository, round } from './measure.ts'

const tasks = 16
const workers = 4
/** Far shorter than a real agent's run, so that Muster's own share shows. */
const workSeconds = 5
const bin = join(import.meta.dirname, '../bin/muster.mjs')

export function makespan(): Promise<Row[]> {
  return inTemp(async (dir) => {
    const run = `echo "$MUSTER_TASK_ID" >"$MUSTER_TASK_ID"; sleep ${workSeconds}`
    const agent = `agents:\n  implementer: { runtime: command, run: '${run}', verdict: exit }\n`
    const { repository, env } = makeRepository(dir, `phases: direct\nlimits: { maxWorkers: ${workers} }\n${agent}`)
    const lines = Array.from({ length: tasks }, (_, n) => `  - { id: ${n + 1}, name: Task ${n + 1} }\n`)
    writeFileSync(join(repository, 'plan.yaml'), `meta: { id: s }\ntasks:\n${lines.join('')}`)
    const start = performance.now()
    const code = await new Promise<number | null>((resolve) => {
      const args = ['--max-semi-space-size=8', bin, 'run', 'plan.yaml']
      spawn(process.execPath, args, { cwd: repository, env, stdio: 'ignore' }).once('exit', resolve)
    })
    if (code !== 0) throw new Error(`muster run ended with ${code}`)
    const took = performance.now() - start
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
