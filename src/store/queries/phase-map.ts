/** Phase maps, stored once per distinct map and shared in memory by the tasks that have it. */
import { assert } from '../../domain/errors.ts'
import { settledMap, type PhaseMap } from '../../domain/task/phase-map.ts'
import { sha256 } from '../chain.ts'
import { prepare } from '../prepared.ts'
import type { Session } from '../session.ts'
import type { Db } from '../schema.ts'
import { inChunks } from './in-chunks.ts'

const insertPhaseMap = prepare((db, p: { hash: string; body: string }) =>
  db
    .insertInto('phase_maps')
    .values({ hash: p.hash, body: p.body })
    .onConflict((conflict) => conflict.doNothing()),
)

/** Stores each distinct map of these once and answers with its hash. */
export async function storePhaseMaps(on: Session, maps: Iterable<PhaseMap>): Promise<Map<PhaseMap, string>> {
  const hashes = new Map<PhaseMap, string>()
  for (const map of maps) {
    if (hashes.has(map)) continue
    const body = JSON.stringify(map)
    const hash = sha256(body)
    await insertPhaseMap.run(on, { hash, body })
    hashes.set(map, hash)
  }
  return hashes
}

export function parsePhaseMap(body: string): PhaseMap {
  return settledMap(JSON.parse(body) as PhaseMap)
}

/** The maps seen so far in one reading: one object per distinct map. */
export class PhaseMaps {
  readonly #byHash = new Map<string, PhaseMap>()

  async load(db: Db, hashes: readonly string[]): Promise<(hash: string) => PhaseMap> {
    const missing = hashes.filter((hash) => !this.#byHash.has(hash))
    const rows = await inChunks(missing, (some) =>
      db.selectFrom('phase_maps').select(['hash', 'body']).where('hash', 'in', some).execute(),
    )
    for (const { hash, body } of rows) this.#byHash.set(hash, parsePhaseMap(body))
    return (hash) => {
      const map = this.#byHash.get(hash)
      assert(map !== undefined, `a task names the phase map ${hash}, which is not stored`)
      return map
    }
  }
}
