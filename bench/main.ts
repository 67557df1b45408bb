/**
 * The benchmarks: ratios and percentiles from one run, never a timed test, because machines are noisy. Prints a table and
 * writes bench/results.json. `npm run bench -- transition help` runs only those rows.
 */
import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'

export interface Row {
  what: string
  measured: string
  aim: string
  met: boolean
  /** The figures behind it, with their units in their names. */
  figures: Record<string, number>
}

const BENCHES: Record<string, () => Promise<Row[]>> = {
  transition: async () => (await import('./transition.ts')).transition(),
  dispatch: async () => (await import('./dispatch.ts')).dispatch(),
  makespan: async () => (await import('./makespan.ts')).makespan(),
  many: async () => (await import('./many-tasks.ts')).manyTasks(),
  verify: async () => (await import('./verify.ts')).verify(),
  warm: async () => (await import('./warm.ts')).warm(),
  agents: async () => (await import('./agents.ts')).agents(),
  http: async () => (await import('./http.ts')).http(),
  web: async () => (await import('./web.ts')).web(),
  stop: async () => (await import('./stop.ts')).stop(),
  crowd: async () => (await import('./crowd.ts')).crowd(),
  help: async () => (await import('./help.ts')).help(),
}

const wanted = process.argv.slice(2)
const rows: Row[] = []
for (const [name, bench] of Object.entries(BENCHES)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  process.stderr.write(`${name} …\n`)
  rows.push(...(await bench()))
}
const width = Math.max(...rows.map(({ what }) => what.length))
for (const { what, measured, aim, met } of rows) {
  console.log(`${met ? '✓' : '✗'} ${what.padEnd(width)}  ${measured.padEnd(40)}  aim ${aim}`)
}
if (wanted.length === 0) {
  const machine = { node: process.version, cores: cpus().length }
  writeFileSync(join(import.meta.dirname, 'results.json'), `${JSON.stringify({ machine, rows }, null, 2)}\n`)
}
