import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { claude } from '../agents/claude/adapter.ts'
import type { ProgramAgent } from '../domain/config.ts'
import { checkerTimeoutMs, judgeTimeoutMs } from '../domain/limits.ts'
import { dutyByName } from '../domain/role.ts'
import { definitionsIn } from './definitions.ts'
import { castPlan } from './plan.ts'
import { buildConfig } from './project.ts'
import { configNotes, roleNotes } from './role-notes.ts'
import { planForSentence } from './sentence.ts'
import { parseYaml } from './yaml.ts'

/** Front matter below the name, by role. */
function projectWith(definitions: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'muster-cast-'))
  mkdirSync(join(root, '.muster/agents'), { recursive: true })
  for (const [role, front] of Object.entries(definitions)) {
    writeFileSync(join(root, `.muster/agents/${role}.md`), `---\nname: ${role}\n${front}---\nYou are the ${role}.\n`)
  }
  return root
}

const cast = (text: string, definitions: Record<string, string> = {}) =>
  buildConfig(parseYaml(text, 'muster.yaml'), async () => 'main', definitionsIn(projectWith(definitions)))

const phasesOf = (...roles: string[]) =>
  `phases:\n  work: { run: agent implementer, on_pass: p0 }\n${roles
    .map(
      (role, i) =>
        `  p${i}: { run: agent ${role}, on_pass: ${i + 1 < roles.length ? `p${i + 1}` : 'land'}, on_fail: work }\n`,
    )
    .join('')}  land: { run: action merge, on_pass: done, on_fail: work }\n`

const CLAUDE =
  'agents:\n  implementer: { runtime: claude, model: opus, args: [--effort, high], env: [ANTHROPIC_API_KEY], maxTurns: 9, maxBudgetUsd: 5, timeout: 1h, checks: [lint] }\n'
const CODEX = 'agents:\n  implementer: { runtime: codex }\n'
const COMMAND = 'agents:\n  implementer: { runtime: command, run: ./a.sh }\n'

describe('a role that muster.yaml does not name', () => {
  test('is played by the program of the implementer, in a session of its own (S0.3, S0.31)', async () => {
    const { agents, definitions } = await cast(CLAUDE + phasesOf('validator'))
    expect(Object.keys(agents)).toEqual(['implementer', 'validator'])
    expect(agents['validator']).toEqual({
      does: 'judge',
      runtime: 'claude',
      model: 'opus',
      env: ['ANTHROPIC_API_KEY'],
      args: [],
      checks: [],
      network: true,
      stallMs: 600_000,
      timeoutMs: judgeTimeoutMs,
      like: 'implementer',
    })
    expect(definitions?.['validator']).toMatchObject({ name: 'validator', source: 'built in' })
  })

  test('a planner is played by the agent of the implementer, a command too, and by nobody else if it has an entry', async () => {
    const { agents } = await cast(`${CLAUDE}phases: planned\n`)
    expect(agents['planner']).toEqual({ ...agents['implementer'], does: 'plan', like: 'implementer', tools: undefined })
    const command = await cast(`${COMMAND}phases: planned\n`)
    expect(command.agents['planner']).toEqual({ ...command.agents['implementer'], does: 'plan', like: 'implementer' })
    expect(command.definitions?.['planner']?.body).toContain('You write the plan of one task')
    const own = await cast(`${COMMAND}  planner: { runtime: codex }\nphases: planned\n`)
    expect(own.agents['planner']).toMatchObject({ runtime: 'codex' })
    expect(own.agents['planner']?.like).toBeUndefined()
  })

  test('a planner follows the implementer that one sentence asks for', async () => {
    const given = await cast(`${CLAUDE}phases: planned\n`)
    const options = { agent: null, model: 'sonnet', checks: [], criteria: [] }
    const { config } = planForSentence('Do it', options, given, projectWith({}), [])
    expect(config.agents['planner']).toMatchObject({ model: 'sonnet', like: 'implementer' })
  })

  test('a checker is there for acceptance, with 0.50 dollars and ten minutes (S0.32, S0.33, E-31)', async () => {
    for (const text of [CLAUDE, 'agents: { implementer: { runtime: codex, model: gpt-5.5 } }\n']) {
      const { agents } = await cast(text)
      expect(agents['checker']).toMatchObject({ timeoutMs: checkerTimeoutMs, maxBudgetUsd: 0.5, like: 'implementer' })
    }
    // Nobody knows what this one costs: no budget, and no complaint about it.
    const { agents } = await cast(CODEX)
    expect(agents['checker']).toMatchObject({ runtime: 'codex', timeoutMs: checkerTimeoutMs })
    expect(agents['checker']).not.toHaveProperty('maxBudgetUsd')
  })

  test('is no error for acceptance alone: without a program a person accepts', async () => {
    const broken = { checker: 'tools: Nothing\n' }
    expect(Object.keys((await cast(COMMAND, broken)).agents)).toEqual(['implementer'])
    await expect(cast(CLAUDE, broken)).rejects.toThrow('.muster/agents/checker.md:3: unknown tool "Nothing"')
  })

  test.each([
    ['the implementer is a command', COMMAND + phasesOf('validator'), 'agents.implementer is a command'],
    [
      'there is no implementer',
      'agents: { coder: { runtime: claude } }\nphases:\n  a: { run: agent validator, on_pass: done }\n',
      'there is no agents.implementer',
    ],
  ])('is refused in a phase when %s', async (_, text, why) => {
    await expect(cast(text)).rejects.toMatchObject({
      code: 'config',
      message: expect.stringContaining(
        `no agent plays the role "validator": ${why}. Add agents.validator, for example { runtime: claude }`,
      ),
    })
  })

  test('is refused when nobody defines it, with the roles that are', async () => {
    const text = CLAUDE + phasesOf('valdiator')
    await expect(cast(text, { 'docs-writer': '' })).rejects.toThrow(
      'muster.yaml:5: unknown role "valdiator" (known: implementer, docs-writer, checker, validator, code-reviewer, issue-verifier, elaborator, planner, post-deploy; did you mean "validator"?)',
    )
  })

  test('may be an author: then it has all that the implementer has', async () => {
    const { agents } = await cast(CLAUDE + phasesOf('docs-writer'), {
      'docs-writer': 'model: sonnet\ntools: Read, Write\n',
    })
    expect(agents['docs-writer']).toEqual({
      ...agents['implementer'],
      model: 'sonnet',
      tools: ['Read', 'Write'],
      like: 'implementer',
    })
  })

  test('does what its definition says, whatever it is called', async () => {
    const definitions = { gatekeeper: 'does: judge\n', 'link-checker': 'does: work\n', architect: 'does: plan\n' }
    const { agents, phases } = await cast(CLAUDE + phasesOf('gatekeeper', 'link-checker', 'architect'), definitions)
    expect(agents).toMatchObject({
      implementer: { does: 'work' },
      gatekeeper: { does: 'judge', args: [], timeoutMs: judgeTimeoutMs, like: 'implementer' },
      'link-checker': { does: 'work', args: ['--effort', 'high'], like: 'implementer' },
      architect: { does: 'plan', like: 'implementer' },
    })
    expect(phases.map(({ step }) => step.does)).toEqual(['work', 'judge', 'work', 'plan', undefined])
    const command = await cast(COMMAND + phasesOf('architect'), definitions)
    expect(command.agents['architect']).toMatchObject({ does: 'plan', run: './a.sh' })
    await expect(cast(COMMAND + phasesOf('gatekeeper'), definitions)).rejects.toThrow('no agent plays the role')
  })

  test('may be needed by a plan alone; the configuration then has it, too', async () => {
    const config = await cast(`${CLAUDE}phases: direct\n`)
    const definitions = definitionsIn(projectWith({ 'docs-writer': '' }))
    const plan = (text: string) => castPlan(parseYaml(text, 'plan.yaml'), config, 'p', definitions)
    expect(plan('tasks: [{ id: 1, name: x }]').config).toEqual(config)
    const tasks = 'tasks: [{ id: 1, name: x, agent: docs-writer, phases: checked }]'
    expect(Object.keys(plan(tasks).config.agents)).toEqual(['implementer', 'docs-writer', 'checker'])
    expect(Object.keys(config.agents)).toEqual(['implementer'])
    expect(() => plan('tasks: [{ id: 1, name: x, agent: docs-righter }]')).toThrow('did you mean "docs-writer"?')
  })
})

describe('a role that muster.yaml names', () => {
  test('has what it says, and the defaults of judges for the rest', async () => {
    const { agents } = await cast(`${CLAUDE}  checker: { runtime: claude, maxBudgetUsd: 2 }
  validator: { runtime: command, run: ./v.sh }
  style-critic: { runtime: codex, timeout: 1m }
  docs-writer: { runtime: codex }
`)
    expect(agents).toMatchObject({
      checker: { maxBudgetUsd: 2, timeoutMs: checkerTimeoutMs },
      validator: { timeoutMs: judgeTimeoutMs },
      'style-critic': { timeoutMs: 60_000 },
      'docs-writer': { timeoutMs: 1_800_000 },
    })
    expect(agents['checker']).not.toHaveProperty('like')
  })

  test('does what its entry says, before its definition and its name', async () => {
    const { agents } = await cast(
      `${CLAUDE}  gatekeeper: { runtime: codex, does: judge }
  link-checker: { runtime: command, run: ./mend.sh, does: work }
  code-reviewer: { runtime: codex, does: work }
  critic: { runtime: codex }
phases: validated
`,
      { gatekeeper: 'does: plan\n' },
    )
    expect(agents).toMatchObject({
      gatekeeper: { does: 'judge', timeoutMs: judgeTimeoutMs },
      'link-checker': { does: 'work', timeoutMs: 1_800_000 },
      critic: { does: 'judge' },
    })
  })

  test('a code reviewer that mends instead of judging joins no panel', async () => {
    const { phases } = await cast(`${CLAUDE}  code-reviewer: { runtime: codex, does: work }\nphases: validated\n`)
    expect(phases.some(({ panel }) => panel !== undefined)).toBe(false)
  })

  test.each(['checker', 'validator', 'issue-verifier', 'post-deploy', 'implementer', 'elaborator', 'planner'])(
    'the %s that Muster itself asks does what it always does',
    async (role) => {
      const other = dutyByName(role) === 'judge' ? 'work' : 'judge'
      const entry = `agents:\n  ${role}: { runtime: claude, does: ${other} }\n`
      await expect(cast(entry)).rejects.toThrow(
        `muster.yaml:2: agents.${role}.does cannot be "${other}": the ${role} comes with Muster`,
      )
    },
  )

  test('joins a panel and is no author, if it judges; one that works is no judge', async () => {
    const definitions = { gatekeeper: 'does: judge\n', 'link-checker': 'does: work\n' }
    const panel = (role: string) =>
      `${CLAUDE}phases:\n  a: { run: agent implementer, on_pass: b }\n  b: { run: agent validator, on_pass: c, on_fail: a, args: { validators: [${role}] } }\n  c: { run: action merge, on_pass: done, on_fail: a }\n`
    const { phases } = await cast(panel('gatekeeper'), definitions)
    expect(phases[1]).toMatchObject({ panel: ['validator', 'gatekeeper'] })
    await expect(cast(panel('link-checker'), definitions)).rejects.toThrow('"link-checker" is not a judge (known: ')
    const wish = (agent: string) => ({ agent, model: null, checks: [], criteria: [] })
    const root = projectWith(definitions)
    const given = await cast(CLAUDE, definitions)
    expect(() => planForSentence('Do it', wish('gatekeeper'), given, root, [])).toThrow(
      'gatekeeper is a judge and writes no code',
    )
    expect(planForSentence('Do it', wish('link-checker'), given, root, []).config.agents).toHaveProperty('link-checker')
  })

  test('a broken definition stops a run only where somebody uses the role', async () => {
    const broken = { validator: 'tools: Nothing\n' }
    await expect(cast(`${COMMAND}phases: direct\n`, broken)).resolves.toBeDefined()
    const named = `${COMMAND}  validator: { runtime: command, run: ./v.sh }\nphases: direct\n`
    await expect(cast(named, broken)).rejects.toThrow('.muster/agents/validator.md:3: unknown tool "Nothing"')
    await expect(cast(CLAUDE + phasesOf('validator'), broken)).rejects.toMatchObject({ code: 'config' })
  })

  test.each([
    ['claude', 'sonnet', 'sonnet'],
    ['claude', 'claude-opus-5', 'claude-opus-5'],
    ['claude', 'gpt-5.5', undefined],
    ['claude', 'inherit', undefined],
    ['codex', 'gpt-5.5', 'gpt-5.5'],
    ['codex', 'sonnet', undefined],
  ])('%s: the model "%s" of its definition is %s', async (runtime, model, taken) => {
    const front = { validator: `model: ${model}\n` }
    const text = `${COMMAND}  validator: { runtime: ${runtime} }\n`
    const { agents } = await cast(text, front)
    expect((agents['validator'] as ProgramAgent).model).toBe(taken)
    const own = await cast(text.replace(`${runtime} }`, `${runtime}, model: mine }`), front)
    expect((own.agents['validator'] as ProgramAgent).model).toBe('mine')
  })

  test.each([
    ['implementer', 'Read, Edit, Bash', 'Read,Edit,Bash'],
    ['implementer', null, null],
    ['validator', 'Read, Edit, Bash', 'Read,Bash'],
    ['validator', 'Edit', ''],
    ['validator', null, 'Read,Grep,Glob,Bash'],
  ])('the tools of the %s are narrowed to %s', async (role, tools, told) => {
    const text = `agents:\n  implementer: { runtime: claude }\n  validator: { runtime: claude }\nphases: direct\n`
    const { agents } = await cast(text, tools === null ? {} : { [role]: `tools: ${tools}\n` })
    const agent = agents[role] as ProgramAgent
    const spec = { ...agent, judge: dutyByName(role) === 'judge', workspace: '/w', confined: true }
    const { args } = claude.commandLine(spec)
    expect(args.includes('--tools') ? args[args.indexOf('--tools') + 1] : null).toBe(told)
  })
})

test('what people should know of roles: a small model, a model and tools that are of no use (L38, F-12)', async () => {
  const definitions = { validator: 'model: haiku\n', 'code-reviewer': 'model: gpt-5.5\ntools: Edit\n' }
  const config = await cast(CLAUDE + phasesOf('validator', 'code-reviewer'), definitions)
  expect(roleNotes(config)).toEqual([
    'the validator uses the model "haiku". Models of that size accept unfinished work: use a larger one',
    '.muster/agents/code-reviewer.md names the model "gpt-5.5", which claude does not have: Muster ignores it',
    '.muster/agents/code-reviewer.md names no tool that a judge may use (Read, Grep, Glob, and Bash in the sandbox), so it sees only its prompt',
  ])
  expect(roleNotes(await cast('agents: { implementer: { runtime: claude, model: haiku } }\nphases: direct\n'))).toEqual(
    [],
  )
})

test('H-10 a project whose map or agents give no checker is told so', async () => {
  expect(configNotes(await cast(COMMAND))).toEqual([
    expect.stringContaining('no checker is configured, so a person must accept'),
  ])
  expect(configNotes(await cast(`${COMMAND}phases: direct\n`))).toEqual([
    expect.stringContaining('no judge reviews the work'),
  ])
  expect(configNotes(await cast(CLAUDE))).toEqual([])
  expect(configNotes(await cast(CLAUDE + phasesOf('validator')))).toEqual([])
})

test.each([
  'checker',
  'style-checker',
  'validator',
  'api-validator',
  'issue-verifier',
  'code-reviewer',
  'reviewer',
  'ux-critic',
  'security-auditor',
  'auditor',
  'post-deploy',
])('the %s is a judge', (role) => expect(dutyByName(role)).toBe('judge'))

test.each(['implementer', 'coder', 'checker-fixer', 'nochecker', 'deploy', 'critics', ''])('the %s is none', (role) =>
  expect(dutyByName(role)).toBe('work'),
)
