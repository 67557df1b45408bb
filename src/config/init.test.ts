import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { configText, detectChecks, type InitAgent } from './init.ts'
import { buildConfig } from './project.ts'
import { parseYaml } from './yaml.ts'

const read = (text: string) => buildConfig(parseYaml(text, 'muster.yaml'), async () => 'unused')

function folderWith(packageJson: string | null): string {
  const dir = mkdtempSync(join(tmpdir(), 'muster-init-'))
  if (packageJson !== null) writeFileSync(join(dir, 'package.json'), packageJson)
  return dir
}

describe('what init writes can be read', () => {
  test.each(['claude', 'codex'])('for %s, with the other as its checker (S0.3, F-12)', async (runtime) => {
    const agent = { title: 'It', runtime, env: ['A_KEY'] }
    const others = [{ title: 'Another', runtime: runtime === 'claude' ? 'codex' : 'claude', env: [] }]
    const text = configText({ base: 'main', agent, others, checks: { lint: 'npm run lint' }, schema: 'file:///s' })
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

  test('its first line names the schema', () => {
    const text = configText({ base: 'main', agent: null, checks: {}, schema: 'file:///x.json' })
    expect(text).toMatch(/^# yaml-language-server: \$schema=file:\/\/\/x\.json\n/)
  })
})

describe('checks the project offers', () => {
  test('come from its package scripts', async () => {
    const scripts = { test: 'vitest', types: 'tsc', lint: 'oxlint', start: 'node .', build: 'vite build' }
    expect(await detectChecks(folderWith(JSON.stringify({ scripts })))).toEqual({
      typecheck: 'npm run types',
      lint: 'npm run lint',
      'unit-test': 'npm test',
      build: 'npm run build',
    })
  })

  test('not the test script that npm init writes: it always fails', async () => {
    const scripts = { test: 'echo "Error: no test specified" && exit 1' }
    expect(await detectChecks(folderWith(JSON.stringify({ scripts })))).toEqual({})
  })

  test.each([
    ['there is no package.json', null],
    ['it is no JSON', '{'],
    ['it is null', 'null'],
    ['it has no scripts', '{}'],
    ['its scripts are no scripts', '{"scripts":{"test":5,"lint":null}}'],
  ])('are none when %s', async (_, text) => {
    expect(await detectChecks(folderWith(text))).toEqual({})
  })
})
