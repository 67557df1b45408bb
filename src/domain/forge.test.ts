/** What reviews and checks mean, without any forge. */
import { describe, expect, test } from 'vitest'
import type { ForgeCheck, Review } from './forge.ts'
import { weighChecks, weighReviews } from './forge.ts'

const HEAD = 'a'.repeat(40)
const OLD = 'b'.repeat(40)

function review(verdict: Review['verdict'], more: Partial<Review> = {}): Review {
  return { by: 'ann', verdict, commit: HEAD, body: '', comments: [], ...more }
}

describe('reviews', () => {
  test('nobody has said anything: it waits', () => {
    expect(weighReviews([], HEAD)).toMatchObject({ status: 'pending' })
    expect(weighReviews([review('comment', { body: 'hm' })], HEAD)).toMatchObject({ status: 'pending' })
  })

  test('S2.19 an approval of the head counts, with its words', () => {
    const words = [review('approved', { body: 'good ' }), review('approved', { by: 'bob', body: 'yes' })]
    expect(weighReviews(words, HEAD)).toEqual({ status: 'approved', by: 'ann, bob', message: 'good\n\nyes' })
  })

  test('an approval of another commit does not count', () => {
    expect(weighReviews([review('approved', { commit: OLD })], HEAD)).toMatchObject({ status: 'pending' })
    expect(weighReviews([review('approved', { commit: '' })], HEAD)).toMatchObject({ status: 'pending' })
  })

  test("S2.20 each person's last word counts, and one against it is enough", () => {
    const back = [review('approved'), review('changes', { body: 'no' })]
    expect(weighReviews(back, HEAD)).toMatchObject({ status: 'changes', by: 'ann' })
    expect(weighReviews(back.toReversed(), HEAD)).toMatchObject({ status: 'approved' })
    const two = [review('changes', { by: 'bob' }), review('approved')]
    expect(weighReviews(two, HEAD)).toMatchObject({ status: 'changes', by: 'bob' })
  })

  test('L8 with the last word of a person, what they said before it is taken back as well', () => {
    const again = [review('approved'), review('dismissed')]
    expect(weighReviews(again, HEAD)).toMatchObject({ status: 'pending', dismissed: ['ann'] })
    const against = [review('approved'), review('changes'), review('dismissed'), review('approved', { by: 'bob' })]
    expect(weighReviews(against, HEAD)).toMatchObject({ status: 'approved', by: 'bob' })
    expect(weighReviews(again.toReversed(), HEAD)).toMatchObject({ status: 'approved', by: 'ann' })
  })

  test('a word that was taken back decides nothing, and is told of', () => {
    const words = [review('dismissed'), review('dismissed', { by: 'bob', commit: OLD })]
    expect(weighReviews(words, HEAD)).toEqual({
      status: 'pending',
      message: `no approving review of ${HEAD.slice(0, 12)} yet (the review by ann was dismissed)`,
      dismissed: ['ann'],
    })
    expect(weighReviews([...words, review('approved', { by: 'eve' })], HEAD)).toMatchObject({ status: 'approved' })
  })

  test('who asked for changes of an earlier commit is waited for, whoever approves', () => {
    const words = [review('changes', { commit: OLD, by: 'bob' }), review('approved')]
    expect(weighReviews(words, HEAD)).toMatchObject({ status: 'pending', message: expect.stringContaining('bob') })
    expect(weighReviews([...words, review('approved', { by: 'bob' })], HEAD)).toMatchObject({ status: 'approved' })
  })

  test('changes bring all that was said of the head, by whomever, and nothing of another commit', () => {
    const words = [
      review('changes', { commit: OLD, comments: [{ by: 'ann', file: 'old.ts', line: 1, body: 'old' }] }),
      review('comment', { by: 'bob', comments: [{ by: 'bob', file: 'b.ts', line: 2, body: 'hm' }] }),
      review('changes', { body: 'not yet', comments: [{ by: 'ann', file: 'a.ts', body: 'whole file' }] }),
    ]
    const found = weighReviews(words, HEAD)
    expect(found.status === 'changes' ? found.findings : []).toEqual([
      { severity: 'FAIL', message: 'bob: hm', file: 'b.ts', line: 2 },
      { severity: 'FAIL', message: 'ann: not yet' },
      { severity: 'FAIL', message: 'ann: whole file', file: 'a.ts' },
    ])
  })
})

describe('checks', () => {
  const check = (state: ForgeCheck['state'], name: string = state): ForgeCheck => ({ name, state, url: null })

  test.each([
    ['none at all', [], 'missing'],
    ['a missing one', [check('green'), check('missing')], 'missing'],
    ['a skipped one', [check('green'), check('idle')], 'idle'],
    ['one under way', [check('idle'), check('pending')], 'running'],
    ['all green', [check('green', 'a'), check('green', 'b')], 'green'],
    ['a failed one beside others', [check('pending'), check('failed'), check('green')], 'failed'],
  ])('%s', (_, checks, status) => {
    expect(weighChecks(checks, HEAD)).toMatchObject({ status })
  })

  test('names a few of many, and no more of a name than people read', () => {
    const many = Array.from({ length: 300 }, (_, n) => check('pending', `${'n'.repeat(2000)}${n}`))
    const { message } = weighChecks(many, HEAD)
    expect(message).toMatch(/^checks are running on a{12}: n{99}…, .*, 290 more$/)
    expect(message.length).toBeLessThan(1100)
  })

  test('names what failed, with its link', () => {
    const found = weighChecks([{ name: 'build', state: 'failed', url: 'https://ci.example.org/1' }], HEAD)
    expect(found.status === 'failed' ? found.findings : []).toEqual([
      { severity: 'FAIL', message: `the check "build" failed on ${HEAD.slice(0, 12)}: https://ci.example.org/1` },
    ])
  })
})
