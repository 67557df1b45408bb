/**
 * Rate limits of agent programs. A rate-limited program gets no new runs until its limit resets; other programs
 * continue. Stored, so that a restart does not run into the same limit again.
 */
import type { ProgramLimit } from '../../domain/task/reasons.ts'
import { COMMAND, type ProjectConfig } from '../../domain/config.ts'
import { limitBackoffMs, limitBackoffMsMax, limitMsMax } from '../../domain/limits.ts'
import { judgeOf } from '../../domain/task/panel.ts'
import { currentPhase } from '../../domain/task/task.ts'
import { roleOf } from '../../domain/role.ts'
import type { OpenTask, Store } from '../../ports/store.ts'
import type { EngineParts } from './parts.ts'

const SETTING = 'limited'

/** `tries`: limits in a row for which the program told no time. */
interface Lane {
  until: number
  tries: number
  /** When it was met first; what an older Muster stored does not have it. */
  since?: number
}

export interface Limited {
  program: string
  until: number
  since?: number | undefined
}

export class RateLimits {
  readonly #parts: EngineParts
  readonly #freed: (program: string) => void
  readonly #rateLimits = new Map<string, Lane>()
  readonly #timers = new Map<string, () => void>()
  #stopped = false

  /** `freed` is called when a program's limit is over. */
  constructor(parts: EngineParts, freed: (program: string) => void) {
    this.#parts = parts
    this.#freed = freed
  }

  async load(): Promise<void> {
    for (const [program, lane] of Object.entries(await storedLimits(this.#parts.store))) {
      this.#rateLimits.set(program, lane)
      this.#wait(program)
    }
  }

  /** Nobody is woken any more: limits that are met from now on are only stored. */
  stop(): void {
    this.#stopped = true
    for (const cancel of this.#timers.values()) cancel()
    this.#timers.clear()
  }

  /** How long the program may start nothing; 0 if it may. */
  msLeft(program: string): number {
    const lane = this.#rateLimits.get(program)
    const now = this.#parts.clock.now()
    return lane === undefined || wasSetBack(lane, now) ? 0 : Math.max(0, lane.until - now)
  }

  /** A run of the program has ended. `retryAt`: at its limit until then, null if it did not say; undefined: not at its limit. */
  async ended(program: string, retryAt: number | null | undefined): Promise<void> {
    if (retryAt === undefined) {
      // Others may have met the limit while this one was still at work.
      if (!this.#rateLimits.has(program) || this.msLeft(program) > 0) return
      this.#rateLimits.delete(program)
      return this.#store()
    }
    const now = this.#parts.clock.now()
    const told = retryAt !== null && retryAt > now
    const tries = told ? 0 : (this.#rateLimits.get(program)?.tries ?? 0) + 1
    const pause = told ? retryAt - now : Math.min(limitBackoffMs * 2 ** (tries - 1), limitBackoffMsMax)
    const until = Math.max(now + Math.min(pause, limitMsMax), now + this.msLeft(program))
    this.#rateLimits.set(program, { until, tries, since: Math.min(this.#rateLimits.get(program)?.since ?? now, now) })
    await this.#store()
    this.#parts.probe.emit({ type: 'program-limited', program, until })
    this.#wait(program)
  }

  #store(): Promise<void> {
    const text = this.#rateLimits.size === 0 ? null : JSON.stringify(Object.fromEntries(this.#rateLimits))
    return this.#parts.store.setSetting(SETTING, text)
  }

  #wait(program: string): void {
    this.#timers.get(program)?.()
    this.#timers.delete(program)
    if (this.#stopped) return
    const ms = this.msLeft(program)
    if (ms === 0) return this.#freed(program)
    this.#timers.set(
      program,
      // Asked again: a timer may be a moment early.
      this.#parts.clock.after(ms, () => this.#wait(program)),
    )
  }
}

/** It began after now: the clock was wrong then, and nobody knows any more until when it is. Who is still limited says so again. */
const wasSetBack = ({ since = 0 }: Lane, now: number): boolean => since > now

/** The program that would do the task's next step, under the configuration it has. */
export function programOf({ spec, state }: OpenTask, config: ProjectConfig): string | null {
  const phase = currentPhase(state, spec.phases)
  if (phase?.step.type !== 'agent') return null
  return config.agents[roleOf(judgeOf(phase, state), spec.agent)]?.runtime ?? null
}

/** Whether it uses a model that somebody pays for, as far as Muster knows. */
export function isPaid(program: string | null): boolean {
  return program !== null && program !== COMMAND
}

/** For those who look: the programs that are at their limit now. */
export async function limitedPrograms(store: Store, now: number): Promise<Limited[]> {
  const lanes = Object.entries(await storedLimits(store))
  const isLimited = (lane: Lane) => lane.until > now && !wasSetBack(lane, now)
  return lanes.flatMap(([program, lane]) =>
    isLimited(lane) ? [{ program, until: lane.until, since: lane.since }] : [],
  )
}

export const shownLimit = ({ program, until }: Pick<Limited, 'program' | 'until'>): ProgramLimit => ({
  program,
  until: new Date(until).toISOString(),
})

/** Why a task that could have its turn does not get it; null if no limit keeps it. */
export async function limitOf(store: Store, task: OpenTask, limited: readonly Limited[]): Promise<ProgramLimit | null> {
  if (limited.length === 0) return null
  const body = await store.config(task.spec.configHash)
  const program = body === null ? null : programOf(task, JSON.parse(body) as ProjectConfig)
  const limit = limited.find((one) => one.program === program)
  return limit === undefined ? null : shownLimit(limit)
}

async function storedLimits(store: Store): Promise<Record<string, Lane>> {
  return JSON.parse((await store.setting(SETTING)) ?? '{}') as Record<string, Lane>
}
