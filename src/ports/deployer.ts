/**
 * Deploys: commands of the user's that act on the world outside. They outlive Muster: one that is stopped lets them go on,
 * and the next one finds them again, or what they came to.
 */
import type { RunOutcome, Worker } from './runtime.ts'

export interface DeployRequest {
  runId: string
  /** The run's own folder: log, pid and exit record. */
  dir: string
  /** Where it runs: a checkout of what was landed. */
  cwd: string
  /** A shell command. */
  run: string
  /** Names of the user's variables that it gets. What their values are is kept out of the log. */
  env: readonly string[]
  /** Variables of Muster's own. */
  variables: Readonly<Record<string, string>>
  timeoutMs: number
}

export interface Deployer {
  /** Whether this run was started before, whatever became of it. */
  hasStarted(dir: string): boolean
  /**
   * Starts it, once: a run that was started before is found again. PASS on exit 0, FAIL otherwise and on a timeout. ERROR
   * with a `hold` when it is gone and left no exit record: then nobody can know what it did.
   */
  start(request: DeployRequest, onLine: (line: string) => void): Promise<Worker & { detach(): void }>
}

/** A deploy that goes on without this Muster. */
export const DETACHED: RunOutcome = {
  verdict: 'ERROR',
  detail: 'it goes on without this Muster',
  findings: [],
  exit: 'detached',
  crashed: false,
  interrupted: true,
}
