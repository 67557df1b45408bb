/** What the faults meet, and what must have become of it in the end. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { databaseFile } from '../../src/app.ts'
import { openProject } from '../../src/project.ts'
import { openStore } from '../../src/store/store.ts'
import { Draw } from '../support/draw.ts'
import { ACCEPTED } from '../support/maps.ts'
import { World } from '../support/world.ts'
import { Ledger } from './ledger.ts'
import type { Fault } from './life.ts'

export interface Scenario {
  config: string
  tasks: string
  ids: readonly string[]
}

/** A task and a check. */
export const SMALL: Scenario = {
  config: 'checks: { unit: "test -e README.md" }',
  tasks: '  - { id: 1, name: One, checks: [unit] }\n',
  ids: ['s-1'],
}

/** With a setup, and a second task that a checker looks at. */
export const LARGE: Scenario = {
  config: 'setup: "mkdir -p deps && echo made >deps/made"\nchecks: { unit: "test -e deps/made" }',
  tasks: `${SMALL.tasks}  - { id: 2, name: Two, depends_on: [1], phases: ${ACCEPTED} }\n`,
  ids: ['s-1', 's-2'],
}

/** What a life says that neither comes to rest nor stops. */
export const STUCK = 'it is stuck'
const KINDS = ['kill', 'power', 'power', 'full', 'broken'] as const
/** How often a second fault meets the start after the first. */
const secondChance = 0.3

/** A life of Muster in this world. `died`: where; `stopped`: for what, if it did not come to rest. */
export type Live = (
  world: World,
  tasks: string,
  draw: Draw,
  fault: Fault | null,
  boot: string | null,
  ledger: Ledger,
) => Promise<{ died: string | null; stopped: string | null }>

export interface End {
  /** The faults, and what became of the life that each met. */
  told: string[]
  stopped: string | null
  tasks: string[]
  files: string[]
  landings: string[]
  bad: unknown
  pending: string[]
}

/** With what the seed draws, then without a fault; null: without any. */
export async function play(scenario: Scenario, seed: number | null, points: number, live: Live): Promise<End> {
  const draw = new Draw(seed ?? 0)
  const world = await prepare(scenario)
  const told: string[] = []
  const ledger = new Ledger(join(world.top, 'data'))
  try {
    let boots = 0
    const boot = () => (boots === 0 ? null : `boot-${boots}`)
    const spans = draw.chance(secondChance) ? [points, points / 2] : [points]
    for (const span of seed === null ? [] : spans) {
      const fault: Fault = { kind: KINDS[draw.upTo(KINDS.length) - 1] ?? 'kill', at: draw.upTo(span) }
      const { died, stopped } = await live(world, scenario.tasks, draw, fault, boot(), ledger)
      if (fault.kind === 'power' && died !== null) boots += 1
      told.push(`${fault.kind} at ${fault.at}: ${died === null ? (stopped ?? 'went on') : `died at ${died}`}`)
    }
    const { stopped } = await live(world, scenario.tasks, draw, null, boot(), ledger)
    return { told, stopped, ...(await endOf(world, scenario.ids)) }
  } finally {
    rmSync(world.top, { recursive: true, force: true })
  }
}

async function prepare({ config }: Scenario): Promise<World> {
  const world = await World.create({ roles: ['implementer', 'checker'], config })
  world.agent('implementer', 'for n in 1 2 3; do echo "$MUSTER_TASK_ID $n" >"$MUSTER_TASK_ID.$n"; done; verdict pass')
  world.agent('checker', 'verdict pass')
  return world
}

async function endOf(world: World, ids: readonly string[]): Promise<Omit<End, 'told' | 'stopped'>> {
  world.project = await openProject(world.repository, world.env)
  world.store = await openStore({ file: databaseFile(world.project) })
  const tasks = []
  for (const id of ids) {
    const state = await world.task(id).catch(() => null)
    const known = state?.status === 'completed' || state?.status === 'not-started'
    const who = state?.reason?.toPerson === true ? 'a person: ' : ''
    tasks.push(known ? state.status : `${state?.status} ${who}${state?.waitingFor}`)
  }
  const { bad } = await world.store.verifyHistory()
  const pending = (await world.store.pendingIntents()).map(({ key }) => key)
  await world.store.close()
  const said = (...args: string[]) => world.git(...args).split('\n')
  const [files, landings] = [
    ['ls-tree', '-r', '--format=%(path) %(objectname)'],
    ['log', '--first-parent', '--format=%s'],
  ].map((args) => (said('branch', '--list', 'muster/story/s')[0] === '' ? [] : said(...args, 'muster/story/s')))
  return { tasks, files: files ?? [], landings: landings ?? [], bad, pending }
}

const WAITS = /^in-progress a person: \S/

/** What is wrong with such an end; null: nothing. `whole`: how it ends without a fault. */
export function wrongIn({ told, stopped, tasks, files, landings, bad, pending }: End, whole: End): string | null {
  if (stopped !== null) return `the last start stopped: ${stopped}`
  if (told.some((one) => one.includes(STUCK))) return 'it was stuck'
  if (bad !== null) return `the history is broken: ${JSON.stringify(bad)}`
  const held = tasks.filter((task) => WAITS.test(task)).length
  const fits = (task: string) => task === 'completed' || WAITS.test(task) || (task === 'not-started' && held === 1)
  if (held > 1 || !tasks.every(fits)) return tasks.join('; ')
  // What landed is what the agents wrote, whole and once.
  const other = files.filter((file) => !whole.files.includes(file))
  if (other.length > 0) return `landed otherwise: ${other.join(', ')}`
  if (new Set(landings).size !== landings.length) return `landed twice: ${landings.join(', ')}`
  if (held > 0) return null
  if (files.join() !== whole.files.join()) return `not everything landed: ${files.join(', ')}`
  return pending.length > 0 ? `intents are left: ${pending.join(', ')}` : null
}

/** What came of all these seeds that should not have, so many at a time. */
export async function wrongOf(all: readonly number[], side: number, playOne: (seed: number) => Promise<[End, End]>) {
  const left = [...all]
  const wrong: { seed: number; what: string; told: string[] }[] = []
  const next = async (): Promise<void> => {
    const seed = left.shift()
    if (seed === undefined) return
    const [end, whole] = await playOne(seed)
    const what = wrongIn(end, whole)
    // Said at once: a soak takes an hour.
    if (what !== null) console.error(`seed ${seed}: ${end.told.join('; ')}: ${what}`)
    if (what !== null) wrong.push({ seed, what, told: end.told })
    await next()
  }
  await Promise.all(Array.from({ length: side }, next))
  return wrong
}
