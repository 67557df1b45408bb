/**
 * Puts a crash between the engine and the outside: every store write and every effect is a numbered point, and at the
 * chosen one the engine dies, before it or right after it. From then on nothing the dead engine asks for is answered,
 * just as if its process were gone.
 */
import { MusterError } from '../../src/domain/errors.ts'
import { jobsOf } from '../../src/jobs.ts'
import { stepsOf } from '../../src/engine/steps/steps.ts'
import type { Worker } from '../../src/ports/runtime.ts'
import type { EngineParts } from '../../src/engine/loop/parts.ts'

export interface CrashPoint {
  at: number
  /** `fails`: it does not die there; what it asks for goes wrong, once, as with a full or broken disk. */
  side: 'before' | 'after' | 'fails'
}

export class CrashingPorts {
  /** What happened at each point, in order: `store.commit`, `runtime.start`, … */
  readonly seen: string[] = []
  readonly crashed: Promise<string>
  readonly #point: CrashPoint | null
  readonly #workers = new Set<Worker>()
  readonly #pending = new Set<Promise<unknown>>()
  #die: (where: string) => void = () => undefined
  #dead = false

  constructor(point: CrashPoint | null) {
    this.#point = point
    this.crashed = new Promise((resolve) => {
      this.#die = resolve
    })
  }

  wrap(parts: EngineParts): EngineParts {
    const { store, runtime, channels } = parts
    const effects = [
      'ensureBranch',
      'checkout',
      'snapshot',
      'merge',
      'land',
      'publish',
      'retire',
      'push',
      'remove',
    ] as const
    const workspaces = this.#guard('workspaces', parts.workspaces, effects)
    const forge = this.#guard('forge', parts.forge, [
      'ensure',
      'publish',
      'meet',
      'markReady',
      'merge',
      'follow',
      'status',
    ])
    const guarded = {
      ...parts,
      store: this.#guard('store', store, ['commit', 'pin', 'setSetting']),
      workspaces,
      runtime: this.#guard('runtime', runtime, ['start', 'recover']),
    }
    return {
      ...guarded,
      forge,
      ...stepsOf(workspaces, forge, parts.clock),
      ...jobsOf(guarded),
      channels: channels.map((channel) => this.#guard('channel', channel, ['send'])),
    }
  }

  /** Waits until what the dead engine had already begun is over; its workers end with it. */
  async bury(): Promise<void> {
    // First what was being started: a worker may come of it.
    await Promise.allSettled(this.#pending)
    for (const worker of this.#workers) worker.stop(true)
    await Promise.all([...this.#workers].map((worker) => worker.ended))
    await Promise.allSettled(this.#pending)
  }

  #guard<T extends object>(name: string, port: T, points: readonly (keyof T & string)[]): T {
    return new Proxy(port, {
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key)
        if (typeof value !== 'function') return value
        const counted = points.includes(key as keyof T & string)
        return (...args: unknown[]) =>
          this.#call(`${name}.${String(key)}`, counted, () => value.apply(target, args) as unknown)
      },
    })
  }

  #call(what: string, counted: boolean, work: () => unknown): unknown {
    const never = new Promise<never>(() => undefined)
    if (this.#dead) return never
    if (!counted) return this.#hold(work(), never)
    const n = this.seen.push(what)
    const here = this.#point?.at === n ? this.#point.side : null
    if (here === 'before') {
      this.#kill(what)
      return never
    }
    if (here === 'fails') return this.#hold(Promise.reject(failureAt(what)), never)
    const done = Promise.resolve(work()).then((result) => {
      if (what === 'runtime.start') this.#workers.add(result as Worker)
      if (here === 'after') this.#kill(what)
      return result
    })
    return this.#hold(done, never)
  }

  /** What the dead engine waits for never comes. */
  #hold(result: unknown, never: Promise<never>): unknown {
    if (!(result instanceof Promise)) return result
    this.#pending.add(result)
    const forget = () => this.#pending.delete(result)
    result.then(forget, forget)
    return result.then(
      (value: unknown) => (this.#dead ? never : value),
      (error: unknown) => (this.#dead ? never : Promise.reject(error)),
    )
  }

  #kill(where: string): void {
    this.#dead = true
    this.#die(where)
  }
}

/** In the words of the room that would say it. */
function failureAt(what: string): Error {
  if (what.startsWith('store.')) return new MusterError('storage', 'the disk is full: muster.db could not grow')
  if (what.startsWith('workspaces.')) return new MusterError('git', 'git failed (128): No space left on device')
  return Object.assign(new Error('EIO: i/o error, write'), { code: 'EIO' })
}
