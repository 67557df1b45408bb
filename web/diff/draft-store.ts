/** Stores comments that were not sent yet: in this browser, by task. They survive a reload. */
import { useSyncExternalStore } from 'react'
import type { Draft, DraftComment } from './drafts.ts'
import { commentCharsMax, parseDrafts } from './drafts.ts'

const quoteCharsMax = 200
const storageKey = (task: string): string => `muster-comments:${task}`

export function newComment(place: Pick<DraftComment, 'file' | 'side' | 'line'>, quote: string, message: string) {
  const id = crypto.randomUUID()
  return {
    id,
    ...place,
    quote: quote.slice(0, quoteCharsMax).toWellFormed(),
    message: message.slice(0, commentCharsMax),
  }
}

interface Kept {
  text: string | null
  drafts: readonly Draft[]
}

const kept = new Map<string, Kept>()
const listeners = new Set<() => void>()

/** The same array as long as nothing has changed. */
export function draftsOf(task: string): readonly Draft[] {
  const text = localStorage.getItem(storageKey(task))
  const known = kept.get(task)
  if (known?.text === text) return known.drafts
  const drafts = parseDrafts(text)
  kept.set(task, { text, drafts })
  return drafts
}

export function keepDrafts(task: string, drafts: readonly Draft[]): void {
  if (drafts.length === 0) localStorage.removeItem(storageKey(task))
  else localStorage.setItem(storageKey(task), JSON.stringify(drafts))
  for (const tell of listeners) tell()
}

/** Other windows of this browser count too. */
export function watchDrafts(listener: () => void): () => void {
  listeners.add(listener)
  window.addEventListener('storage', listener)
  return () => {
    listeners.delete(listener)
    window.removeEventListener('storage', listener)
  }
}

export const useDrafts = (task: string): readonly Draft[] => useSyncExternalStore(watchDrafts, () => draftsOf(task))
