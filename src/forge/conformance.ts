/** The forge port's contract as a test suite. Every forge runs it. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Forge, PullWish } from '../ports/forge.ts'

export interface ForgeUnderTest {
  forge: Forge
  /** Another one on the same data, as after a restart. */
  reopen(): Forge
  /** Three commits, each on top of the one before; the branch `main` is at the first. */
  commits: readonly [base: string, first: string, second: string]
  /** What people do there: `id` is the pull request's. */
  people: {
    review(
      id: string,
      verdict: 'approved' | 'changes',
      commit: string,
      body: string,
      comments?: { file: string; line: number; body: string }[],
    ): Promise<void>
    close(id: string): Promise<void>
  }
  /** How many pull requests there are. */
  count(): Promise<number>
  dispose(): Promise<void>
}

export function forgeConformance(name: string, open: () => Promise<ForgeUnderTest>): void {
  describe(`${name} is a forge`, () => {
    let under: ForgeUnderTest
    let forge: Forge
    let wish: PullWish
    let second: string

    beforeEach(async () => {
      under = await open()
      forge = under.forge
      const [, head, next] = under.commits
      second = next
      wish = {
        task: 's-1',
        branch: 'muster/task/s-1',
        target: 'main',
        head,
        title: 'One: "a" & <b>',
        body: 'What it is',
      }
    })
    afterEach(() => under.dispose())

    const opened = async (head = wish.head) => {
      expect(await forge.publish(wish.branch, head)).toEqual({ kind: 'published' })
      return forge.ensure({ ...wish, head })
    }
    const merge = (pull: { id: string; url: string }, head: string) =>
      forge.merge(pull, { head, title: 'One', message: 'Task: s-1', keepParents: false, landed: head })

    it('S2.30 opens a draft, and says where it is', async () => {
      const pull = await opened()
      expect(pull).toMatchObject({ state: 'draft', head: wish.head, base: 'main', mergedAs: null })
      expect(pull.url).toMatch(/^\w+:/)
      expect(await forge.read(pull)).toMatchObject({ id: pull.id, url: pull.url, state: 'draft', head: wish.head })
    })

    it('E-30 has one pull request for one piece of work, however often it is asked and whoever asks', async () => {
      const pull = await opened()
      expect(await forge.ensure(wish)).toMatchObject({ id: pull.id, url: pull.url })
      expect(await under.reopen().ensure(wish)).toMatchObject({ id: pull.id, url: pull.url })
      expect(await under.count()).toBe(1)
    })

    it('E-30 has one though two ask at the same moment', async () => {
      await forge.publish(wish.branch, wish.head)
      const [one, other] = await Promise.all([forge.ensure(wish), under.reopen().ensure(wish)])
      expect(other).toMatchObject({ id: one.id, url: one.url })
      expect(await under.count()).toBe(1)
    })

    it('gives the same pull request the next commit', async () => {
      const pull = await opened()
      expect(await opened(second)).toMatchObject({ id: pull.id, head: second, state: 'draft' })
      expect(await forge.read(pull)).toMatchObject({ head: second })
    })

    it('tells that there is none', async () => {
      const pull = await opened()
      await expect(forge.read({ ...pull, id: '4711' })).rejects.toMatchObject({ code: 'not_found' })
    })

    it('neither opens again nor replaces what a person closed', async () => {
      const pull = await opened()
      await under.people.close(pull.id)
      expect(await forge.read(pull)).toMatchObject({ state: 'closed' })
      expect(await forge.ensure({ ...wish, head: second })).toMatchObject({ id: pull.id, state: 'closed' })
      expect(await merge(pull, wish.head)).toMatchObject({ kind: 'blocked' })
      expect(await under.count()).toBe(1)
    })

    it('S2.31 makes a draft ready when it is asked to, once', async () => {
      const pull = await opened()
      await forge.markReady(pull)
      expect(await forge.read(pull)).toMatchObject({ state: 'open' })
      await forge.markReady(pull)
      expect(await forge.ensure(wish)).toMatchObject({ id: pull.id, state: 'open' })
    })

    it('merges no draft', async () => {
      const pull = await opened()
      expect(await merge(pull, wish.head)).toMatchObject({ kind: 'blocked', why: expect.stringContaining('draft') })
      expect(await forge.read(pull)).toMatchObject({ state: 'draft', mergedAs: null })
    })

    it('E-23 merges the head that it was told, and no other', async () => {
      const pull = await opened()
      await forge.markReady(pull)
      await opened(second)
      expect(await merge(pull, wish.head)).toEqual({ kind: 'moved' })
      expect(await forge.read(pull)).toMatchObject({ state: 'open', mergedAs: null })
      const merged = await merge(pull, second)
      expect(merged).toMatchObject({ kind: 'merged', commit: expect.stringMatching(/^[0-9a-f]{40}$/) })
      expect(await forge.read(pull)).toMatchObject({ state: 'merged', head: second })
      // Asked again, as after a crash, it is the same merge.
      expect(await merge(pull, second)).toEqual(merged)
      expect(await forge.read(pull)).toMatchObject({ mergedAs: merged.kind === 'merged' ? merged.commit : '' })
    })

    it('takes what was merged for done, and more work for another pull request', async () => {
      const pull = await opened()
      await forge.markReady(pull)
      await merge(pull, wish.head)
      expect(await forge.ensure(wish)).toMatchObject({ id: pull.id, state: 'merged' })
      expect(await opened(second)).toMatchObject({ state: 'draft', head: second })
    })

    it('gives reviews with the commit they are about, and comments with file and line', async () => {
      const pull = await opened()
      const comments = [{ file: 'src/a.ts', line: 7, body: 'wrong way round' }]
      await under.people.review(pull.id, 'changes', wish.head, 'not yet', comments)
      await opened(second)
      await under.people.review(pull.id, 'approved', second, 'good')
      expect(await forge.reviews(pull)).toMatchObject([
        { by: 'ann', verdict: 'changes', commit: wish.head, body: 'not yet', comments },
        { by: 'ann', verdict: 'approved', commit: second, body: 'good', comments: [] },
      ])
    })

    it('knows of no check that nobody has heard of', async () => {
      const pull = await opened()
      const { checks } = await forge.checks(pull, wish.head)
      expect(checks.filter(({ state }) => state === 'green')).toEqual([])
    })

    it('shows how a gate stands as often as it is told', async () => {
      const pull = await opened()
      const gate = { context: 'muster/verify', description: 'x'.repeat(500), link: 'https://board.invalid/tasks/s-1' }
      for (const state of ['pending', 'success', 'success', 'failure'] as const) {
        await expect(forge.status(pull, wish.head, { ...gate, state })).resolves.toBeUndefined()
      }
    })

    it('finds nothing foreign in what Muster gave it, and the target where it is', async () => {
      await opened()
      expect(await forge.foreignHead(wish.branch, wish.head)).toBeNull()
      for (const how of ['look', 'give', 'follow'] as const) expect(await forge.meet('main', how)).toBeNull()
    })
  })
}
