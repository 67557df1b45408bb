import { expect, test } from 'vitest'
import { deferredOf, type Contract, type Criterion } from './contract.ts'

test('S3.9 what Muster answers on the story’s head: deferred, its own to answer, and not skipped', () => {
  const criterion = (id: string, of: Partial<Criterion>): Criterion => {
    return { id, activity: 'e2e', description: id, kind: 'goal', judge: 'machine', timing: 'deferred', ...of }
  }
  const criteria = [
    criterion('c1', {}),
    criterion('c2', { judge: 'checker' }),
    criterion('c3', { judge: 'person' }),
    criterion('c4', { timing: 'immediate' }),
    criterion('c5', { skipped: 'there is no browser' }),
  ]
  expect(deferredOf({ criteria } as unknown as Contract).map(({ id }) => id)).toEqual(['c1'])
})
