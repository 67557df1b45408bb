/**
 * One life of Muster on a disk that can fail. Every write, every git command and every commit of the store is a numbered
 * point; at the chosen one the process dies, the power goes, or the disk is full or broken for a while. What the dead
 * asks for after that is never answered.
 */
import type { FileHandle } from 'node:fs/promises'
import { MusterError } from '../../src/domain/errors.ts'
import type { Store } from '../../src/ports/store.ts'
import type { Draw } from '../support/draw.ts'
import type { Ledger } from './ledger.ts'

export interface Fault {
  /** `kill`: what was written stays. `power`: what was not synced may be gone. `full`, `broken`: it lives on. */
  kind: 'kill' | 'power' | 'full' | 'broken'
  at: number
}

/** What happens to one call. `half`: it is begun, and not finished. */
export type Fate = 'goes' | 'fails' | 'dies-before' | 'dies-half' | 'dies-after'

const DEATHS = ['dies-before', 'dies-half', 'dies-after'] as const
/** A disk stays full for no longer than so many calls. */
const fullCallsMax = 12

export class Life {
  /** What was asked for at each point, in order. */
  readonly seen: string[] = []
  readonly ledger: Ledger
  readonly died: Promise<void>
  readonly draw: Draw
  readonly fault: Fault | null
  /** What this life believes the machine's boot to be; null: the truth. */
  readonly boot: string | null
  readonly #children = new Set<number>()
  readonly #begun = new Set<Promise<unknown>>()
  readonly #open: FileHandle[] = []
  readonly #fullFor: number
  #die: () => void = () => undefined
  dead = false
  /** At once, before anything else happens. */
  onDeath: () => void = () => undefined

  /** The ledger is that of the machine: a life that was only killed leaves the next one what is not synced yet. */
  constructor(ledger: Ledger, draw: Draw, fault: Fault | null, boot: string | null = null) {
    this.ledger = ledger
    this.draw = draw
    this.fault = fault
    this.boot = boot
    this.#fullFor = fault?.kind === 'full' ? draw.upTo(fullCallsMax) : 1
    this.died = new Promise((resolve) => {
      this.#die = resolve
    })
  }

  meet(what: string): Fate {
    const n = this.seen.push(what)
    const { fault } = this
    if (fault === null || n < fault.at || n >= fault.at + this.#fullFor) return 'goes'
    if (fault.kind === 'full' || fault.kind === 'broken') return 'fails'
    return DEATHS[this.draw.upTo(DEATHS.length) - 1] ?? 'goes'
  }

  error(): NodeJS.ErrnoException {
    const [code, text] = this.fault?.kind === 'full' ? ['ENOSPC', 'no space left on device'] : ['EIO', 'i/o error']
    return Object.assign(new Error(`${code}: ${text}, write`), { code })
  }

  die(): Promise<never> {
    this.dead = true
    this.onDeath()
    this.#die()
    return never()
  }

  /** The fate of a call that answers later. `half` does a part of it. */
  async meets<T>(
    what: string,
    work: () => Promise<T>,
    half: () => Promise<unknown> = async () => undefined,
  ): Promise<T> {
    if (this.dead) return never()
    const fate = this.meet(what)
    if (fate === 'dies-before') return this.die()
    if (fate === 'dies-half' || fate === 'fails') await this.during(half())
    if (fate === 'dies-half') return this.die()
    if (fate === 'fails') throw this.error()
    const result = await this.during(work())
    return fate === 'dies-after' ? this.die() : this.lives(result)
  }

  lives<T>(result: T): T | Promise<never> {
    return this.dead ? never() : result
  }

  /** Waited for before the dead are buried. */
  during<T>(work: Promise<T>): Promise<T> {
    this.#begun.add(work)
    const forget = () => this.#begun.delete(work)
    work.then(forget, forget)
    return work
  }

  child(pid: number): void {
    this.#children.add(pid)
  }

  /** The system closes what a process that died had open; nobody else does. */
  opened(file: FileHandle): FileHandle {
    this.#open.push(file)
    return file
  }

  /** The power goes: every process ends, and what was not synced is lost. */
  lose(): void {
    this.#endAll()
    this.ledger.lose(this.draw)
  }

  /** Once what was already under way is over. */
  async bury(): Promise<void> {
    if (this.fault?.kind === 'power') this.#endAll()
    await Promise.allSettled(this.#begun)
    // Closing one again does nothing.
    await Promise.allSettled(this.#open.map((file) => file.close()))
    if (this.fault?.kind === 'power') this.lose()
  }

  #endAll(): void {
    for (const pid of this.#children) endGroup(pid)
  }

  /** A commit is a sync of everything that git wrote before it. */
  store(store: Store): Store {
    const writes = new Set(['commit', 'pin', 'setSetting'])
    return new Proxy(store, {
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key)
        if (typeof value !== 'function') return value
        return (...args: unknown[]) => {
          const work = () => Promise.resolve(value.apply(target, args) as unknown)
          if (!writes.has(String(key))) return this.dead ? never() : (value.apply(target, args) as unknown)
          return this.meets(`store ${String(key)}`, () => work().finally(() => this.ledger.barrier())).catch(fullStore)
        }
      },
    })
  }
}

/** In the words of the room that would say it. */
function fullStore(error: NodeJS.ErrnoException): never {
  if (error.code !== 'ENOSPC' && error.code !== 'EIO') throw error
  throw new MusterError('storage', `the database could not be written: ${error.message}`)
}

export function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

function never(): Promise<never> {
  return new Promise(() => undefined)
}
