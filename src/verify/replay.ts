/**
 * Repeats the commands that a judge quotes as evidence, on the same commit, in a separate checkout and sandbox. It
 * tells people whether others can reproduce a finding; it decides nothing.
 */
import { replaysMax, replayTimeoutMs } from '../domain/limits.ts'
import type { Replay } from '../domain/verdict/verdict.ts'
import type { Hear, Job } from '../ports/executor.ts'
import type { Replaying, ReplayRequest } from '../ports/verifier.ts'
import { checkEnd, type ExecuteParts, jobOf, notRun } from './execute.ts'
import { isReplayable, onlyLooks } from './replayable.ts'
import { resolveCheck } from './services.ts'
import type { trustedSides } from './trusted.ts'

export function replay(
  parts: ExecuteParts,
  sideOf: ReturnType<typeof trustedSides>,
  request: ReplayRequest,
  hear: Hear,
): Replaying {
  let job: Job | null = null
  let stopped = false
  let clockRuns = true

  const run = async (command: string, n: number): Promise<Replay> => {
    const { config, commit, base } = request
    const check = Object.values(config.checks).find((one) => one.run === command)
    const trusted = sideOf(base, new Set(await parts.workspaces.changed(base, commit)))
    const { resolved, services } = await resolveCheck(command, check, config, trusted)
    const quoted = {
      resolved,
      services,
      shown: command,
      env: check?.env ?? [],
      timeoutMs: Math.min(check?.timeoutMs ?? replayTimeoutMs, replayTimeoutMs),
      network: check?.network ?? false,
      report: null,
    }
    const title = `${command}   # again, for ${request.role}`
    job = parts.executor.start(jobOf(request, quoted, { commit, n, title }), hear)
    if (stopped) job.stop(true)
    if (!clockRuns) job.setClock(false)
    const ran = await job.ended
    const { exitCode, timedOut } = checkEnd(ran)
    if (notRun(ran) !== null || timedOut || exitCode === null || exitCode === 127) return 'not-run'
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
      const tried = runs ? await run(command, index + 1).catch((): Replay => 'not-run') : 'not-run'
      said.set(command, tried)
    }
    return said
  }

  return {
    ended: all(),
    stop() {
      stopped = true
      job?.stop(true)
    },
    setClock(running) {
      clockRuns = running
      job?.setClock(running)
    },
  }
}
