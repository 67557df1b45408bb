/**
 * Runs the project's setup and checks on its base and shows how it goes: for `init`, which writes down the results, and
 * for `doctor`.
 */
import { withParts } from '../app.ts'
import { type Proof, proveProject, type ProvenCheck, type ProveOptions } from '../engine/jobs/prove.ts'
import { isUnreached } from '../domain/verdict/telling-line.ts'
import type { Project } from '../project.ts'
import type { Io } from './io.ts'
import { oneLine } from './io.ts'
import { watchTrying } from './progress.ts'

/**
 * Null: another muster is at work here, and nothing was tried. Ctrl-C ends what runs, `stoppedAt`; what is known by then is
 * returned.
 */
export async function prove(
  io: Io,
  project: Project,
  options: Omit<ProveOptions, 'signal'> = {},
): Promise<{ proof: Proof; stoppedAt: string | null } | null> {
  const stop = new AbortController()
  const onSignal = () => stop.abort()
  process.on('SIGINT', onSignal)
  const shown = watchTrying(io)
  let last = ''
  const proving = withParts(project, io.env, (parts) =>
    proveProject(parts, shown.tell, { ...options, signal: stop.signal }),
  )
  const proof = await proving.finally(() => {
    last = shown.end()
    process.off('SIGINT', onSignal)
  })
  return proof === null ? null : { proof, stoppedAt: stop.signal.aborted ? last : null }
}

const RESULTS = { green: 'passed', red: 'failed', flaky: 'flaky', unclear: 'could not run' }

/** `248 tests, 3.1 s, passed`. */
export function provenWords({ result, counts, durationMs, why, leftOf }: ProvenCheck): string {
  const tests =
    counts === null
      ? []
      : [
          `${counts.executed} ${counts.executed === 1 ? 'test' : 'tests'}`,
          ...(counts.skipped > 0 ? [`${counts.skipped} skipped`] : []),
        ]
  const failed = counts !== null && counts.failed > 0 ? [`${counts.failed} failed`] : []
  const said = [...tests, ...failed, seconds(durationMs), RESULTS[result]].join(', ')
  const left = leftOf === undefined ? '' : `; ${leftOf.command} without what fails here: ${leftOf.without.join(', ')}`
  return `${said}${why === null ? '' : `: ${oneLine(why)}`}${oneLine(left)}`
}

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`

/** What to do about a setup that failed. */
export const setupHint = (why: string): string =>
  `${isUnreached(why) ? 'make sure this machine can reach the host that the setup uses, or ' : ''}fix setup: in muster.yaml`
