import { describe, expect, test } from 'vitest'
import type { ProjectConfig } from '../domain/config.ts'
import { MusterError } from '../domain/errors.ts'
import type { PhaseMap } from '../domain/task/phase-map.ts'
import { phaseNamed } from '../domain/task/phase-map.ts'
import { panelOf, phasesOf } from '../domain/validation.ts'
import { BUILT_IN } from './definitions.ts'
import { castPlan } from './plan.ts'
import { buildConfig } from './project.ts'
import { parseYaml } from './yaml.ts'

const CLAUDE = 'agents:\n  implementer: { runtime: claude }\n'
const COMMAND = 'agents:\n  implementer: { runtime: command, run: x }\n'
const TASKS = 'tasks: [{ id: 1, name: x }]\n'

const configOf = (text: string) => buildConfig(parseYaml(text, 'muster.yaml'), async () => 'main')
const planOf = (text: string, config: ProjectConfig) => castPlan(parseYaml(text, 'plan.yaml'), config, 'p', BUILT_IN)

/** Phase by phase when all passes: who is there, how often it may fail, and where that leads. */
function way(map: PhaseMap): string[] {
  const steps: string[] = []
  for (let at = map[0]; at !== undefined; at = phaseNamed(map, at.onPass)) {
    const who = at.step.type === 'agent' ? panelOf(at).join('+') : at.step.name
    steps.push(`${at.name}: ${who}${at.attempts === null ? '' : ` (${at.attempts} → ${at.onFail})`}`)
  }
  return steps
}

/** The ways of a plan's tasks, under the configuration with the roles that the plan needs. */
async function ways(text: string, configText = `${CLAUDE}phases: reviewed\n`): Promise<string[][]> {
  const { plan, config } = planOf(text, await configOf(configText))
  return plan.tasks.map((task) => way(phasesOf(task, config)))
}

async function refusal(making: () => Promise<unknown>): Promise<string> {
  const error: unknown = await making().catch((reason: unknown) => reason)
  if (!(error instanceof MusterError)) throw error
  expect(error.code).toBe('config')
  return error.message
}

describe('a validator’s phase', () => {
  test('the preset validated: one retry, then a person (S4.22, E-16)', async () => {
    const { phases } = await configOf(`${CLAUDE}phases: validated\n`)
    expect(way(phases)).toEqual([
      'implement: implementer',
      'verify: contract',
      'validate: validator (2 → implement)',
      'land: merge',
    ])
  })

  test('with one judge it is a phase like any other, whoever asked for it', async () => {
    const { phases } = await configOf(`${CLAUDE}phases: validated\n`)
    const { plan, config } = planOf(
      `meta: { validation: { enabled: true, validators: [validator] } }\n${TASKS}`,
      await configOf(CLAUDE),
    )
    const asked = plan.tasks.flatMap((task) => phasesOf(task, config))
    expect([...phases, ...asked].filter((phase) => 'panel' in phase)).toEqual([])
    expect(asked.map(({ step }) => step.name)).toContain('validator')
  })

  test.each([
    [
      'what the limits say',
      'limits: { maxValidationAttempts: 0 }\nphases: validated\n',
      'validate: validator (1 → implement)',
    ],
    [
      'its own attempts',
      'phases:\n  a: { run: agent implementer, on_pass: b }\n  b: { run: agent validator, on_pass: c, on_fail: a, attempts: 7 }\n  c: { run: action merge, on_pass: done, on_fail: a }\n',
      'b: validator (7 → a)',
    ],
    [
      'none of that for another judge',
      'phases:\n  a: { run: agent implementer, on_pass: b }\n  b: { run: agent code-reviewer, on_pass: c, on_fail: a }\n  c: { run: action merge, on_pass: done, on_fail: a }\n',
      'b: code-reviewer',
    ],
  ])('has %s', async (_, text, phase) => {
    expect(way((await configOf(CLAUDE + text)).phases)).toContain(phase)
  })

  const phase = (run: string, args: string) =>
    `phases:\n  a: { run: agent implementer, on_pass: b }\n  b: { run: ${run}, on_pass: c, on_fail: a, args: ${args} }\n  c: { run: action merge, on_pass: done, on_fail: a }\n`

  test.each([
    ['the phase’s own judge first', '[code-reviewer]', 'b: validator+code-reviewer (2 → a)'],
    [
      'each once, in the order written',
      '[code-reviewer, validator, code-reviewer]',
      'b: code-reviewer+validator (2 → a)',
    ],
  ])('has a panel: %s (S4.24)', async (_, list, expected) => {
    const { phases, agents } = await configOf(CLAUDE + phase('agent validator', `{ validators: ${list} }`))
    expect(way(phases)).toContain(expected)
    expect(Object.keys(agents)).toEqual(['implementer', 'validator', 'code-reviewer'])
  })

  test('a code reviewer that is configured joins it, unless the phase lists its judges (S4.15, E-34)', async () => {
    const agents = `${CLAUDE}  code-reviewer: { runtime: claude }\n`
    expect(way((await configOf(`${agents}phases: validated\n`)).phases)).toContain(
      'validate: validator+code-reviewer (2 → implement)',
    )
    const own = await configOf(agents + phase('agent validator', '{ validators: [validator] }'))
    expect(way(own.phases)).toContain('b: validator (2 → a)')
    // One that only stands in for a list elsewhere was not chosen for this.
    const listed = await configOf(CLAUDE + phase('agent validator', '{ validators: [code-reviewer] }'))
    const { plan, config } = planOf(`phases: validated\n${TASKS}`, listed)
    expect(way(phasesOf(plan.tasks[0] ?? { phases: null, agent: null }, config))).toContain(
      'validate: validator (2 → implement)',
    )
  })

  test.each([
    [
      'on an author’s phase',
      phase('agent implementer', '{ validators: [validator] }'),
      '5: only a phase of a judge can have validators, and "agent implementer" is not one',
    ],
    [
      'on a check',
      phase('check lint', '{ validators: [validator] }'),
      '5: only a phase of a judge can have validators, and "check lint" is not one',
    ],
    ['that is empty', phase('agent validator', '{ validators: [] }'), '5: phases.b.args.validators must not be empty'],
    [
      'that is no list',
      phase('agent validator', '{ validators: validator }'),
      '5: phases.b.args.validators must be a list, not "validator"',
    ],
    [
      'under another name',
      phase('agent validator', '{ validator: [a] }'),
      '5: unknown key "validator" in phases.b.args (known: validators',
    ],
    [
      'with an author',
      phase('agent validator', '{ validators: [implementer] }'),
      '5: "implementer" is not a judge (known: validator, checker, code-reviewer, issue-verifier, post-deploy)',
    ],
    [
      'with somebody who is defined nowhere',
      phase('agent validator', '{ validators: [style-critic] }'),
      '5: unknown judge "style-critic" (known: validator, checker, code-reviewer, issue-verifier, post-deploy)',
    ],
  ])('a list of validators %s is refused', async (_, text, message) => {
    expect(await refusal(() => configOf(CLAUDE + text))).toContain(`muster.yaml:${message}`)
  })

  test('of a command’s project needs agents of its own', async () => {
    const text = `${COMMAND}  validator: { runtime: command, run: v }\n${phase('agent validator', '{ validators: [code-reviewer] }')}`
    expect(await refusal(() => configOf(text))).toContain('no agent plays the role "code-reviewer"')
  })
})

describe('meta.validation of a plan', () => {
  const meta = (more = '') => `meta: { validation: { enabled: true${more} } }\n`

  test('inserts a phase after the verification (S4.6, S4.7, S4.8)', async () => {
    expect(await ways(meta() + TASKS)).toEqual([
      [
        'implement: implementer',
        'verify: contract',
        'validate: validator (2 → implement)',
        'review: human-approval',
        'land: merge',
      ],
    ])
  })

  test.each([
    ['meta: {}\n'],
    ['meta: { validation: {} }\n'],
    ['meta: { validation: { enabled: false, validators: [nobody], run_after: [nobody] } }\n'],
  ])('does nothing unless it is enabled: %s (S4.9)', async (text) => {
    expect((await ways(text + TASKS))[0]).toEqual([
      'implement: implementer',
      'verify: contract',
      'review: human-approval',
      'land: merge',
    ])
  })

  test.each([
    [
      'after the author, in a map without verification',
      'phases: direct',
      ['implement: implementer', 'validate: validator (2 → implement)', 'land: merge'],
    ],
    [
      'after the checks that follow the author',
      'phases: { a: { run: agent planner, on_pass: b }, b: { run: agent implementer, on_pass: c }, c: { run: check lint, on_pass: d, on_fail: b }, d: { run: check build, on_pass: e, on_fail: b }, e: { run: action merge, on_pass: done, on_fail: b } }',
      ['a: planner', 'b: implementer', 'c: lint', 'd: build', 'validate: validator (2 → b)', 'e: merge'],
    ],
    [
      'under a name that is free',
      'phases: { validate: { run: agent implementer, on_pass: land }, land: { run: action merge, on_pass: done, on_fail: validate } }',
      ['validate: implementer', 'validate-2: validator (2 → validate)', 'land: merge'],
    ],
    [
      'in the phase that is there already',
      'phases: validated',
      ['implement: implementer', 'verify: contract', 'validate: validator (2 → implement)', 'land: merge'],
    ],
  ])('stands %s', async (_, phases, expected) => {
    const config = `${CLAUDE}  planner: { runtime: claude }\n`
    expect((await ways(`${meta()}${phases}\n${TASKS}`, config))[0]).toEqual(expected)
  })

  test('is for the roles it names; by default implementer and coder (S4.10)', async () => {
    const config = `${CLAUDE}  coder: { runtime: claude }\n  painter: { runtime: claude }\nphases: direct\n`
    const tasks = 'tasks: [{ id: 1, name: x }, { id: 2, name: x, agent: coder }, { id: 3, name: x, agent: painter }]\n'
    const validated = async (more: string) =>
      (await ways(meta(more) + tasks, config)).map((steps) => steps.some((step) => step.startsWith('validate')))
    expect(await validated('')).toEqual([true, true, false])
    expect(await validated(', run_after: [painter]')).toEqual([false, false, true])
  })

  test('is not for subtasks: what validates their parent covers the whole', async () => {
    const tasks = 'tasks: [{ id: 1, name: x }, { id: 2, name: y, parent: 1 }]\n'
    const [parent, subtask] = await ways(meta() + tasks)
    expect(parent).toContain('validate: validator (2 → implement)')
    expect(subtask).not.toContain('validate: validator (2 → implement)')
  })

  test('has its validators and its attempts', async () => {
    const more = ', validators: [security-auditor, validator], max_validation_attempts: 3'
    const config = `${CLAUDE}  security-auditor: { runtime: claude }\n  code-reviewer: { runtime: claude }\n`
    expect((await ways(meta(more) + TASKS, `${config}phases: direct\n`))[0]).toContain(
      'validate: security-auditor+validator (4 → implement)',
    )
    expect((await ways(meta(more) + TASKS, `${config}phases: validated\n`))[0]).toContain(
      'validate: validator+code-reviewer+security-auditor (4 → implement)',
    )
    expect((await ways(meta() + TASKS, `${config}phases: direct\n`))[0]).toContain(
      'validate: validator+code-reviewer (2 → implement)',
    )
  })

  test('its words alone are what a plan is compared by: settings of muster.yaml change no task', async () => {
    const before = planOf(meta() + TASKS, await configOf(CLAUDE)).plan
    const changed = `${CLAUDE}  code-reviewer: { runtime: claude }\nlimits: { maxValidationAttempts: 5 }\nphases: reviewed\n`
    expect(planOf(meta() + TASKS, await configOf(changed)).plan).toEqual(before)
  })

  test.each([
    [
      'a wrong type',
      'meta:\n  validation: { enabled: yes please }\n',
      '2: meta.validation.enabled must be true or false, not "yes please"',
    ],
    ['no map', 'meta:\n  validation: true\n', '2: meta.validation must be a map of keys, not true'],
    [
      'an unknown key',
      'meta:\n  validation: { enable: true }\n',
      '2: unknown key "enable" in meta.validation (known: enabled,',
    ],
    [
      'a negative limit',
      'meta:\n  validation: { max_validation_attempts: -1 }\n',
      '2: meta.validation.max_validation_attempts must be at least 0',
    ],
    [
      'an author',
      'meta:\n  validation:\n    enabled: true\n    validators:\n      - implementer\n',
      '5: "implementer" is not a judge (known: checker',
    ],
    [
      'a judge who is defined nowhere',
      'meta:\n  validation:\n    enabled: true\n    validators: [validater-checker]\n',
      '4: unknown judge "validater-checker" (known: checker',
    ],
    [
      'a role that nobody is',
      'meta:\n  validation:\n    enabled: true\n    run_after: [implementor]\n',
      '4: unknown role "implementor" (known: implementer',
    ],
  ])('is refused with %s (L34)', async (_, text, message) => {
    const config = await configOf(CLAUDE)
    expect(await refusal(async () => planOf(text + TASKS, config))).toContain(`plan.yaml:${message}`)
  })

  test('is refused where nobody can validate', async () => {
    const config = await configOf(COMMAND)
    const message = await refusal(async () => planOf(`meta:\n  validation:\n    enabled: true\n${TASKS}`, config))
    expect(message).toContain('plan.yaml:2: no agent plays the role "validator": agents.implementer is a command')
  })
})

describe('a task that fixes a defect (S4.16)', () => {
  const TASK = 'tasks: [{ id: 1, name: x, defect: ./docs/defects/1.md }]\n'

  test('is verified by the issue-verifier alone, or after the others', async () => {
    expect((await ways(TASK))[0]).toContain('validate: issue-verifier (2 → implement)')
    expect((await ways(`meta: { validation: { enabled: true } }\n${TASK}`))[0]).toContain(
      'validate: validator+issue-verifier (2 → implement)',
    )
    expect((await ways(`phases: validated\n${TASK}`))[0]).toContain(
      'validate: validator+issue-verifier (2 → implement)',
    )
    const { plan, config } = planOf(TASK, await configOf(CLAUDE))
    expect(plan.tasks[0]).toMatchObject({ defect: 'docs/defects/1.md' })
    expect(config.definitions?.['issue-verifier']).toMatchObject({ source: 'built in' })
  })

  test.each([
    [
      'outside of the project',
      'tasks: [{ id: 1, name: x, defect: ../1.md }]\n',
      CLAUDE,
      'tasks.0.defect cannot be "../1.md": name a path below the project',
    ],
    [
      'of a subtask',
      'tasks: [{ id: 1, name: x }, { id: 2, name: y, parent: 1, defect: a.md }]\n',
      CLAUDE,
      'a subtask is not validated on its own: put the defect on its parent "1"',
    ],
    ['that nobody can verify', TASK, COMMAND, 'no agent plays the role "issue-verifier"'],
  ])('has no defect %s', async (_, text, agents, message) => {
    const config = await configOf(agents)
    expect(await refusal(async () => planOf(text, config))).toContain(message)
  })
})
