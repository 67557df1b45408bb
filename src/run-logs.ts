/** What is stored of runs to read: the prompts of their agents, and their output. */
import { existsSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { timelineOf } from './agents/programs.ts'
import type { AgentConfig, ProjectConfig } from './domain/config.ts'
import { outputTailChars } from './domain/limits.ts'
import type { RunLog } from './engine/jobs/run-log.ts'
import { HALF } from './executor/golden.ts'
import type { RunRecord, Store } from './ports/store.ts'
import { commandTail, followLog, outputTail, readLog } from './process/log-read.ts'
import { errorsOf } from './process/supervise.ts'
import type { Place } from './project.ts'

/** What a run's agent was told; null when it was told nothing, or the run's folder is gone. */
export async function runPrompt(place: Place, runId: string): Promise<string | null> {
  const text = await readFile(join(place.dataDir, 'runs', runId, 'prompt.md'), 'utf8').catch(() => '')
  return text === '' ? null : text
}

/**
 * The log of a run, unless it was cleaned away: whole, or followed as it grows until the run ends or the signal aborts.
 * `errors`: the end of what a program complained about beside its stream. `timeline`: how to read that stream, if it is one.
 * `service`: what that printed, instead of who asked for it.
 */
export function runLog(place: Place, runId: string, agent: AgentConfig | undefined, service?: string) {
  const dir = join(place.dataDir, 'runs', runId)
  return {
    exists: () => existsSync(dir),
    read: () => readLog(dir, service),
    follow: (signal: AbortSignal, onChunk: (chunk: Buffer) => void | Promise<void>, ended: AbortSignal) =>
      followLog(dir, signal, onChunk, ended, service),
    errors: () => outputTail(errorsOf(dir), outputTailChars).catch(() => ''),
    timeline: () => (service === undefined ? timelineOf(agent) : null),
    tail: (part: string, chars: number) => commandTail(dir, part, chars),
  }
}

/** The log of a run whose task's configuration says how it is read. */
export async function logOf(place: Place, store: Store, { id, taskId, kind, name }: RunRecord): Promise<RunLog> {
  const task = await store.task(taskId)
  const config = JSON.parse((await store.config(task?.spec.configHash ?? '')) ?? '{}') as Partial<ProjectConfig>
  return runLog(place, id, kind === 'agent' ? config.agents?.[name] : undefined)
}

/** A setup under way, for people: when it began, what it printed last, and where the rest is. */
export interface SetupUnderWay {
  since: string
  line: string
  log: string
}

/** Those that whoever works here has begun and not ended. What a Muster that was killed has left looks the same. */
export async function setupsUnderWay({ dataDir }: Place): Promise<SetupUnderWay[]> {
  const golden = join(dataDir, 'golden')
  const halves = (await readdir(golden).catch(() => [])).filter((name) => name.endsWith(HALF))
  const found = halves.map(async (name): Promise<SetupUnderWay[]> => {
    const dir = join(golden, name, 'run')
    const begun = await stat(join(dir, 'process.json')).catch(() => null)
    if (begun === null || existsSync(join(dir, 'exit.json'))) return []
    const tail = await outputTail(dir, outputTailChars).catch(() => '')
    return [{ since: begun.mtime.toISOString(), line: tail.split('\n').at(-1) ?? '', log: join(dir, 'log') }]
  })
  return (await Promise.all(found)).flat()
}
