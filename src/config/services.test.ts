import { describe, expect, test } from 'vitest'
import type { MusterError } from '../domain/errors.ts'
import { servicesNamed } from '../domain/service.ts'
import { buildConfig } from './project.ts'
import { parseYaml } from './yaml.ts'

const AGENT = 'agents:\n  implementer: { runtime: command, run: ./a.sh }\n'
const read = (text: string) => buildConfig(parseYaml(`${AGENT}${text}`, 'muster.yaml'), async () => 'main')
const refusal = async (text: string): Promise<string> =>
  read(text).then(
    () => 'it was read',
    (error: MusterError) => error.message,
  )

describe('services in muster.yaml', () => {
  test('a command alone is one without ready and stop; who asks gets them in its order, each once', async () => {
    const config = await read(`services:
  db: redis-server --port $MUSTER_PORT
  web: { run: npm start, ready: curl -f localhost:$MUSTER_PORT, stop: ./stop.sh, timeout: 90s, env: [KEY] }
checks:
  api: { run: npm test, services: [web, db, web] }`)
    const db = { run: 'redis-server --port $MUSTER_PORT', ready: null, stop: null, env: [], timeoutMs: 60_000 }
    const web = { run: 'npm start', ready: 'curl -f localhost:$MUSTER_PORT', stop: './stop.sh', env: ['KEY'] }
    expect(config.services).toEqual({ db, web: { ...web, timeoutMs: 90_000 } })
    expect(servicesNamed(config, config.checks['api']?.services).map(({ name }) => name)).toEqual(['web', 'db'])
  })

  test('a configuration without any is the same as before there were services', async () => {
    const config = await read('checks: { t: "true" }')
    expect(JSON.stringify(config)).not.toContain('services')
  })

  test.each([
    [
      'a name that no service has, of a check',
      'services: { db: x }\nchecks:\n  t: { run: x, services: [dB, db] }',
      '5: unknown service "dB" (known: db; did you mean "db"?)',
    ],
    [
      'a name that no service has, of an agent',
      '  b: { runtime: claude, services: [db] }',
      '3: unknown service "db" (none is defined)',
    ],
    [
      'a name with a character that no variable and no folder has',
      'services:\n  ../db: x',
      '4: "../db" cannot be the name of a service: use letters, digits, ".", "_" and "-", such as db',
    ],
    [
      'two names with one variable',
      'services:\n  my-db: x\n  my.db: x',
      '5: the services "my-db" and "my.db" would both get their port in MUSTER_PORT_MY_DB',
    ],
    ['one without a command', 'services: { db: { ready: x } }', '3: services.db needs "run"'],
    [
      'an unknown key',
      'services: { db: { run: x, redy: y } }',
      '3: unknown key "redy" in services.db (known: run, ready, stop, timeout, env; did you mean "ready"?)',
    ],
    [
      'a secret of Muster’s own',
      'services: { db: { run: x, env: [HOOK] } }\nnotify: [{ webhook: "https://x.invalid", secretEnv: HOOK }]',
      '3: HOOK is a secret of notify, which only Muster itself may read: remove it from env',
    ],
  ])('refused with its line: %s', async (_, text, message) => {
    expect(await refusal(text)).toBe(`muster.yaml:${message}`)
  })
})
