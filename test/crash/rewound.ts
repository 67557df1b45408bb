/**
 * A world whose database can be put back: a copy is kept after every commit of a scenario, and everything else as it was at
 * its end. A backup that is restored looks like that, and so does a write-ahead log whose end a power cut took.
 */
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { databaseFile } from '../../src/app.ts'
import type { EngineParts } from '../../src/engine/loop/parts.ts'
import { afterFile } from '../support/after.ts'
import type { World } from '../support/world.ts'

export class Rewound<End> {
  /** What the scenario comes to by itself. */
  readonly whole: End
  /** How many copies of the database there are, one for each commit. */
  readonly copies: number
  readonly #world: World
  readonly #kept: string
  readonly #play: Play<End>

  private constructor(world: World, kept: string, play: Play<End>, copies: number, whole: End) {
    this.#world = world
    this.#kept = kept
    this.#play = play
    this.copies = copies
    this.whole = whole
  }

  static async of<End>(world: World, play: Play<End>): Promise<Rewound<End>> {
    const kept = mkdtempSync(join(tmpdir(), 'muster-rewound-'))
    for (const dir of [kept, world.top]) afterFile(() => rmSync(dir, { recursive: true, force: true }))
    let copies = 0
    const whole = await play(world, (parts) => {
      const { store } = parts
      const commit: typeof store.commit = async (change) => {
        const events = await store.commit(change)
        const db = new DatabaseSync(databaseFile(world.project), { readOnly: true })
        db.exec(`vacuum into '${join(kept, `${(copies += 1)}.db`)}'`)
        db.close()
        return events
      }
      return { ...parts, store: { ...store, commit } }
    })
    cpSync(world.top, join(kept, 'top'), { recursive: true, verbatimSymlinks: true })
    return new Rewound(world, kept, play, copies, whole)
  }

  /** All copies in `npm run soak`, otherwise about so many. */
  sample(size: number): number[] {
    const stride = process.env['MUSTER_SOAK'] ? 1 : Math.ceil(this.copies / size)
    return Array.from({ length: this.copies }, (_, at) => at + 1).filter((at) => at % stride === 0)
  }

  /** The scenario again, from this copy of the database on, over everything that was made since. */
  from(copy: number): Promise<End> {
    const { top, project } = this.#world
    for (const name of readdirSync(top)) rmSync(join(top, name), { recursive: true, force: true })
    cpSync(join(this.#kept, 'top'), top, { recursive: true, verbatimSymlinks: true })
    const file = databaseFile(project)
    for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true })
    cpSync(join(this.#kept, `${copy}.db`), file)
    this.#world.events.length = 0
    return this.#play(this.#world, (parts) => parts)
  }
}

/** Starts the world with its ports wrapped, goes on from wherever it is, and closes it. */
export type Play<End> = (world: World, wrap: (parts: EngineParts) => EngineParts) => Promise<End>
