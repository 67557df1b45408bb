/**
 * Home and End in a list that draws only visible rows. The browser would scroll smoothly, and stop where a row turns
 * out to be taller than estimated.
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
