/** Durations as people write and read them: `90s`, `30m`, `1h30m`, `500ms`, `30d`. */

const UNIT_MS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Milliseconds, or null when the text is no duration. A bare number is refused: it has no unit. */
export function parseDuration(text: string): number | null {
  const parts = [...text.trim().matchAll(/(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)\s*/gy)]
  const length = parts.reduce((sum, part) => sum + part[0].length, 0)
  if (parts.length === 0 || length !== text.trim().length) return null
  return parts.reduce((sum, part) => sum + Number(part[1]) * (UNIT_MS[part[2] ?? ''] ?? 0), 0)
}

/** `340ms`, `4.2s`, `3m20s`, `1h05m`. */
export function formatDuration(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)}ms`
  if (ms < 59_500) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0).replace(/\.0$/, '')}s`
  const whole = Math.max(60, Math.floor(ms / 1000))
  const [minutes, seconds] = [Math.floor(whole / 60), whole % 60]
  if (minutes < 60) return seconds === 0 ? `${minutes}m` : `${minutes}m${String(seconds).padStart(2, '0')}s`
  return `${Math.floor(minutes / 60)}h${String(minutes % 60).padStart(2, '0')}m`
}

/** How long ago, or for how long: in days where hours say little. */
export function formatAge(ms: number): string {
  const days = ms / 86_400_000
  return days >= 2 ? `${Math.floor(days)}d` : formatDuration(ms)
}
