/** What each purpose means for who asks. */
import { describe, expect, test } from 'vitest'
import { CHECKER_MAP } from './check.ts'
import { ELABORATION_MAP, askedFor } from './elaboration.ts'
import {
  checkedTask,
  ELABORATION,
  homeStory,
  isAsked,
  isCheck,
  isElaboration,
  isValidation,
  purposeOf,
  servedStory,
  servingOf,
  shippedStory,
  subjectId,
  WORK,
  type Purpose,
} from './purpose.ts'

const ALL = {
  work: WORK,
  elaborate: ELABORATION,
  check: { is: 'check', of: 's-1' },
  deferred: { is: 'deferred', story: 's' },
  ship: { is: 'ship', story: 's' },
  validation: { is: 'validation', story: 's' },
} satisfies Record<string, Purpose>

const task = (purpose: Purpose) => ({ id: 't', story: null, purpose })
const those = (asks: (of: ReturnType<typeof task>) => boolean) =>
  Object.entries(ALL).flatMap(([name, purpose]) => (asks(task(purpose)) ? [name] : []))

describe('a purpose', () => {
  test('is listed and lands as itself only if somebody asked for it', () => {
    expect(those(isAsked)).toEqual(['work', 'elaborate'])
  })

  test('says what judges another task, and under whose contract', () => {
    expect(those(isCheck)).toEqual(['check'])
    expect([checkedTask(task(ALL.check)), subjectId(task(ALL.check))]).toEqual(['s-1', 's-1'])
    expect([checkedTask(task(WORK)), subjectId(task(ALL.ship))]).toEqual([null, 't'])
  })

  test('says what serves a story, which pays for it', () => {
    expect(those((of) => servedStory(of) === 's')).toEqual(['deferred', 'ship', 'validation'])
    expect(those((of) => shippedStory(of) === 's')).toEqual(['ship'])
    expect(those(isValidation)).toEqual(['validation'])
    expect([homeStory(task(ALL.ship)), homeStory({ ...task(WORK), story: 'x' }), homeStory(task(WORK))]).toEqual([
      's',
      'x',
      null,
    ])
  })

  test('says whose result is a draft: what a map of Muster’s own is for that the elaborator begins', () => {
    expect(those(isElaboration)).toEqual(['elaborate'])
    expect(askedFor(ELABORATION_MAP)).toBe(ELABORATION)
    const landing = { ...ELABORATION_MAP[1]!, step: { type: 'action', name: 'merge' } as const }
    expect([askedFor([ELABORATION_MAP[0]!, landing]), askedFor(CHECKER_MAP), askedFor([])]).toEqual([WORK, WORK, WORK])
  })

  test('is stored and told as whom the task serves, and read from that', () => {
    for (const purpose of Object.values(ALL)) {
      const isServing = !isAsked({ purpose })
      expect(purposeOf(servingOf({ purpose }))).toEqual(isServing ? purpose : null)
    }
    expect(servingOf({ purpose: ALL.check })).toEqual({ checkerFor: 's-1', worksFor: null })
    expect(servingOf({ purpose: ALL.ship })).toEqual({ checkerFor: null, worksFor: { story: 's', kind: 'ship' } })
    // As an older Muster stored it.
    expect(purposeOf({})).toBeNull()
  })
})
