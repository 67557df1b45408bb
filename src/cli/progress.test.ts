/** What a terminal is told of notices: a bell and words where somebody sees it, nothing where nobody does. */
import { expect, test } from 'vitest'
import type { Io } from './io.ts'
import { paintWith } from './io.ts'
import { watchProgress } from './progress.ts'

const NOTICE = {
  type: 'notice',
  kind: 'needs-you',
  subject: 's-1 held',
  lines: ['s-1 waits for a person: \u001B]0;owned\u0007no', '→ muster retry s-1'],
}

function shown(live: boolean): string {
  let text = ''
  const io = { live, columns: 80, paint: paintWith(false), say: (more: string) => void (text += more) } as Partial<Io>
  const progress = watchProgress(io as Io)
  progress.onEvent(NOTICE)
  progress.end()
  return text
}

test('notify: terminal rings once and shows what to type; what is hidden in the words does not act', () => {
  expect(shown(true)).toBe('\u0007● s-1 waits for a person: no\n  → muster retry s-1\n')
})

test('without a terminal nothing is shown', () => {
  expect(shown(false)).toBe('')
})
