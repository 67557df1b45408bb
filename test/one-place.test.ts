/**
 * Adding something is one place: a runtime, a forge, a channel, a command, a path of the API, a page of the board. A toy of
 * each is added here as AGENTS.md says, but to the registry that is handed over; and no code outside the registries asks
 * for one of the kinds by its name.
 */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { KINDS as KIND_NAMES, mentions } from '../bench/shape/names.ts'
import { houseOf, readSources } from '../bench/shape/sources.ts'
import { agentRuntime, commandProblems, installedPrograms, programChecks } from '../src/agents/programs.ts'
import { channelProblems, channels } from '../src/channels/channels.ts'
import { systemClock, systemRandom } from '../src/app.ts'
import { COMMANDS } from '../src/cli/commands.ts'
import { paintWith, type Io } from '../src/cli/io.ts'
import { main } from '../src/cli/program.ts'
import { KINDS, type Kinds } from '../src/config/kinds.ts'
import { buildPlan } from '../src/config/plan.ts'
import { buildConfig } from '../src/config/project.ts'
import { configSchemaOf } from '../src/config/schema.ts'
import { parseYaml } from '../src/config/yaml.ts'
import { secretsOf } from '../src/domain/secrets.ts'
import { chooseForge, readyForge } from '../src/forge/choose.ts'
import { MEMORY } from '../src/store/sqlite.ts'
import { openStore } from '../src/store/store.ts'
import { httpApp } from '../src/server/http/app.ts'
import { openApi } from '../src/server/http/openapi.ts'
import type { EngineParts } from '../src/engine/loop/parts.ts'
import type { RequestParts } from '../src/server/http/route.ts'
import { ROUTES } from '../src/server/http/routes.ts'
import { webhookRoutesOf } from '../src/server/http/routes/webhooks.ts'
import { PLACES, goKeys, placeAt } from '../web/parts/places.ts'
import { TOY_PROGRAM, toyAgent } from './fixtures/toys/agent.ts'
import { told, toyChannel } from './fixtures/toys/channel.ts'
import { toyCommand } from './fixtures/toys/command.ts'
import { toyForge } from './fixtures/toys/forge.ts'
import { toyPlace } from './fixtures/toys/place.ts'
import { toyRoutes } from './fixtures/toys/route.ts'
import { World } from './support/world.ts'

/** The registries with one line more each. */
const WITH_TOYS: Kinds = {
  programs: [...KINDS.programs, toyAgent],
  forges: [...KINDS.forges, toyForge],
  channels: [...KINDS.channels, toyChannel],
}
const PROGRAMS = [toyAgent]
const AGENTS = 'agents:\n  implementer: { runtime: toy, model: toy-1 }\n'
const build = (text: string) => buildConfig(parseYaml(text, 'muster.yaml'), async () => 'main', undefined, WITH_TOYS)

/** Code that has such a name among other words, and why. */
const EXAMPLES: Record<string, string> = {
  'src/cli/commands-connect.ts': 'an example of a command that people type into their own program',
  'src/cli/commands-work.ts': 'an example of a program that --agent takes',
  'src/config/ci.ts': 'where CI has its files, whatever the forge of the project is',
  'src/config/definitions.ts': 'how definitions name tools: a format that others gave',
  'src/config/notify.ts': 'an example of a variable',
  'src/tools/agent-files.ts': 'paths in repositories that programs gave: the registry of those',
  'src/reports/runners/javascript.ts': 'a reporter of Vitest',
}

describe('names of runtimes, forges and channels', () => {
  const house = houseOf(readSources())
  const owners = KIND_NAMES.flatMap(({ owners: own }) => own)
  const others = house.filter(({ path }) => !owners.some((owner) => path.startsWith(owner)))

  test('are mentioned by their own folder and the registry, and by nobody else', () => {
    const kinds = KIND_NAMES.map(({ name }) => name)
    expect(kinds).toEqual(['claude', 'codex', 'github', 'slack', 'ntfy'])
    const found = mentions(house).filter(({ name }) => kinds.includes(name))
    expect(found.flatMap(({ name, files }) => files.map((file) => `${file} mentions ${name}`))).toEqual([])
  })

  test('stand among other words in examples and paths alone, which are listed with a reason', () => {
    const word = new RegExp(KIND_NAMES.map(({ name }) => name).join('|'), 'i')
    const found = others.filter(({ code }) => word.test(code)).map(({ path }) => path)
    expect(found.toSorted()).toEqual(Object.keys(EXAMPLES).toSorted())
  })

  test('no folder of the board asks for one', () => {
    const web = readSources().filter(({ path }) => path.startsWith('web/'))
    expect(web.filter(({ code }) => /claude|codex|github|ntfy|slack/i.test(code)).map(({ path }) => path)).toEqual([])
  })
})

describe('a runtime', () => {
  const path = process.env['PATH']
  let world: World
  beforeEach(async () => {
    world = await World.create()
    mkdirSync(join(world.top, 'bin'))
    writeFileSync(join(world.top, 'bin/toy'), TOY_PROGRAM)
    chmodSync(join(world.top, 'bin/toy'), 0o755)
    process.env['PATH'] = `${join(world.top, 'bin')}:${path}`
  })
  afterEach(async () => {
    process.env['PATH'] = path
    await world.dispose()
  })

  test('is accepted in muster.yaml, with its models, tools and prices', async () => {
    const { agents } = await build(`${AGENTS}  checker: { runtime: toy, model: toy-1, maxBudgetUsd: 2 }\n`)
    expect(agents['implementer']).toMatchObject({ runtime: 'toy', model: 'toy-1' })
    const unpriced = build('agents: { a: { runtime: toy, model: toy-9, maxBudgetUsd: 1 } }\n')
    await expect(unpriced).rejects.toThrow('the price of "toy-9" is unknown; use one of these models: toy-1')
    await expect(build('agents: { a: { runtime: doll } }\n')).rejects.toThrow(
      'must be "command" or "claude" or "codex" or "toy", not "doll"',
    )
    expect((await build(AGENTS)).agents['checker']).toMatchObject({ runtime: 'toy', like: 'implementer' })
  })

  test('is found by init and doctor', async () => {
    expect(await installedPrograms({}, PROGRAMS)).toEqual([
      { runtime: 'toy', title: 'Toy', version: '1.2.3', key: null },
    ])
    const config = await build(AGENTS)
    expect(await commandProblems({ config, root: world.top }, PROGRAMS)).toEqual([])
    expect(await programChecks(config, PROGRAMS)[0]?.check()).toBe('Toy 1.2.3, logged in')
  })

  test('starts, and its work lands', async () => {
    const config = await build(`${AGENTS}phases: direct\nsandbox: off\ndecisions: scripted\n`)
    await world.start((parts) => {
      const { dataDir } = parts
      return { ...parts, runtime: agentRuntime({ dataDir, sandbox: config.sandbox }, PROGRAMS) }
    })
    const plan = buildPlan(parseYaml('meta: { id: s }\ntasks:\n  - { id: 1, name: One }\n', 'p.yaml'), config, 'p')
    await world.commands.submit({ plan, config })
    await world.settled()
    expect(await world.task('s-1')).toMatchObject({ status: 'completed' })
    expect(world.git('show', 'muster/story/s:toy.txt')).toBe('made by toy-1')
    expect((await world.runs('s-1'))[0]?.end).toMatchObject({ outcome: 'ADVANCE', facts: { program: 'toy' } })
  })
})

describe('a forge', () => {
  const FORGE = `${AGENTS}forge: { type: toy, place: shelf }\n`

  test('is accepted in muster.yaml, with phases of its choice and a secret that nothing else gets', async () => {
    const config = await build(FORGE)
    expect(config.forge).toEqual({ type: 'toy', place: 'shelf', keyEnv: 'TOY_KEY' })
    expect(config.phases.map(({ name }) => name)).toContain('open-pr')
    expect(secretsOf(config).get('TOY_KEY')).toBe('the forge')
    await expect(build(`${FORGE}checks: { a: { run: x, env: [TOY_KEY] } }\n`)).rejects.toThrow(
      'TOY_KEY is a secret of the forge',
    )
    await expect(build(`${AGENTS}forge: { type: doll }\n`)).rejects.toThrow('"local" or "github" or "toy", not "doll"')
  })

  test('is opened, looked at by doctor, and has a path for its webhook', async () => {
    const { forge } = await build(FORGE)
    const store = await openStore({ file: MEMORY })
    const parts = { store, workspaces: {} as EngineParts['workspaces'], env: {} }
    const opened = chooseForge(forge, { ...parts, clock: systemClock, random: systemRandom }, WITH_TOYS.forges)
    expect(opened).toMatchObject({ name: 'Toy', place: 'shelf' })
    await store.close()
    expect(() => readyForge(forge, {}, WITH_TOYS.forges)).toThrow('TOY_KEY is not set')
    expect(readyForge(forge, { TOY_KEY: 'x' }, WITH_TOYS.forges)).toBe('Toy, shelf')
    expect(webhookRoutesOf(WITH_TOYS.forges).map((one) => one.path)).toContain('/api/webhooks/toy')
    // A Muster without it says so.
    expect(() => readyForge(forge, {})).toThrow('this Muster does not know the forge "toy"')
  })
})

test('a channel is accepted in muster.yaml, keeps its secret, and is told', async () => {
  const entry = 'notify: [{ toy: "https://toys.invalid", toyEnv: TOY_KEY, on: [failed] }]\n'
  const { notify } = await build(`${AGENTS}${entry}`)
  expect(notify).toEqual([{ type: 'toy', url: 'https://toys.invalid', toyEnv: 'TOY_KEY', on: ['failed'] }])
  expect(secretsOf({ notify }).get('TOY_KEY')).toBe('notify')
  await expect(build(`${AGENTS}notify: [{ terminal: true, toyEnv: A }]\n`)).rejects.toThrow('which is for toys')
  expect(channelProblems(notify, {}, WITH_TOYS.channels)).toEqual([
    'notify.0 (toy) sends nothing: the variable TOY_KEY is not set',
  ])
  const here = { notify, env: { TOY_KEY: 'k' }, dataDir: '/', clock: systemClock, probe: { emit: () => undefined } }
  const [, toy] = channels(here, WITH_TOYS.channels)
  const notice = { key: 'a', kind: 'failed' as const, taskId: null, storyId: null, subject: 'It broke', text: '' }
  await toy?.send({ ...notice, title: null, next: [], link: null, at: 0 }, new AbortController().signal)
  expect(told).toEqual(['https://toys.invalid k: It broke'])
})

test('all of them are in the JSON schema', () => {
  const schema = JSON.stringify(z.toJSONSchema(configSchemaOf(WITH_TOYS), { io: 'input' }))
  expect(schema).toContain('"enum":["claude","codex","toy"]')
  expect(schema).toContain('"const":"toy"')
  expect(schema).toContain('of a toy: the variable with its key')
})

test('a command is in --help and in completions, with its examples, and runs', async () => {
  const groups = [...COMMANDS, { name: 'Toys', commands: [toyCommand] }]
  const run = async (...args: string[]) => {
    let text = ''
    const out = (more: string) => void (text += more)
    const abort = new AbortController().signal
    const io: Io = {
      cwd: process.cwd(),
      env: {},
      out,
      say: out,
      live: false,
      columns: 100,
      asks: false,
      color: false,
      paint: paintWith(false),
      abort,
    }
    return { code: await main(args, io, groups), text }
  }
  expect((await run('--help')).text).toMatch(/\nToys:\n {2}toy \[options\] <task> +play with a task\n/)
  expect((await run('help', 'toy')).text).toMatch(/--ball +with a ball[^]*Examples:\n {2}muster toy shop-2 /)
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { text } = await run('completion', shell)
    expect(text).toMatch(/\btoy\b/)
    expect(text).toContain('ball')
  }
  expect(await run('toy', 'shop-2', '--ball')).toEqual({ code: 7, text: 'shop-2 {"ball":true}\n' })
})

test('a path of the API is in the document, and answers', async () => {
  const routes = [...ROUTES, ...toyRoutes]
  const { paths } = openApi(routes) as { paths: Record<string, object> }
  expect(paths['/api/toys/{id}']).toMatchObject({ get: { operationId: 'toy', summary: 'Whether a toy is new' } })
  const shared = { service: { commandsOf: () => ({}) }, routes } as unknown as RequestParts<unknown, unknown>
  const guard = { place: () => undefined, token: () => 'token' as const }
  const app = httpApp(shared, guard, {} as Parameters<typeof httpApp>[2])
  const env = { incoming: { method: 'GET', headers: {} }, outgoing: {} }
  const response = await app.request('/api/toys/ball', {}, env)
  expect([response.status, await response.json()]).toEqual([200, { news: true }])
})

test('a page of the board has its place in the menu, its key and its line in the help', () => {
  const places = [...PLACES, toyPlace]
  expect(placeAt('t', places)).toBe('/toys')
  expect(goKeys(places).at(-1)).toEqual(['g t', 'Toys'])
  // Menu, keys and palette have no list of their own, and the router has a page for each place.
  const code = Object.fromEntries(readSources().map((source) => [source.path, source.code]))
  for (const file of ['layout', 'keys', 'palette']) {
    expect(code[`web/parts/${file}.tsx`]).toContain('PLACES')
    expect(code[`web/parts/${file}.tsx`]).not.toMatch(/insights/i)
  }
  for (const { to } of PLACES) expect(code['web/router.tsx']).toContain(`path: '${to}'`)
})
