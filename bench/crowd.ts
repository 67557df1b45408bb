/** Agents that leave too much: how long a round of such a one takes on top of the agent's own time. */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Row } from './main.ts'
import { inTemp, makeRepository, percentile, sort } from './measure.ts'

const rounds = 3
const bin = join(import.meta.dirname, '../bin/muster.mjs')

const ACTS = {
  '100,000 files in a folder': 'mkdir made; cd made; seq 100000 | split -l 1 -a 5 - f',
  '100,000 files at the top': 'seq 100000 | split -l 1 -a 5 - f',
  'folders 600 deep': 'for n in $(seq 600); do mkdir folder-$n; cd folder-$n; done; echo x >x',
  'a file of 2 GB': 'truncate -s 2G large',
  '400 processes': 'for n in $(seq 400); do sleep 1000 & done; echo x >x',
} as const

export async function crowd(): Promise<Row[]> {
  const rows: Row[] = []
  for (const [what, act] of Object.entries(ACTS)) {
    const times: number[] = []
    for (let n = 0; n < rounds; n += 1) times.push(await inTemp((dir) => beside(dir, act)))
    const sorted = sort(times)
    const [median, worst] = [percentile(sorted, 50), sorted.at(-1) ?? 0]
    const measured = `median ${median.toFixed(0)} ms, worst ${worst.toFixed(0)} ms of ${rounds}`
    const figures = { medianMs: Math.round(median), worstMs: Math.round(worst) }
    const met = worst <= 5000
    rows.push({ what: `a round beside its agent: ${what}`, measured, aim: 'worst ≤ 5 s', met, figures })
  }
  return rows
}

/** The whole of `muster run`, its start included, without what the agent took. */
async function beside(dir: string, act: string): Promise<number> {
  const [agent, times] = [join(dir, 'agent.sh'), join(dir, 'times')]
  writeFileSync(agent, `date +%s%N >'${times}'\n( ${act} )\ndate +%s%N >>'${times}'\n`)
  const config = `agents:\n  implementer: { runtime: command, run: "sh ${agent}", verdict: exit }\nphases: direct\nprotected: []\nlimits: { maxTaskRounds: 1 }\nsandbox: off\n`
  const { repository, env } = makeRepository(dir, config)
  const at = performance.now()
  const { status, stderr } = spawnSync(process.execPath, [bin, 'run', 'Do this'], {
    cwd: repository,
    env,
    encoding: 'utf8',
  })
  const took = performance.now() - at
  const [began = 0, ended = 0] = readFileSync(times, 'utf8').split('\n').map(Number)
  if (status === null || ended === 0) throw new Error(`ended with ${status}:\n${stderr.slice(-2000)}`)
  return took - (ended - began) / 1e6
}
