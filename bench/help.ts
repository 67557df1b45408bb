/** How long `muster --help` takes, as a real process. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import type { Row } from './main.ts'
import { percentile, sort } from './measure.ts'

const bin = join(import.meta.dirname, '../bin/muster.mjs')

export async function help(): Promise<Row[]> {
  const times = sort(
    Array.from({ length: 21 }, () => {
      const start = performance.now()
      if (spawnSync(process.execPath, [bin, '--help']).status !== 0)
        throw new Error('muster --help failed: run npm run build')
      return performance.now() - start
    }),
  )
  const median = percentile(times, 50)
  const figures = { medianMs: Math.round(median), p90Ms: Math.round(percentile(times, 90)) }
  return [
    { what: 'muster --help', measured: `median ${median.toFixed(0)} ms`, aim: '≤ 120 ms', met: median <= 120, figures },
  ]
}
