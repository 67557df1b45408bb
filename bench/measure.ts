/** Percentiles, temporary folders and other small things that benchmarks share. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export function percentile(sorted: readonly number[], p: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * p) / 100))] ?? Number.NaN
}

export function sort(values: readonly number[]): number[] {
  return values.toSorted((a, b) => a - b)
}

export async function inTemp<T>(use: (dir: string) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'muster-bench-'))
  try {
    return await use(dir)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

export const round = (value: number, digits = 2): number => Number(value.toFixed(digits))
