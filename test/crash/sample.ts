/** Which of a scenario's points to crash at: all in `npm run soak`, otherwise the same sample each time. */
import type { CrashPoint } from './points.ts'

export function samplePoints(points: readonly string[], size: number): CrashPoint[] {
  const all = points.flatMap((_, index): CrashPoint[] => [
    { at: index + 1, side: 'before' },
    { at: index + 1, side: 'after' },
  ])
  // Odd, so that both sides are among them.
  const stride = process.env['MUSTER_SOAK'] ? 1 : Math.floor(all.length / size) | 1
  return all.filter((_, index) => index % stride === 0)
}
