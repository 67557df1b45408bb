import { describe, expect, test } from 'vitest'
import { configText, type InitAgent } from './init.ts'
import { buildConfig } from './project.ts'
import { parseYaml } from './yaml.ts'

const read = (text: string) => buildConfig(parseYaml(text, 'muster.yaml'), async () => 'unused')

describe('what init writes can be read', () => {
  test.each(['claude', 'codex'])('for %s, with the other as its checker (S0.3, F-12)', async (runtime) => {
    const agent = { title: 'It', runtime, env: ['A_KEY'] }
    const others = [{ title: 'Another', runtime: runtime === 'claude' ? 'codex' : 'claude', env: [] }]
    const text = configText({ base: 'main', agent, others, checks: { lint: 'npm run lint' }, schema: './s' })
    const config = await read(text)
    expect(config).toMatchObject({ base: 'main', protected: ['main'], checks: { lint: { run: 'npm run lint' } } })
    expect(config.agents['implementer']).toMatchObject({ runtime, env: ['A_KEY'] })
    expect(config.agents['checker']).toMatchObject({ runtime: others[0]?.runtime, env: [], timeoutMs: 600_000 })
    expect(text).toContain('before it is accepted: Another.')
  })

  test('S4.22, E-31 with a round limit, and with a budget where somebody can keep it', async () => {
    const named = (runtime: string) => ({ title: 'It', runtime, env: [] })
    const limits = async (agent: InitAgent | null, others: InitAgent[] = []) =>
      (await read(configText({ base: 'main', agent, others, checks: {}, schema: 's' }))).limits
    expect(await limits(named('claude'))).toMatchObject({ maxTaskRounds: 10, budgetUsd: 20 })
    for (const without of [
      await limits(named('claude'), [named('codex')]),
      await limits(named('codex')),
      await limits({ title: '', run: './agent.sh', env: [] }),
      await limits(null),
    ]) {
      expect(without).toMatchObject({ maxTaskRounds: 10 })
      expect(without.budgetUsd).toBeUndefined()
    }
  })

  test('for one program alone: it checks in a session of its own', async () => {
    const agent = { title: 'It', runtime: 'claude', env: ['A_KEY'] }
    const { agents } = await read(configText({ base: 'main', agent, checks: {}, schema: 's' }))
    expect(agents['checker']).toMatchObject({ runtime: 'claude', env: ['A_KEY'], maxBudgetUsd: 0.5 })
  })

  test('with more programs than it needs, which are named', async () => {
    const others = ['codex', 'claude'].map((runtime) => ({ title: `The ${runtime}`, runtime, env: [] }))
    const text = configText({
      base: 'main',
      agent: { title: 'It', runtime: 'claude', env: [] },
      others,
      checks: {},
      schema: 's',
    })
    expect((await read(text.replace('# other:', 'other:'))).agents['other']).toMatchObject({ runtime: 'claude' })
  })

  test('without an agent or checks', async () => {
    const config = await read(configText({ base: 'main', agent: null, checks: {}, schema: 's' }))
    expect(config.agents['implementer']).toMatchObject({ run: './agent.sh' })
    expect(config.checks).toEqual({})
  })

  test('whatever a branch, a command and a check are called', async () => {
    const strange = `a: "b" # {c} 'd' \\ é`
    const agent = { title: 'x', run: strange, env: ['A', 'B'] }
    const config = await read(configText({ base: 'feature/#1: x', agent, checks: { unit: strange }, schema: 's' }))
    expect(config).toMatchObject({ base: 'feature/#1: x', checks: { unit: { run: strange } } })
    expect(config.agents['implementer']).toMatchObject({ run: strange, env: ['A', 'B'] })
  })

  test('its first line names the schema, where there is one, and always where every key is explained', () => {
    const text = (schema: string | null) => configText({ base: 'main', agent: null, checks: {}, schema })
    expect(text('./x.json')).toMatch(/^# yaml-language-server: \$schema=\.\/x\.json\n# muster help configuration /)
    expect(text(null)).toMatch(/^# muster help configuration explains every key\.\nversion: 1\n/)
  })
})

describe('what was seen when it was tried is in the file', () => {
  const seen = {
    setup: { words: '4.0 s', usable: true },
    'unit-test': { words: '248 tests, 3.1 s, passed', usable: true },
    lint: { words: 'could not run: eslint: not found\nchecks: { a: b }', usable: false },
  }
  const checks = { lint: 'npm run lint', 'unit-test': 'npm test' }
  const text = configText({
    base: 'main',
    agent: null,
    setup: 'npm ci',
    checks,
    seen,
    copy: ['.env.test'],
    schema: 's',
  })

  test('a green check stays, one that cannot run is a comment and switched off', async () => {
    expect(text).toContain('  unit-test: "npm test"   # 248 tests, 3.1 s, passed\n')
    expect(text).toContain('setup: "npm ci"   # 4.0 s\n')
    const config = await read(text)
    expect(config.checks).toMatchObject({ 'unit-test': { run: 'npm test' } })
    expect(config.checksOff).toEqual(['lint'])
    expect(config.setup).toMatchObject({ run: 'npm ci' })
  })

  test('what a tool printed stays in its comment', () => {
    expect(text).toContain('# On main: could not run: eslint: not found checks: { a: b }.')
  })

  test('a check of a package has its folder and its paths', async () => {
    const place = { cwd: 'packages/(a)', paths: ['**', '!packages/*/**', 'packages/\\(a\\)/**'] }
    const parts = { base: 'main', agent: null, checks: { 'unit-test-a': 'npm test' }, schema: null }
    const written = configText({ ...parts, places: { 'unit-test-a': place } })
    expect((await read(written)).checks['unit-test-a']).toMatchObject({ run: 'npm test', ...place })
    expect(written).toContain('# paths: a check runs if a change touches its package')
    const off = configText({
      ...parts,
      places: { 'unit-test-a': place },
      seen: { 'unit-test-a': { words: 'red', usable: false } },
    })
    expect((await read(off)).checksOff).toEqual(['unit-test-a'])
  })

  test('files that git ignores are proposed, not taken', async () => {
    expect(text).toContain('# copy: [.env.test]')
    expect((await read(text)).copy).toEqual([])
  })
})
