/**
 * Makes a whole process one life (life.ts): `node --import` this before Muster, with what is to happen in
 * MUSTER_TEST_FAULT. When it dies it is killed with SIGKILL, for a power cut with everything that it started.
 */
import { writeFileSync } from 'node:fs'
import { StatementSync } from 'node:sqlite'
import { Draw } from '../support/draw.ts'
import { lay, liveOnly, outside } from './layer.ts'
import { Ledger } from './ledger.ts'
import type { Fault } from './life.ts'
import { Life } from './life.ts'

export interface Injected {
  dir: string
  seed: number
  fault: Fault | null
  boot: string | null
  /** Where to say how many points there were, at the end. */
  points: string
}

const { dir, seed, fault, boot, points } = JSON.parse(process.env['MUSTER_TEST_FAULT'] ?? '') as Injected
const life = new Life(new Ledger(dir), new Draw(seed), fault, boot)
life.onDeath = () =>
  outside(() => {
    if (fault?.kind === 'power') life.lose()
    process.kill(process.pid, 'SIGKILL')
  })
process.on('exit', () => writeFileSync(points, String(life.seen.length)))
lay()
liveOnly(life)

/** A commit of the database is a point, and a sync of everything that git wrote before it. */
const run = StatementSync.prototype.run
StatementSync.prototype.run = function (this: StatementSync, ...args: unknown[]) {
  if (this.sourceSQL.toLowerCase() !== 'commit') return Reflect.apply(run, this, args) as never
  const fate = life.meet('commit')
  if (fate === 'fails') throw Object.assign(new Error('database or disk is full'), { errcode: 13 })
  const result = fate === 'goes' || fate === 'dies-after' ? (Reflect.apply(run, this, args) as never) : undefined
  if (result === undefined || fate === 'dies-after') {
    void life.die()
    throw new Error('it died here')
  }
  life.ledger.barrier()
  return result
}
