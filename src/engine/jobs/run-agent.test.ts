/** What a run's agent is, how it says that it is done, and what it has used. */
import { expect, test } from 'vitest'
import type { AgentConfig, ProjectConfig } from '../../domain/config.ts'
import type { PhaseMap } from '../../domain/task/phase-map.ts'
import type { RunOutcome, RunRequest } from '../../ports/runtime.ts'
import { verdictFileOf } from '../../ports/runtime.ts'
import type { RunRecord, StoredTask } from '../../ports/store.ts'
import { agentOf, finishOf, usedBy, withBudget } from './run-agent.ts'

const run = { id: 'r1', kind: 'agent', name: 'implementer', phase: 'implement' } as RunRecord
const agent = { runtime: 'claude', timeoutMs: 5 } as AgentConfig
const config = { agents: { implementer: agent } } as unknown as ProjectConfig
const task = (timeoutMs: number | null) => {
  return { spec: { id: 't', phases: [{ name: 'implement', timeoutMs }] as unknown as PhaseMap } } as StoredTask
}

test('a command says it by its exit code or in a file, a program in words', () => {
  const finish = (of: object) => finishOf({ agent: of, dir: '/run' } as RunRequest)
  expect(finish({ runtime: 'command', verdict: 'exit' })).toBe('exit')
  expect(finish({ runtime: 'command', verdict: 'file' })).toEqual({ file: verdictFileOf('/run') })
  expect(finish(agent)).toBe('words')
})

test('its phase may give it another time; one that the configuration does not have is refused', () => {
  expect([agentOf(run, task(null), config).timeoutMs, agentOf(run, task(9), config).timeoutMs]).toEqual([5, 9])
  expect(() => agentOf({ ...run, name: 'nobody' }, task(null), config)).toThrow(/has no agent "nobody"/)
})

test('what is left of the budget is its limit, unless its own is smaller', () => {
  expect(withBudget(agent, undefined)).toBe(agent)
  expect(withBudget(agent, 2)).toMatchObject({ maxBudgetUsd: 2 })
  expect(withBudget({ ...agent, maxBudgetUsd: 1 } as AgentConfig, 2)).toMatchObject({ maxBudgetUsd: 1 })
  expect(withBudget({ runtime: 'command' } as AgentConfig, 2)).not.toHaveProperty('maxBudgetUsd')
})

test('a run that never ran used nothing', () => {
  const used = (more: object) => usedBy(run, more as RunOutcome, config)
  expect(used({ usage: { usd: 1 } })).toEqual({})
  expect(used({ sandbox: 'none', usage: { usd: 1 }, session: 's' })).toEqual({
    program: 'claude',
    usage: { usd: 1 },
    session: 's',
  })
  expect(usedBy({ ...run, kind: 'check' }, { sandbox: 'none' } as RunOutcome, config)).toEqual({})
})
