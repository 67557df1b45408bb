import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { MusterError } from '../domain/errors.ts'
import { agentStallMs, agentTimeoutMs, checkTimeoutMs, DEFAULT_LIMITS } from '../domain/limits.ts'
import { prices } from '../agents/codex/prices.ts'
import { findConfig } from '../project.ts'
import { buildConfig, loadConfig } from './project.ts'
import { parseYaml } from './yaml.ts'
import { configSchema } from './schema.ts'

const KEYS = Object.keys(configSchema.shape).join(', ')

const AGENTS = 'agents:\n  implementer: { runtime: command, run: ./agent.sh }\n'
const build = (text: string) => buildConfig(parseYaml(text, 'muster.yaml'), async () => 'trunk')

async function refusal(text: string): Promise<MusterError> {
  const error: unknown = await build(text).then(
    () => new Error('it was not refused'),
    (reason: unknown) => reason,
  )
  if (error instanceof MusterError) return error
  throw error
}

const dayMs = 86_400_000

describe('a configuration that is taken', () => {
  test('what a run may use has a default, a value or no limit, whichever way the sandbox is written', async () => {
    for (const sandbox of ['', 'sandbox: off\n', 'sandbox: { mode: require }\n']) {
      expect((await build(`${AGENTS}${sandbox}`)).sandbox.limits).toEqual({})
    }
    const text = `${AGENTS}sandbox: { limits: { processes: none, memory: 1.5g, disk: none } }\n`
    expect((await build(text)).sandbox.limits).toEqual({
      processes: null,
      memoryBytes: 1.5 * 1024 ** 3,
      diskBytes: null,
    })
  })

  test.each([
    ['', 'squash'],
    ['landing: merge\n', 'merge'],
    ['landing: squash\n', 'squash'],
    ['landing: {}\n', 'squash'],
    ['landing: { style: merge }\n', 'merge'],
  ])('%j lands as %s', async (text, landing) => {
    expect(await build(`${AGENTS}${text}`)).toMatchObject({ landing })
  })

  test.each(['landing: rebase\n', 'landing: { style: rebase }\n', 'landing: { how: merge }\n'])(
    '%j is refused by its line',
    async (text) => {
      expect((await refusal(`${AGENTS}${text}`)).message).toMatch(/^muster\.yaml:3.*landing/s)
    },
  )

  test('one agent is enough: everything else has a default', async () => {
    expect(await build(AGENTS)).toMatchObject({
      base: 'trunk',
      protected: ['trunk'],
      limits: DEFAULT_LIMITS,
      agents: {
        implementer: { runtime: 'command', run: './agent.sh', verdict: 'file', env: [], timeoutMs: agentTimeoutMs },
      },
      checks: {},
      notify: [],
      retention: { runsMs: 30 * dayMs, goldenMs: 14 * dayMs },
    })
  })

  test('what it says replaces the defaults, key by key', async () => {
    const config = await build(`version: 1
base: main
protected: []
limits: { maxWorkers: 2 }
agents:
  implementer: { runtime: command, run: ./agent.sh, verdict: exit, env: [CI], timeout: 1h30m }
checks:
  typecheck: npx tsc --noEmit
  unit: { run: npm test, timeout: 90s, env: [DATABASE_URL] }
notify: [{ webhook: "https://example.org/hook" }]
`)
    expect(config).toMatchObject({ base: 'main', protected: [], limits: { ...DEFAULT_LIMITS, maxWorkers: 2 } })
    expect(config.agents['implementer']).toMatchObject({ verdict: 'exit', env: ['CI'], timeoutMs: 5_400_000 })
    expect(config.checks).toEqual({
      typecheck: {
        run: 'npx tsc --noEmit',
        env: [],
        timeoutMs: checkTimeoutMs,
        network: true,
        cwd: '',
        report: null,
        exclusive: null,
      },
      unit: {
        run: 'npm test',
        env: ['DATABASE_URL'],
        timeoutMs: 90_000,
        network: true,
        cwd: '',
        report: null,
        exclusive: null,
      },
    })
    const on = ['needs-you', 'failed', 'crash', 'shipped']
    expect(config.notify).toEqual([{ type: 'webhook', url: 'https://example.org/hook', secretEnv: null, on }])
  })

  test('agent programs, with nothing but their name or with all they take (S0.31, S0.32, S0.33)', async () => {
    const { agents } = await build(`agents:
  implementer: { runtime: claude }
  checker: { runtime: codex, model: gpt-6.1-terra, args: [-c, a=b], maxTurns: 30, maxBudgetUsd: 0.5, stall: 5m, timeout: 10m }
`)
    const defaults = { args: [], env: [], timeoutMs: agentTimeoutMs, network: true, checks: [], stallMs: agentStallMs }
    expect(agents).toEqual({
      implementer: { does: 'work', runtime: 'claude', ...defaults },
      checker: {
        does: 'judge',
        ...defaults,
        runtime: 'codex',
        model: 'gpt-6.1-terra',
        args: ['-c', 'a=b'],
        maxTurns: 30,
        maxBudgetUsd: 0.5,
        stallMs: 300_000,
        timeoutMs: 600_000,
      },
    })
  })

  test.each([
    ['checked, unless said otherwise', '', ['implement', 'verify', 'accept', 'land']],
    ['a preset by its name', 'phases: reviewed\n', ['implement', 'verify', 'review', 'land']],
    [
      'a map of its own, in the order written',
      'phases:\n  work: { run: agent implementer, on_pass: check, timeout: 5m }\n  check: { run: signal human-approval, on_pass: land, on_fail: work }\n  land: { run: action merge, on_pass: done, on_fail: work }\n',
      ['work', 'check', 'land'],
    ],
  ])('phases: %s', async (_, phases, names) => {
    const { phases: map } = await build(AGENTS + phases)
    expect(map.map((phase) => phase.name)).toEqual(names)
  })

  test('a setup is a command, or a command with more', async () => {
    expect((await build(AGENTS)).setup).toBeNull()
    const plain = { run: 'npm ci', env: [], files: [], timeoutMs: 1_800_000 }
    expect((await build(`${AGENTS}setup: npm ci\n`)).setup).toEqual(plain)
    const { setup } = await build(`${AGENTS}setup: { run: make deps, timeout: 5m, env: [TOKEN], files: [./deps.mk] }\n`)
    expect(setup).toEqual({ run: 'make deps', env: ['TOKEN'], files: ['deps.mk'], timeoutMs: 300_000 })
  })

  test('the timeout of a phase is read as milliseconds', async () => {
    const { phases } = await build(
      `${AGENTS}phases: { a: { run: agent implementer, on_pass: b, timeout: 5m }, b: { run: check contract, on_pass: done, on_fail: a } }\n`,
    )
    expect(phases[0]?.timeoutMs).toBe(300_000)
  })
})

test.each([
  ['retention: { runs: 90d }', { runsMs: 90 * dayMs, goldenMs: 14 * dayMs }],
  ['retention: { runs: 3650d }', { runsMs: 3650 * dayMs }],
  ['retention: { runs: never, golden: 12h }', { runsMs: null, goldenMs: dayMs / 2 }],
])('how long things are kept: %s', async (text, retention) => {
  expect(await build(`${AGENTS}${text}\n`)).toMatchObject({ retention })
})

/** What follows the agents stands on line 3. */
const refused: [string, string, string][] = [
  ['an unknown key', 'phasess: direct', `3: unknown key "phasess" (known: ${KEYS}; did you mean "phases"?)`],
  [
    'an unknown key below another',
    'limits:\n  maxWorker: 3',
    '4: unknown key "maxWorker" in limits (known: maxWorkers, maxTaskRounds, maxErrorAttempts, maxValidators, maxValidationAttempts, maxCheckerAttempts, budgetUsd; did you mean "maxWorkers"?)',
  ],
  [
    'an unknown key of a check',
    'checks:\n  a: npm test\n  b: { run: x, tiemout: 5m }',
    '5: unknown key "tiemout" in checks.b (known: run, env, timeout, network, cwd, report, exclusive, paths, services; did you mean "timeout"?)',
  ],
  [
    'an unknown key of a phase',
    'phases:\n  a:\n    run: agent implementer\n    on_pass: done\n    onfail: a',
    '7: unknown key "onfail" in phases.a (known: run, on_pass, on_fail, on_wait, attempts, timeout, args; did you mean "on_fail"?)',
  ],
  [
    'paths of a check that lie elsewhere',
    'checks:\n  a: { run: x, paths: [../x/**] }',
    '4: checks.a.paths.0 cannot be "../x/**": name files below the project, such as packages/api/**',
  ],
  [
    'paths of a check that only take out',
    'checks:\n  a: { run: x, paths: ["!docs/**"] }',
    '4: checks.a.paths excludes files before it includes any: put "**" first',
  ],
  [
    'a copied path out of the project',
    'copy: [../x]',
    '3: copy.0 cannot be "../x": name a path below the project, such as .env',
  ],
  [
    'a copied path from the top',
    'copy: [/etc/passwd]',
    '3: copy.0 cannot be "/etc/passwd": name a path below the project, such as .env',
  ],
  [
    'git’s own folder',
    'copy: [.git/config]',
    '3: copy.0 cannot be ".git/config": name a path below the project, such as .env',
  ],
  ['text for a number', 'limits: { maxWorkers: four }', '3: limits.maxWorkers must be a number, not "four"'],
  ['a number too small', 'limits: { maxWorkers: 0 }', '3: limits.maxWorkers must be at least 1'],
  ['a number too large', 'limits: { maxWorkers: 1000000 }', '3: limits.maxWorkers must be at most 10000'],
  ['a number that is not whole', 'limits: { maxWorkers: 1.5 }', '3: limits.maxWorkers must be a whole number, not 1.5'],
  ['a list for text', 'base: [main]', '3: base must be text, not a list'],
  ['empty text', 'base: ""', '3: base must not be empty'],
  ['text for a list', 'protected: main', '3: protected must be a list, not "main"'],
  ['nothing where something must be', 'base:', '3: base must be text, not empty'],
  ['text that is too long', `base: ${'x'.repeat(101)}`, '3: base has 101 characters; the limit is 100'],
  ['another version', 'version: 2', '3: version must be 1, the only version that this Muster reads'],
  ['a number for a check', 'checks:\n  unit: 5', '4: checks.unit must be text or a map of keys or false, not 5'],
  [
    'a list for a check',
    'checks:\n  unit: [npm, test]',
    '4: checks.unit must be text or a map of keys or false, not a list',
  ],
  ['a check without a command', 'checks:\n  unit: { timeout: 5m }', '4: checks.unit needs "run"'],
  ['a check with an empty command', 'checks:\n  unit: ""', '4: checks.unit must not be empty'],
  [
    'a duration without a unit',
    'checks: { a: { run: x, timeout: 30 } }',
    '3: checks.a.timeout must be a duration such as 90s, 30m or 1h30m',
  ],
  [
    'a duration in words',
    'checks: { a: { run: x, timeout: 5 minutes } }',
    '3: checks.a.timeout cannot be "5 minutes": write 90s, 30m or 1h30m',
  ],
  [
    'a duration of no time',
    'checks: { a: { run: x, timeout: 0s } }',
    '3: checks.a.timeout cannot be "0s": write 90s, 30m or 1h30m',
  ],
  [
    'a duration of years',
    'checks: { a: { run: x, timeout: 900d } }',
    '3: checks.a.timeout cannot be "900d": the maximum is 30d',
  ],
  ['a retention without a unit', 'retention: { runs: 30 }', '3: retention.runs must be a time such as 30d, or never'],
  ['few processes', 'sandbox: { limits: { processes: 3 } }', '3: sandbox.limits.processes must be at least 16'],
  [
    'processes in words',
    'sandbox: { limits: { processes: many } }',
    '3: sandbox.limits.processes cannot be "many": write a number, or none',
  ],
  [
    'memory without a unit',
    'sandbox: { limits: { memory: "4" } }',
    '3: sandbox.limits.memory cannot be "4": write 512m, 4g or none',
  ],
  [
    'a disk for nothing',
    'sandbox: { limits: { disk: 1k } }',
    '3: sandbox.limits.disk cannot be "1k": use a size from 16m to 1024t',
  ],
  ['a retention in words', 'retention: { golden: long }', '3: retention.golden cannot be "long": write 30d or never'],
  ['a retention of ages', 'retention: { runs: 9999d }', '3: retention.runs cannot be "9999d": the maximum is 3650d'],
  ['an address that is none', 'notify:\n  - webhook: ftp://x', '4: notify.0.webhook must be an http or https address'],
  [
    'an address with a password',
    'notify:\n  - slack: https://me:hunter2@example.org',
    '4: notify.0.slack must not contain a user name or password: put the address into a variable and name it with urlEnv',
  ],
  ['a channel of no kind', 'notify:\n  - on: [crash]', '4: notify.0 needs one of webhook, slack, ntfy, terminal'],
  [
    'a channel of two kinds',
    'notify:\n  - { terminal: true, slack: { urlEnv: A } }',
    '4: notify.0 needs one of webhook, slack, ntfy, terminal',
  ],
  [
    'a signature where there is none',
    'notify:\n  - { slack: { urlEnv: A }, secretEnv: B }',
    '4: notify.0 has secretEnv, which signs a webhook',
  ],
  [
    'a secret in place of its name',
    'notify:\n  - { webhook: "https://example.org", secretEnv: "a b" }',
    '4: notify.0.secretEnv must be the name of an environment variable, such as SLACK_WEBHOOK',
  ],
  [
    'a kind of notice that is none',
    'notify:\n  - { terminal: true, on: [done] }',
    '4: notify.0.on.0 must be "needs-you" or "failed" or "crash" or "shipped", not "done"',
  ],
  [
    'a secret that checks could read',
    'checks: { a: { run: x, env: [CI, HOOK] } }\nnotify:\n  - slack: { urlEnv: HOOK }',
    '3: HOOK is a secret of notify, which only Muster itself may read: remove it from env',
  ],
  ['a number for phases', 'phases: 5', '3: phases must be text or a map of keys, not 5'],
  ['a phase without on_pass', 'phases:\n  a:\n    run: agent implementer', '4: phases.a needs "on_pass"'],
  [
    'a preset nobody knows',
    'phases: constructor',
    '3: unknown preset "constructor" (known: direct, checked, planned, reviewed, validated, pull-request)',
  ],
  ['no phase', 'phases: {}', '3: a phase map needs at least one phase'],
  [
    'phase targets',
    'phases:\n  a:\n    run: agent implementer\n    on_pass: b',
    '6: unknown phase "b" (known: a, done)',
  ],
  [
    'phase steps',
    'phases:\n  a:\n    on_pass: done\n    run: agent implementor',
    '6: unknown role "implementor" (known: implementer; did you mean "implementer"?)',
  ],
  [
    'done on failure',
    'phases:\n  a:\n    run: agent implementer\n    on_pass: done\n    on_fail: done',
    '7: "done" is only valid for on_pass: only a pass completes a task',
  ],
  [
    'a phase that cannot be reached',
    'phases:\n  a: { run: agent implementer, on_pass: done }\n  b: { run: agent implementer, on_pass: done }',
    '5: no phase leads to "b", so it can never be reached',
  ],
]

describe('a configuration that is refused, with file, line and where to look', () => {
  test.each(refused)('%s', async (_, text, message) => {
    const error = await refusal(`${AGENTS}${text}\n`)
    expect(error.message).toBe(`muster.yaml:${message}`)
    expect(error.code).toBe('config')
    expect(error.hint).toMatch(/^docs\/(configuration|phase-maps)\.md /)
  })

  test.each([
    ['an empty file', '', '1: it is empty'],
    ['comments alone', '# later\n\n', '1: it is empty'],
    ['a list', '- a\n', '1: the file must be a map of keys, not a list'],
    ['a word', 'hello\n', '1: the file must be a map of keys, not "hello"'],
    ['a list of agents', 'version: 1\nagents: []\n', '2: agents must be a map of keys, not a list'],
    ['an agent that is a command', 'agents:\n  a: ./agent.sh\n', '2: agents.a must be a map of keys, not "./agent.sh"'],
    ['an agent without a name', 'agents:\n  "": { runtime: command, run: x }\n', '2: "" cannot be a name in agents'],
    ['an agent without a command', 'agents:\n  a:\n    runtime: command\n', '2: agents.a needs "run"'],
    [
      'a verdict nobody knows',
      'agents: { a: { runtime: command, run: x, verdict: exits } }\n',
      '1: agents.a.verdict must be "file" or "exit", not "exits"',
    ],
    [
      'a runtime nobody knows',
      'agents: { a: { runtime: comand, run: x } }\n',
      '1: agents.a.runtime must be "command" or "claude" or "codex", not "comand"',
    ],
    ['an agent without a runtime', 'agents: { a: { run: x } }\n', '1: agents.a needs "runtime"'],
    [
      'a key of another runtime',
      'agents: { a: { runtime: claude, run: x } }\n',
      '1: unknown key "run" in agents.a (known: runtime, model, args, maxTurns, maxBudgetUsd, stall, does, env, timeout, network, checks, services)',
    ],
    [
      'a limit for a command, which has none',
      'agents: { a: { runtime: command, run: x, maxTurns: 3 } }\n',
      '1: unknown key "maxTurns" in agents.a (known: runtime, run, verdict, does, env, timeout, network, checks, services)',
    ],
    [
      'a budget that is nothing',
      'agents: { a: { runtime: claude, maxBudgetUsd: 0 } }\n',
      '1: agents.a.maxBudgetUsd must be more than 0',
    ],
    [
      'a budget for a model without a known price',
      'agents:\n  a: { runtime: codex, model: gpt-none, maxBudgetUsd: 1 }\n',
      `2: agents.a.maxBudgetUsd cannot be enforced: the price of "gpt-none" is unknown; use one of these models: ${Object.keys(prices).join(', ')}`,
    ],
    [
      'a budget in dollars for whatever model',
      'agents:\n  a: { runtime: codex, maxBudgetUsd: 1 }\n',
      `2: agents.a.maxBudgetUsd cannot be enforced: it names no model; use one of these models: ${Object.keys(prices).join(', ')}`,
    ],
    ['no agent', 'version: 1\nbase: main\n', '1: no agent is configured'],
    ['no agent, said so', 'version: 1\nagents: {}\n', '2: no agent is configured'],
    [
      'a budget for all of which one has no known price',
      'limits: { budgetUsd: 20 }\nagents:\n  a: { runtime: claude }\n  b: { runtime: codex, model: gpt-5.5 }\n  c: { runtime: codex }\n',
      `1: limits.budgetUsd cannot be enforced: it names no model; use one of these models: ${Object.keys(prices).join(', ')}`,
    ],
    [
      'a budget for all of which one is a command',
      'agents:\n  a: { runtime: command, run: x }\nlimits: { budgetUsd: 20 }\n',
      '3: limits.budgetUsd cannot be enforced: agents.a is a command, and Muster cannot know its cost',
    ],
    [
      'a preset whose role is missing',
      'agents: { coder: { runtime: command, run: x } }\nphases: direct\n',
      '2: unknown role "implementer" (known: coder)',
    ],
  ])('%s', async (_, text, message) => {
    const error = await refusal(text)
    expect(error).toMatchObject({ code: 'config', message: `muster.yaml:${message}` })
    expect(error.hint).toBeDefined()
  })

  test('everything that is wrong at once, each on its line', async () => {
    const error = await refusal(`bas: main\nagents:\n  a: { runtime: command, run: 5, env: A }\nlimits: 3\n`)
    expect(error.message.split('\n').toSorted()).toEqual([
      `muster.yaml:1: unknown key "bas" (known: ${KEYS}; did you mean "base"?)`,
      'muster.yaml:3: agents.a.env must be a list, not "A"',
      'muster.yaml:3: agents.a.run must be text, not 5',
      'muster.yaml:4: limits must be a map of keys, not 3',
    ])
  })
})

test('deploy and postDeploy are commands with their own time and variables', async () => {
  const text = 'deploy: ./deploy.sh\npostDeploy: { run: ./smoke.sh, timeout: 90s, env: [SMOKE_URL] }\n'
  const { deploy, postDeploy } = await build(`${AGENTS}${text}`)
  expect(deploy).toEqual({ run: './deploy.sh', env: [], timeoutMs: 15 * 60_000 })
  expect(postDeploy).toEqual({ run: './smoke.sh', env: ['SMOKE_URL'], timeoutMs: 90_000 })
  expect((await build(AGENTS)).deploy).toBeNull()
  expect((await refusal(`${AGENTS}deploy: { run: x, agent: y }\n`)).message).toContain('unknown key "agent"')
})

describe('what is documented and not built yet is refused as such', () => {
  test('a runtime', async () => {
    expect((await refusal('agents:\n  implementer: { runtime: gemini, run: x }\n')).message).toBe(
      'muster.yaml:2: agents.implementer.runtime must be "command" or "claude" or "codex": the runtime "gemini" is not in this version of Muster yet',
    )
  })

  test('the same word in another place is a plain unknown key', async () => {
    const error = await refusal(`${AGENTS}limits: { deploy: 1 }\n`)
    expect(error.message).toContain('unknown key "deploy" in limits')
  })
})

describe('finding muster.yaml', () => {
  const top = mkdtempSync(join(tmpdir(), 'muster-find-'))
  const root = join(top, 'repository')
  const deep = join(root, 'packages', 'api', 'src')
  mkdirSync(deep, { recursive: true })
  writeFileSync(join(top, 'muster.yaml'), 'outside')

  test('not beyond the top of the work tree', () => {
    expect(findConfig(deep, root)).toBeNull()
  })

  test('the nearest one upward', () => {
    writeFileSync(join(root, 'muster.yaml'), AGENTS)
    expect(findConfig(deep, root)).toBe(join(root, 'muster.yaml'))
    expect(findConfig(root, root)).toBe(join(root, 'muster.yaml'))
    writeFileSync(join(root, 'packages', 'api', 'muster.yaml'), AGENTS)
    expect(findConfig(deep, root)).toBe(join(root, 'packages', 'api', 'muster.yaml'))
  })

  test('it is named as seen from where the person is', async () => {
    const path = join(root, 'bad.yaml')
    writeFileSync(path, 'nonsense: 1\n')
    const error = await loadConfig(path, deep, async () => 'main').catch((reason: unknown) => reason)
    expect((error as MusterError).message).toContain('../../../bad.yaml:1: unknown key "nonsense"')
  })
})
