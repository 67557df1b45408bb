/** Services beside agents and checks, through the engine: whose fault is what, what is kept, and what is judged by. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { VERIFIED } from '../support/maps.ts'
import { World } from '../support/world.ts'

let world: World
afterEach(() => world.dispose())

const TASK = '  - { id: 1, name: Add a product function, checks: [api] }\n'
/** Up until it is ended; its port is all that it knows, and it writes that where the check can see it. */
const STORE = '{ run: ./store.sh, ready: "[ -s $MUSTER_PORT ]" }'
const STORE_SH = 'echo "store on $MUSTER_PORT"; echo up >"$MUSTER_PORT"; exec sleep 1000'
const CHECK = 'grep -q up "$MUSTER_PORT_DB" && echo "$MUSTER_PORT_DB" >>"$SEEN"'

async function project(services: string, check = 'sh api.sh', agent = ''): Promise<void> {
  const checks = `checks: { api: { run: ${JSON.stringify(check)}, services: [db] } }`
  const limits = 'limits: { maxErrorAttempts: 1, maxWorkers: 2 }'
  const config = `phases: ${VERIFIED}\n${checks}\nservices: { db: ${services} }\n${limits}`
  world = await World.create({ config, keys: { implementer: agent } })
  commit({ 'store.sh': `#!/bin/sh\n${STORE_SH}\n`, 'api.sh': `SEEN='${world.top}/seen'\n${CHECK}\n` })
}

function commit(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) writeFileSync(join(world.repository, path), text, { mode: 0o755 })
  world.git('add', ...Object.keys(files))
  world.git('-c', 'user.name=A', '-c', 'user.email=a@example.invalid', 'commit', '-qm', 'Project')
}

const seen = () => readFileSync(join(world.top, 'seen'), 'utf8').trim().split('\n')
const criterion = async (id: string) =>
  (await world.task(id)).results?.criteria.find(({ activity }) => activity === 'api')

describe('services of a check', () => {
  test('each command has its own, on a port of its own; two tasks side by side share none', async () => {
    await project(STORE)
    await world.run(`${TASK}${TASK.replace('1', '2')}`)
    for (const id of ['s-1', 's-2']) expect(await world.task(id)).toMatchObject({ status: 'completed', round: 0 })
    // With the change and without it, of two tasks; the base is the same for both, and kept.
    expect(new Set(seen()).size).toBe(seen().length)
    expect(seen().length).toBeGreaterThanOrEqual(3)
    const runs = await world.runs('s-1')
    const check = runs.find(({ kind }) => kind === 'check')
    const log = join(world.project.dataDir, 'runs', check?.id ?? '', 'check-1/services/db/log')
    expect(readFileSync(log, 'utf8')).toMatch(/^store on 2\d{4}\n$/)
  })

  test('one that never comes up is an error: no round, no finding, held for a person with its words (decision 4)', async () => {
    await project('{ run: "echo no license; exit 3" }')
    await world.run(TASK)
    const task = await world.task('s-1')
    expect(task).toMatchObject({ stage: 'review', round: 0, findings: [] })
    expect(task.waitingFor).toContain('service db ended before it was ready (exit 3)')
    expect(await criterion('s-1')).toMatchObject({ status: 'error' })
    expect((await criterion('s-1'))?.error).toMatch(/its log: .*\/check-1\/services\/db\/log\n.*\nno license\n/)
    expect(existsSync(join(world.top, 'seen'))).toBe(false)
  })

  test('its definition is part of what a kept result depends on', async () => {
    await project(STORE)
    await world.run(TASK)
    const before = seen().length
    await world.stop()
    const yaml = join(world.repository, 'muster.yaml')
    writeFileSync(yaml, readFileSync(yaml, 'utf8').replace('[ -s $MUSTER_PORT ]', '[ -s ./$MUSTER_PORT ]'))
    await world.start()
    await world.add('Change the same again', { checks: ['api'], story: 's' })
    await world.settled()
    // Once with the change, and once more on a base that was verified before, with the other service.
    expect(seen().length).toBe(before + 2)
  })

  test('its script is the base’s, whatever the work makes of it, and a change of it needs a person (decision 6)', async () => {
    await project(STORE)
    world.agent('default', `echo 'echo evil; exit 9' >store.sh; work; verdict pass`)
    await world.run(TASK)
    const task = await world.task('s-1')
    expect(task.waitingFor).toContain('it changes protected paths: store.sh')
    expect(await criterion('s-1')).toMatchObject({ status: 'pass' })
  })
})

describe('services of an agent', () => {
  test('run beside it, and are told in its environment; one that fails to start is not its failure', async () => {
    await project(STORE, 'true', 'services: [db]')
    world.agent('default', `grep -q up "$MUSTER_PORT_DB" && rm "$MUSTER_PORT_DB"; work; verdict pass`)
    await world.run(TASK)
    expect(await world.task('s-1')).toMatchObject({ status: 'completed', round: 0 })
    expect(world.requests.find(({ role }) => role === 'implementer')?.services).toMatchObject([{ name: 'db' }])
    await world.dispose()
    await project('{ run: "exit 3" }', 'true', 'services: [db]')
    await world.run(TASK)
    expect(await world.task('s-1')).toMatchObject({ stage: 'review', round: 0, findings: [] })
    expect((await world.task('s-1')).waitingFor).toContain('service db ended before it was ready (exit 3)')
    expect(world.started()).toEqual([])
  })
})
