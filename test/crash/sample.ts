/** Which of a scenario's points to crash at: all in `npm run soak`, otherwise a sample that moves with the day. */
import type { CrashPoint } from './points.ts'

const dayMs = 86_400_000

export function samplePoints(points: readonly string[], size: number): CrashPoint[] {
  const all = points.flatMap((_, index): CrashPoint[] => [
    { at: index + 1, side: 'before' },
    { at: index + 1, side: 'after' },
  ])
  const stride = process.env['MUSTER_SOAK'] ? 1 : Math.max(1, Math.floor(all.length / size))
  const offset = Math.floor(Date.now() / dayMs) % stride
  return all.filter((_, index) => index % stride === offset)
}
