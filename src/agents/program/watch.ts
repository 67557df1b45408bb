/**
 * Watches an agent program while it works: reports its events, enforces the limits that the program does not enforce
 * itself, and ends a program that is silent too long or does not exit when it is done.
 */
import { describeEvent, type AgentEvent } from '../../domain/agent-event.ts'
import type { ProgramAgent } from '../../domain/config.ts'
import { agentLingerMs } from '../../domain/limits.ts'
import { priced } from '../../domain/prices.ts'
import type { Usage } from '../../domain/usage.ts'
import { countdown, type Countdown } from '../../process/countdown.ts'
import { lineWatcher } from '../../process/last-line.ts'
import type { AgentAdapter } from '../stream/adapter.ts'
import { addEvent, emptyFold, usageOf } from '../stream/fold.ts'
import { lineSplitter } from '../stream/lines.ts'
import type { Cut } from '../stream/result.ts'
import type { Listeners, Watch } from '../worker/worker.ts'
import { ledgerReader } from './ledger.ts'

interface Watched {
  adapter: AgentAdapter
  agent: ProgramAgent
  env: Readonly<Record<string, string>>
  /** What the session had used before. */
  before: Usage | undefined
  lingerMs?: number | undefined
}

export function watchProgram({ adapter, agent, env, before, lingerMs = agentLingerMs }: Watched, on: Listeners): Watch {
  const lines = lineSplitter()
  const fold = emptyFold()
  const ledger = ledgerReader(adapter, env)
  const shown = lineWatcher(on.line)
  let stop: (why: Cut) => void = () => {}
  let silence: Countdown | null = null
  let clockRuns = true

  /** A tool may take its time: the run's own timeout is there for that. */
  const listen = (): void => {
    silence?.cancel()
    const done = fold.final !== null
    silence = null
    if (fold.running.size > 0 && !done) return
    silence = countdown(done ? lingerMs : agent.stallMs, () => stop(done ? 'lingered' : 'stalled'))
    silence.setRunning(clockRuns)
  }
  const onEvent = (event: AgentEvent): void => {
    addEvent(fold, event)
    on.event(event)
    const line = describeEvent(event)
    if (line !== null) shown.add(Buffer.from(`${line}\n`))
  }
  const keepLimits = (): void => {
    const { maxTurns, maxBudgetUsd, model } = agent
    if (fold.final !== null) return
    if (!adapter.keeps.turns && maxTurns !== undefined && fold.tools.size > maxTurns) return stop('turn-limit')
    if (adapter.keeps.budget || maxBudgetUsd === undefined) return
    for (const event of ledger(fold.session)) onEvent(event)
    const used = usageOf(fold, before)
    const usd = used === null ? undefined : priced(used, model, adapter.prices).usd
    if (usd !== undefined && usd > maxBudgetUsd) stop('budget')
  }

  return {
    begin(end) {
      stop = end
      listen()
    },
    output(chunk) {
      for (const line of lines.add(chunk)) for (const event of adapter.parse(line)) onEvent(event)
      keepLimits()
      listen()
    },
    setClock(running) {
      clockRuns = running
      silence?.setRunning(running)
    },
    end() {
      shown.close()
      silence?.cancel()
      stop = () => {}
    },
  }
}
