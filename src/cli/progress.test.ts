/** What a terminal is told of notices: a bell and words where somebody sees it, nothing where nobody does. */
import { expect, test } from 'vitest'
import type { ProbeEvent } from '../ports/probe.ts'
import type { Io } from './io.ts'
import { paintWith } from './io.ts'
import { watchProgress } from './progress.ts'

const NOTICE = {
  type: 'notice',
  kind: 'needs-you',
  subject: 's-1 held',
  lines: ['s-1 needs you:  \u001B]0;owned\u0007no', '→ muster retry s-1'],
}

function shown(live: boolean, events: readonly ProbeEvent[] = [NOTICE]): string {
  let text = ''
  const io = { live, columns: 80, paint: paintWith(false), say: (more: string) => void (text += more) } as Partial<Io>
  const progress = watchProgress(io as Io)
  for (const event of events) progress.onEvent(event)
  progress.end()
  return text
}

test('notify: terminal rings once and shows what to type; what is hidden in the words does not act', () => {
  expect(shown(true)).toBe('\u0007● s-1 needs you: no\n  → muster retry s-1\n')
})

test('without a terminal nothing is shown', () => {
  expect(shown(false)).toBe('')
})

const SETUP: ProbeEvent[] = [
  { type: 'run-started', task: 's-1', phase: 'implement', round: 0, run: 's-1.r1', name: 'implementer', attempt: 1 },
  { type: 'setup-started', task: 's-1', command: 'npm ci' },
  { type: 'output', task: 's-1', line: 'setup: added 12 packages', setup: Date.now() - 90_000 },
]

test('a setup has its own clock and last line on a terminal', () => {
  const news = { type: 'waiting', task: 's-2', reason: 'x' }
  expect(shown(true, [...SETUP, news])).toMatch(/▸ s-1 {2}setup {2}round 0 {2}1m30s {2}added 12 packages/)
  const over = [
    { type: 'setup-ended', task: 's-1', ms: 90_000, ok: true },
    { type: 'output', task: 's-1', line: 'reading' },
  ]
  expect(shown(true, [...SETUP, ...over, news])).toMatch(/▸ s-1 {2}implement {2}round 0 {2}[\d.]+m?s {2}reading/)
})

test('without a terminal it has a line when it begins and one when it ends', () => {
  const text = shown(false, [...SETUP, { type: 'setup-ended', task: 's-1', ms: 90_000, ok: false }])
  expect(text).toMatch(/s-1 setup: npm ci\n[\d:]+ s-1 setup failed after 1m30s\n$/)
})
