/** When checks that nobody has named are believed to be all there are. */
import { expect, test } from 'vitest'
import type { ForgeCheck, Pull } from '../../../domain/forge.ts'
import { ciSteadyMs } from '../../../domain/limits.ts'
import { initialState } from '../../../domain/task/task.ts'
import type { Forge } from '../../../ports/forge.ts'
import type { TaskSummary } from '../../../ports/store.ts'
import { ci } from './signals.ts'

const HEAD = 'a'.repeat(40)

function standing() {
  let now = 0
  const there = { named: false, checks: [] as ForgeCheck[] }
  const pull: Partial<Pull> = { state: 'open', head: HEAD }
  const forge = {
    name: 'GitHub',
    lands: 'there',
    read: async () => pull,
    checks: async () => there,
  } as unknown as Forge
  const signal = ci(forge, { now: () => now, steady: () => now, soon: () => undefined, after: () => () => undefined })
  const state = {
    ...initialState('s-1', 3),
    commit: HEAD,
    pr: { id: '1', url: 'https://x.invalid/1', head: HEAD, place: 'there' },
  }
  return {
    there,
    pass: (ms: number) => void (now += ms),
    read: () => signal.read(state, { parent: null } as TaskSummary),
  }
}

const green = (name: string): ForgeCheck => ({ name, state: 'green', url: null })

test('checks that nobody has named count when they have been green for a while, and no others came', async () => {
  const { there, pass, read } = standing()
  there.checks = [green('lint')]
  expect(await read()).toMatchObject({
    status: 'pending',
    reason: { params: { state: 'more', said: expect.stringContaining('lint') } },
  })
  pass(ciSteadyMs - 1)
  expect(await read()).toMatchObject({ status: 'pending' })
  there.checks = [green('lint'), { ...green('test'), state: 'pending' }]
  expect(await read()).toMatchObject({
    status: 'pending',
    reason: { params: { state: 'running', said: expect.stringContaining('test') } },
  })
  there.checks = [green('lint'), green('test')]
  expect(await read()).toMatchObject({ status: 'pending', reason: { params: { state: 'more' } } })
  pass(ciSteadyMs)
  expect(await read()).toMatchObject({ status: 'approved' })
})

test('those that somebody has named count at once', async () => {
  const { there, read } = standing()
  there.named = true
  there.checks = [green('lint')]
  expect(await read()).toMatchObject({ status: 'approved' })
})
