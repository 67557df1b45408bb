/**
 * Home and End in a list of which only what is in sight is drawn. The browser would glide there, and stop where a row on
 * its way turns out to be higher than it was thought to be.
 */
import type { KeyboardEvent } from 'react'

export interface ListEnd {
  index: number
  align: 'start' | 'end'
}

/** Which end of so many rows the key asks for; the browser then leaves it alone. */
export function listEnd(event: KeyboardEvent, count: number): ListEnd | null {
  const { key } = event
  if ((key !== 'Home' && key !== 'End') || count === 0) return null
  event.preventDefault()
  return key === 'Home' ? { index: 0, align: 'start' } : { index: count - 1, align: 'end' }
}
