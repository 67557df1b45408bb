/** The state of a story: an icon, a word and a colour together. */
import type { Story } from '../api/types.ts'
import type { Tone } from './badge.tsx'
import { Badge } from './badge.tsx'

const STATES: Record<Story['state'], { tone: Tone; icon: string; word: string }> = {
  OPEN: { tone: 'plain', icon: '◦', word: 'Open' },
  SHIPPABLE: { tone: 'good', icon: '✓', word: 'Shippable' },
  SHIPPING: { tone: 'busy', icon: '↑', word: 'Shipping…' },
  DEPLOYED: { tone: 'busy', icon: '↑', word: 'Deployed' },
  VALIDATING: { tone: 'busy', icon: '⟳', word: 'Validating…' },
  REVIEW_READY: { tone: 'good', icon: '★', word: 'Review ready' },
  NEEDS_FIX: { tone: 'bad', icon: '✗', word: 'Needs fix' },
  CANCELLED: { tone: 'plain', icon: '–', word: 'Cancelled' },
}

/** Deployed where nothing could look at it: never shown as plainly good. */
const NOT_VALIDATED = { tone: 'warn', icon: '★', word: 'Review ready, not validated' } as const

export function StoryBadge({ story: { state, validated } }: { story: Pick<Story, 'state' | 'validated'> }) {
  const { tone, icon, word } = validated === false ? NOT_VALIDATED : STATES[state]
  return (
    <Badge tone={tone} icon={icon}>
      {word}
    </Badge>
  )
}

export const isShipping = (state: Story['state']): boolean =>
  state === 'SHIPPING' || state === 'DEPLOYED' || state === 'VALIDATING'
