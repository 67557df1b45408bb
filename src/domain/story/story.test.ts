/** What people read of a story, where it depends on more than its state. */
import { describe, expect, test } from 'vitest'
import { MusterError } from '../errors.ts'
import { decideStory, initialStory, NO_TASKS, NOT_VALIDATED, type StoryStanding, type WorkEnd } from './story.ts'

const standing = (more: Partial<StoryStanding>): StoryStanding => ({ ...initialStory('s'), ...more })
const ended = (id: string, more: Partial<WorkEnd>): WorkEnd => ({
  id,
  end: 'completed',
  phase: null,
  refused: false,
  reason: '',
  unknownDeploy: false,
  validated: true,
  landed: null,
  ...more,
})

describe('Ship that is refused', () => {
  const refusal = (more: Partial<StoryStanding>): MusterError => {
    try {
      decideStory(standing(more), { type: 'ship', by: 'ada' })
    } catch (error) {
      if (error instanceof MusterError) return error
    }
    throw new Error('it was not refused')
  }

  test.each<[Partial<StoryStanding>, string]>([
    [{ state: 'SHIPPING', message: 'the outcome of the deploy is unknown' }, 'muster ship s --resume'],
    [{ state: 'SHIPPING', message: null }, 'muster story show s'],
    [{ state: 'OPEN', message: null }, 'muster story show s'],
  ])('%j says what to type', (more, hint) => {
    expect(refusal(more).hint).toBe(hint)
  })
})

test.each<[Partial<StoryStanding>, string]>([
  [{ state: 'SHIPPABLE' }, 'muster ship s'],
  [{ state: 'OPEN' }, 'muster story show s'],
])('where nothing stopped half-way, %j says what to type in place of --resume', (more, hint) => {
  expect(() => decideStory(standing(more), { type: 'resume', by: 'ada' })).toThrow(expect.objectContaining({ hint }))
})

describe('the end of a validation', () => {
  const validating = standing({ state: 'VALIDATING', work: { id: 's.validation.1', kind: 'validation' } })
  const after = (more: Partial<WorkEnd>) =>
    decideStory(validating, { type: 'worked', work: ended('s.validation.1', more) })

  test('says whether something has looked at what was deployed', () => {
    expect(after({}).standing).toMatchObject({ state: 'REVIEW_READY', validated: true, message: null })
    const blind = after({ validated: false })
    expect(blind.standing).toMatchObject({ state: 'REVIEW_READY', validated: false, message: NOT_VALIDATED })
    expect(blind.notice?.text).toContain('not validated')
  })
})

describe('a deploy that is held', () => {
  const shipping = standing({ state: 'SHIPPING', work: { id: 's.ship.1', kind: 'ship' } })
  const held = (unknownDeploy: boolean) =>
    decideStory(shipping, {
      type: 'worked',
      work: ended('s.ship.1', {
        end: 'held',
        phase: 'deploy',
        landed: 'c',
        unknownDeploy,
        reason: 'the outcome of the deploy is unknown',
      }),
    })

  test('H-12 stays SHIPPING only where its end is unknown as a value, whatever the words say', () => {
    expect([held(true).standing.state, held(false).standing.state]).toEqual(['SHIPPING', 'SHIPPABLE'])
  })
})

test.each(['ship', 'deferred'] as const)('a task that is added makes a %s that stopped a thing of the past', (kind) => {
  const stopped = standing({
    tasks: { ...NO_TASKS, completed: 1, deferred: 1 },
    work: { id: `s.${kind}.1`, kind },
    message: 'it stopped',
  })
  const added = decideStory(stopped, { type: 'counted', delta: { ...NO_TASKS, open: 1 } })
  expect(added.standing).toMatchObject({ state: 'OPEN', work: null, message: null })
  expect(added.also).toEqual([{ task: `s.${kind}.1`, event: 'supersede' }])
})
