import { describe, expect, test } from 'vitest'
import { configChanges } from './config-changes.ts'
import type { ProjectConfig } from './config.ts'
import { DEFAULT_LIMITS } from './limits.ts'

const check = (run: string) => ({
  run,
  cwd: '',
  report: null,
  exclusive: null,
  env: [],
  timeoutMs: 600_000,
  network: false,
})
const agent = {
  does: 'work' as const,
  runtime: 'claude' as const,
  env: [],
  args: [],
  timeoutMs: 1,
  stallMs: 1,
  network: true,
  checks: [],
}

const CONFIG: ProjectConfig = {
  base: 'main',
  protected: ['main'],
  phases: [],
  landing: 'merge',
  limits: DEFAULT_LIMITS,
  setup: null,
  copy: [],
  protectedPaths: [],
  agents: { implementer: agent },
  checks: { lint: check('eslint .') },
  rules: null,
  contract: { promptForAdvisory: false },
  notify: [],
  sandbox: { mode: 'auto', home: [] },
  retention: { runsMs: null, goldenMs: null },
}

const changes = (now: Partial<ProjectConfig>) => configChanges(CONFIG, { ...CONFIG, ...now })

describe('what changed in muster.yaml', () => {
  test('is named key by key, as a person wrote it', () => {
    expect(changes({})).toEqual([])
    expect(changes({ setup: { run: 'npm ci', env: [], timeoutMs: 1, files: [] } })).toEqual(['setup: added npm ci'])
    expect(changes({ checks: { lint: { ...check('eslint src'), timeoutMs: 1_200_000 } } })).toEqual([
      'checks.lint.run: eslint . → eslint src',
      'checks.lint.timeout: 10m → 20m',
    ])
    expect(changes({ checks: {}, checksOff: ['lint'] })).toEqual([
      'checks.lint: removed',
      'checks switched off: added ["lint"]',
    ])
    expect(changes({ agents: { implementer: { ...agent, model: 'opus' } } })).toEqual([
      'agents.implementer.model: added opus',
    ])
    expect(changes({ rules: {} as ProjectConfig['rules'] })).toEqual(['rules: added'])
  })

  test('leaves out what acts at once, and what an older Muster did not store', () => {
    expect(changes({ limits: { ...DEFAULT_LIMITS, maxWorkers: 9 }, sandbox: { mode: 'off', home: [] } })).toEqual([])
    expect(changes({ decisions: 'scripted', forge: { type: 'local' }, deploy: null, checksOff: [] })).toEqual([])
    expect(changes({ retention: { runsMs: 1, goldenMs: 1 }, base: 'trunk' })).toEqual([])
  })

  test('is nothing where only a plan asked for more roles, and something where their definition changed', () => {
    const guest = { ...agent, does: 'judge' as const, like: 'implementer' }
    const definition = { name: 'x', description: '', tools: null, model: null, body: 'Look.', source: 'built in' }
    const withGuest = {
      ...CONFIG,
      agents: { ...CONFIG.agents, validator: guest },
      definitions: { validator: definition },
    }
    expect(configChanges(withGuest, CONFIG)).toEqual([])
    const other = { ...withGuest, definitions: { validator: { ...definition, body: 'Look twice.' } } }
    expect(configChanges(withGuest, other)).toEqual(['definition of validator: changed'])
  })

  test('is short, however long a value is', () => {
    const [line = ''] = changes({ checks: { lint: check('x'.repeat(500)) } })
    expect(line.length).toBeLessThan(120)
  })
})
