/** Costs, summed by day and by story. */
import type { Spent } from '../api/insights.ts'

type Line = Spent['lines'][number]

interface Sum {
  usd: number | null
  workMs: number
  runs: number
}

const daysMax = 30
const storiesMax = 12
const dayMs = 86_400_000

function add(sum: Sum, { usd, workMs, runs }: Line): void {
  if (usd !== null) sum.usd = (sum.usd ?? 0) + usd
  sum.workMs += workMs
  sum.runs += runs
}

const none = (): Sum => ({ usd: null, workMs: 0, runs: 0 })

/** Every day from the first on which something ran to the last, at most thirty. `left`: days before those. */
export function byDay(lines: readonly Line[]): { days: ({ day: string } & Sum)[]; left: number } {
  const sums = new Map<string, Sum>()
  for (const line of lines) {
    const sum = sums.get(line.day) ?? none()
    add(sum, line)
    sums.set(line.day, sum)
  }
  const known = [...sums.keys()].sort()
  const last = Date.parse(known.at(-1) ?? '')
  const count = Math.min(daysMax, (last - Date.parse(known[0] ?? '')) / dayMs + 1) || 0
  const days = Array.from({ length: count }, (_, index) => {
    const day = new Date(last - (count - 1 - index) * dayMs).toISOString().slice(0, 10)
    return { day, ...(sums.get(day) ?? none()) }
  })
  return { days, left: known.filter((day) => day < (days[0]?.day ?? '')).length }
}

/** Those that took the most. `left`: how many others there are. */
export function byStory(
  lines: readonly Line[],
  names: ReadonlyMap<string, string>,
): { stories: ({ id: string; name: string } & Sum)[]; left: number } {
  const sums = new Map<string | null, Sum>()
  for (const line of lines) {
    const sum = sums.get(line.story) ?? none()
    add(sum, line)
    sums.set(line.story, sum)
  }
  const all = [...sums].map(([id, sum]) => {
    return { id: id ?? '', name: id === null ? 'No story' : (names.get(id) ?? id), ...sum }
  })
  all.sort((a, b) => (b.usd ?? 0) - (a.usd ?? 0) || b.workMs - a.workMs)
  return { stories: all.slice(0, storiesMax), left: Math.max(0, all.length - storiesMax) }
}

export const usd = (value: number): string =>
  `$${value === 0 ? '0' : value < 1 ? value.toFixed(value < 0.01 ? 4 : 2) : value < 100 ? value.toFixed(2) : Math.round(value).toLocaleString('en')}`

export const dayName = (day: string): string =>
  new Date(`${day}T00:00:00Z`).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
