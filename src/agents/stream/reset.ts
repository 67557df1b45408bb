/**
 * When a rate limit ends that is given as a local time: "7:42 AM" is the next 7:42, "Nov 20th, 2026 7:42 AM" is that
 * date.
 */

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const CLOCK = /^(?:([A-Z][a-z]{2})[a-z]* (\d{1,2})(?:st|nd|rd|th)?,? (\d{4}),? )?(\d{1,2}):(\d{2}) ?([AP]M)$/i

/** In the time zone of this process, which is the one the program told it in. Null if it is no such text. */
export function timeOfClock(text: string, nowMs: number): number | null {
  const [, month, day, year, hours = '', minutes, half] = CLOCK.exec(text.trim()) ?? []
  if (half === undefined) return null
  const hour = (Number(hours) % 12) + (half.toUpperCase() === 'PM' ? 12 : 0)
  const at = new Date(nowMs)
  if (month !== undefined) at.setFullYear(Number(year), MONTHS.indexOf(month.toLowerCase()), Number(day))
  at.setHours(hour, Number(minutes), 0, 0)
  if (month === undefined && at.getTime() <= nowMs) at.setDate(at.getDate() + 1)
  return Number.isNaN(at.getTime()) ? null : at.getTime()
}
