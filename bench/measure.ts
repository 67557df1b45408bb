/** Percentiles, temporary folders and other small things that benchmarks share. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
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

/** A git repository with this muster.yaml in it, and an environment that knows nothing of the user's. */
export function makeRepository(dir: string, config: string): { repository: string; env: Record<string, string> } {
  const repository = join(dir, 'repo')
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.invalid', ...args], { cwd: repository })
  mkdirSync(repository)
  writeFileSync(join(repository, 'muster.yaml'), config)
  git('init', '-q', '-b', 'main')
  git('add', '-A')
  git('commit', '-qm', 'Start')
  return { repository, env: { HOME: dir, MUSTER_HOME: join(dir, 'data'), PATH: process.env['PATH'] ?? '' } }
}
