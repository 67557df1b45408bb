import { expect, test } from 'vitest'
import { configChanges } from '../domain/config-changes.ts'
import type { ProjectConfig } from '../domain/config.ts'
import { DEFAULT_LIMITS } from '../domain/limits.ts'
import { asWritten, settledMap, type PhaseMap } from '../domain/task/phase-map.ts'
import { readSnapshot, snapshotText } from './config-snapshot.ts'

const phase = { name: 'look', onPass: 'done', onFail: 'look', onWait: null, attempts: null, timeoutMs: null }
const phases: PhaseMap = [{ ...phase, step: { type: 'agent', name: 'checker', does: 'judge' } }]
const agent = { runtime: 'command', run: 'true', verdict: 'exit', env: [], timeoutMs: 1, network: true, checks: [] }
const older = { phases: asWritten(phases), limits: DEFAULT_LIMITS, agents: { checker: agent, painter: agent } }

test('the roles and phases of an older Muster get what their names say, and nothing about them has changed', () => {
  const config = readSnapshot(JSON.stringify(older))
  expect(config.agents).toMatchObject({ checker: { does: 'judge' }, painter: { does: 'work' } })
  expect(config.phases).toEqual(settledMap(phases))
  const now = {
    ...older,
    phases,
    agents: { checker: { ...agent, does: 'judge' }, painter: { ...agent, does: 'work' } },
  } as unknown as ProjectConfig
  expect(configChanges(config, now)).toEqual([])
})

test('what a role does is kept as it was settled, and a change of it is told', () => {
  const written = { ...readSnapshot(JSON.stringify(older)), agents: { checker: { ...agent, does: 'work' } } }
  const config = readSnapshot(snapshotText(written as unknown as ProjectConfig))
  expect(config.agents['checker']?.does).toBe('work')
  const judging = { ...config, agents: { checker: { ...agent, does: 'judge' } } } as unknown as ProjectConfig
  expect(configChanges(config, judging)).toEqual(['agents.checker.does: work → judge'])
})
