/** What holds for every story, whatever happens to its tasks and to what works for it, in whatever order. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { MusterError } from '../errors.ts'
import type { StoryCounts, StoryDecided, StoryEvent, StoryStanding, WorkEnd } from './story.ts'
import { decideStory, initialStory, isShipping, NO_TASKS } from './story.ts'
import { workId } from './story-work.ts'

type Slot = 'open' | 'completed' | 'failed' | 'cancelled'

/** Tasks as they could be: a story hears only of the differences. */
type Move =
  | { do: 'add' }
  | { do: 'end'; as: Exclude<Slot, 'open'>; deferred: boolean }
  | { do: 'return'; from: 'failed' | 'cancelled' }
  | { do: 'ship' | 'resume' | 'begin' | 'not-begin' | 'cancel' | 'archive' }
  | {
      do: 'work'
      end: WorkEnd['end']
      phase: 'verify' | 'land' | 'deploy'
      refused: boolean
      unknown: boolean
      old: boolean
    }

const move = fc.oneof(
  fc.constant<Move>({ do: 'add' }),
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('end' as const),
      as: fc.constantFrom('completed', 'completed', 'failed', 'cancelled'),
      deferred: fc.boolean(),
    }),
  },
  fc.record({ do: fc.constant('return' as const), from: fc.constantFrom('failed', 'cancelled') }),
  { weight: 5, arbitrary: fc.record({ do: fc.constantFrom('ship', 'resume', 'begin', 'begin', 'not-begin') }) },
  fc.record({ do: fc.constantFrom('cancel', 'archive', 'archive') }),
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('work' as const),
      end: fc.constantFrom('started', 'completed', 'completed', 'completed', 'held', 'failed', 'cancelled'),
      phase: fc.constantFrom('verify', 'land', 'deploy'),
      refused: fc.boolean(),
      unknown: fc.boolean(),
      old: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
    }),
  },
) as fc.Arbitrary<Move>

function eventOf(story: StoryStanding, made: Move): StoryEvent | null {
  const count = (delta: Partial<StoryCounts>): StoryEvent => ({ type: 'counted', delta: { ...NO_TASKS, ...delta } })
  switch (made.do) {
    case 'add':
      return count({ open: 1 })
    case 'end':
      if (story.tasks.open === 0) return null
      return count({ open: -1, [made.as]: 1, deferred: made.as === 'completed' && made.deferred ? 1 : 0 })
    case 'return':
      return story.tasks[made.from] === 0 ? null : count({ open: 1, [made.from]: -1 })
    case 'ship':
    case 'resume':
      return { type: made.do, by: 'ann' }
    case 'cancel':
      return { type: 'cancel', by: 'ann', reason: '' }
    case 'archive':
      return { type: 'archive', by: 'ann', archived: true }
    case 'begin':
      if (story.wants === null) return null
      return { type: 'begun', task: story.wants === 'sync' ? null : workId(story.id, story.wants, story.works + 1) }
    case 'not-begin':
      return story.wants === null ? null : { type: 'not-begun', reason: 'a branch is gone' }
    case 'work': {
      const { end, phase, refused } = made
      if (story.work === null) return null
      const id = made.old ? 's.ship.0' : story.work.id
      const unknownDeploy = made.unknown && end === 'held' && phase === 'deploy'
      const landed = phase === 'deploy' || end === 'completed' ? 'a'.repeat(40) : null
      return {
        type: 'worked',
        work: { id, end, phase, refused, reason: 'why', landed, unknownDeploy, validated: true },
      }
    }
  }
}

/** Null: refused in words, with what to type. */
function decided(story: StoryStanding, event: StoryEvent): StoryDecided | null {
  try {
    return decideStory(story, event)
  } catch (error) {
    if (error instanceof MusterError && error.hint !== undefined) return null
    throw error
  }
}

const isReady = ({ open, failed, completed }: StoryCounts) => open === 0 && failed === 0 && completed > 0

/** The laws that this step breaks. */
function broken(before: StoryStanding, event: StoryEvent, step: StoryDecided): string[] {
  const { standing: after, also, log, notice } = step
  const { tasks, state, wants, message, work } = after
  const moved = before.state !== state
  const told = message !== null && notice !== null
  const over = state === 'REVIEW_READY' || state === 'NEEDS_FIX'
  const left = before.state === 'SHIPPING' && moved
  const laws: Record<string, boolean> = {
    'no count is negative': Object.values(tasks).every((count) => count >= 0),
    'SHIPPABLE only when it is true':
      state !== 'SHIPPABLE' || (isReady(tasks) && (tasks.deferred === 0 || after.deferredMet)),
    'OPEN with nothing left only while something is done about it, or a person is asked':
      state !== 'OPEN' || !isReady(tasks) || wants !== null || message !== null || work?.kind === 'deferred',
    'what was found out of the whole holds until something is added': isReady(tasks) || !after.deferredMet,
    'what ships has nothing open': !(isShipping(state) || over) || isReady(tasks),
    'a person who is needed is told': !(moved && state === 'NEEDS_FIX') || told,
    'a Ship that came back is explained': !(left && (state === 'OPEN' || state === 'SHIPPABLE')) || told,
    'SHIPPING begins with a word of a person':
      !(moved && state === 'SHIPPING') || event.type === 'ship' || event.type === 'resume',
    'SHIPPING ends with the end of its own work': !left || event.type === 'worked' || event.type === 'not-begun',
    'a new Ship comes alone, in the place of the last':
      wants !== 'ship' || (state === 'SHIPPING' && also.every((one) => one.event === 'supersede')),
    'a Ship that is called off is not its own any more': also.every(
      (one) => one.event === 'retry' || work?.id !== one.task,
    ),
    'only its own work is told': also.every(({ task }) => task === before.work?.id),
    'DEPLOYED is on the base': !(moved && state === 'DEPLOYED') || after.landed !== null,
    'given up only by a person, and only something new opens it again':
      (!(moved && state === 'CANCELLED') || event.type === 'cancel') &&
      (before.state !== 'CANCELLED' || !moved || (event.type === 'counted' && event.delta.open > 0)),
    'nothing is begun for what was given up': state !== 'CANCELLED' || (wants === null && work === null),
    'nothing that is open is hidden': after.archived !== true || tasks.open === 0,
    'a move is written down': !moved || log.some(({ type }) => type === 'story-moved'),
  }
  return Object.keys(laws).filter((law) => laws[law] !== true)
}

test('E-5, E-6, L1, L2 whatever happens in whatever order, a story is SHIPPABLE only when it is, and ships once', () => {
  const seen = new Set<string>()
  fc.assert(
    fc.property(fc.array(move, { minLength: 20, maxLength: 80 }), (moves) => {
      let story = initialStory('s')
      for (const made of moves) {
        const event = eventOf(story, made)
        const next = event === null ? null : decided(story, event)
        if (event === null || next === null) continue
        expect(broken(story, event, next)).toEqual([])
        story = next.standing
        seen.add(story.state)
      }
    }),
    { numRuns: 3000 },
  )
  expect([...seen].toSorted()).toEqual([
    'CANCELLED',
    'DEPLOYED',
    'NEEDS_FIX',
    'OPEN',
    'REVIEW_READY',
    'SHIPPABLE',
    'SHIPPING',
    'VALIDATING',
  ])
})

test('L1, E-6 the order in which tasks end does not matter', () => {
  const end = fc.constantFrom<Exclude<Slot, 'open'>>('completed', 'failed', 'cancelled')
  fc.assert(
    fc.property(fc.array(end, { minLength: 1, maxLength: 8 }), (ends) => {
      const begun = decideStory(initialStory('s'), {
        type: 'counted',
        delta: { ...NO_TASKS, open: ends.length },
      }).standing
      const after = ends.reduce<StoryStanding>(
        (story, slot) => decideStory(story, { type: 'counted', delta: { ...NO_TASKS, open: -1, [slot]: 1 } }).standing,
        begun,
      )
      const ready = ends.includes('completed') && !ends.includes('failed')
      expect(after.state).toBe(ready ? 'SHIPPABLE' : 'OPEN')
    }),
  )
})
