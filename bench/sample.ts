/** Tasks and configuration as benchmarks need them. */
import type { ProjectConfig } from '../src/domain/config.ts'
import type { Contract } from '../src/domain/contract/contract.ts'
import { DEFAULT_LIMITS } from '../src/domain/limits.ts'
import { buildPhaseMap } from '../src/domain/task/phase-map.ts'
import { PRESETS } from '../src/domain/task/presets.ts'
import { WORK } from '../src/domain/task/purpose.ts'
import { initialState } from '../src/domain/task/task.ts'
import type { NewTask } from '../src/ports/store.ts'

const known = { agent: ['implementer'], check: [], action: ['merge'], signal: ['human-approval'] }
export const phases = buildPhaseMap(new Map(Object.entries(PRESETS['direct'] ?? {})), known).map

export const config: ProjectConfig = {
  base: 'main',
  protected: ['main'],
  phases,
  landing: 'merge',
  limits: DEFAULT_LIMITS,
  protectedPaths: [],
  setup: null,
  copy: [],
  agents: {
    implementer: {
      does: 'work',
      runtime: 'command',
      run: 'true',
      verdict: 'exit',
      env: [],
      timeoutMs: 60_000,
      network: true,
      checks: [],
    },
  },
  checks: {},
  rules: null,
  contract: { promptForAdvisory: false },
  notify: [],
  sandbox: { mode: 'auto', home: [] },
  retention: { runsMs: null, goldenMs: null },
}

export const contract: Contract = {
  type: 'verifiable',
  criteria: [{ id: 'c1', activity: 'unit-test', description: 'The unit tests pass', kind: 'guard', judge: 'machine' }],
  generatedFrom: 'auto',
  generatedAt: '2026-01-01T00:00:00.000Z',
  ambiguous: false,
  couldBe: null,
  why: 'nothing in it says otherwise',
  notices: [],
  files: [],
  taskHash: 'a'.repeat(64),
  hash: 'b'.repeat(64),
}

export function sampleTask(id: string, story: string | null = null): NewTask {
  const spec = {
    id,
    title: `What ${id} is about`,
    instructions: 'Do this and that, and mind the details. '.repeat(20),
    acceptanceCriteria: '- it works\n- it is tested\n',
    story,
    parent: null,
    dependsOn: [],
    checks: [],
    expectedFiles: [],
    agent: null,
    purpose: WORK,
    defect: null,
    specRef: null,
    maxRounds: null,
    target: 'main',
    phases,
    configHash: 'c'.repeat(64),
    createdAt: 1,
  }
  return { spec, state: initialState(id, 50), definitionHash: 'd'.repeat(64) }
}
