/**
 * Runs again what a judge quotes as evidence, on the same commit, in a checkout and sandbox of its own. It tells people
 * whether a finding can be seen by others; it decides nothing.
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { replaysMax, replayTimeoutMs } from '../domain/limits.ts'
import { commandFolder } from '../domain/run.ts'
import type { Replay } from '../domain/verdict/verdict.ts'
import type { Worker } from '../ports/runtime.ts'
import type { Replaying, ReplayRequest } from '../ports/verifier.ts'
import { execute, type ExecuteParts } from './execute.ts'
import { isReplayable, onlyLooks } from './replayable.ts'
import { resolveCheck } from './services.ts'
import type { trustedSides } from './trusted.ts'

export function replay(
  parts: ExecuteParts,
  sideOf: ReturnType<typeof trustedSides>,
  request: ReplayRequest,
  onLine: (line: string) => void,
): Replaying {
  let worker: Worker | null = null
  let stopped = false
  const onWorker = (next: Worker | null): void => {
    worker = next
    if (stopped) next?.stop(true)
  }

  const run = async (command: string, name: string): Promise<Replay> => {
    const { config, commit, base } = request
    const check = Object.values(config.checks).find((one) => one.run === command)
    const trusted = sideOf(base, new Set(await parts.workspaces.changed(base, commit)))
    const { resolved, services } = await resolveCheck(command, check, config, trusted)
    // A Muster that died meanwhile may have begun it before.
    await rm(join(request.dir, name), { recursive: true, force: true })
    const ran = await execute(
      parts,
      request,
      {
        resolved,
        services,
        shown: command,
        env: check?.env ?? [],
        timeoutMs: Math.min(check?.timeoutMs ?? replayTimeoutMs, replayTimeoutMs),
        network: check?.network ?? false,
        report: null,
      },
      { commit, name, title: `${command}   # again, for ${request.role}` },
      onWorker,
      onLine,
    )
    const { exitCode, timedOut } = ran.end
    if (ran.notRun !== null || ran.interrupted || timedOut || exitCode === null || exitCode === 127) return 'not-run'
    // `grep` that finds something has done well, whatever that says about the work.
    if (!known.has(command) && onlyLooks(command)) return 'ran'
    return exitCode === 0 ? 'different' : 'same'
  }

  const known = new Set([
    ...Object.values(request.config.checks).map((check) => check.run),
    ...request.contract.criteria.flatMap(({ command }) => command ?? []),
  ])

  const all = async (): Promise<Map<string, Replay>> => {
    const said = new Map<string, Replay>()
    for (const [index, command] of [...new Set(request.commands)].entries()) {
      const runs = index < replaysMax && !stopped && isReplayable(command, known)
      const tried = runs ? await run(command, commandFolder(index + 1)).catch((): Replay => 'not-run') : 'not-run'
      said.set(command, tried)
    }
    return said
  }

  return {
    ended: all(),
    stop() {
      stopped = true
      worker?.stop(true)
    },
  }
}
