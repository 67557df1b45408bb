/** A criterion's command as a job, and what the end of such a job is for those who judge it. */
import { commandFolder } from '../domain/run.ts'
import type { Service } from '../domain/service.ts'
import type { CommandJob, Executor, JobResult } from '../ports/executor.ts'
import type { EvidenceCache, VerifyRequest } from '../ports/verifier.ts'
import type { Workspaces } from '../ports/workspaces.ts'
import { instrument } from '../reports/instrument.ts'
import type { CheckEnd } from './check-end.ts'
import type { Resolved } from './command.ts'
import type { Placed } from './script-file.ts'

export interface Command {
  resolved: Resolved
  /** As a person would type it. */
  shown: string
  env: readonly string[]
  timeoutMs: number
  network: boolean
  /** Where in the checkout it leaves its report. */
  report: string | null
  /** It is known to run tests, whatever it is: what it prints may name them. */
  tests?: boolean
  /** What runs beside it, from the trusted side as well. */
  services?: readonly Service[]
  /** Files of the checkout that differ from the tree on purpose. */
  restored?: readonly Placed[]
}

export interface ExecuteParts {
  executor: Executor
  workspaces: Workspaces
  cache: EvidenceCache
  projectRoot: string
  now(): number
  /** What of the machine and the user's environment a result depends on: variables by name, programs among these words. */
  environment(names: readonly string[], words: readonly string[]): Promise<string>
}

/** `n`: its number among the commands of the run. `title`: what its log begins with. */
export function jobOf(
  { runId, taskId, attempt, tree }: Pick<VerifyRequest, 'runId' | 'taskId' | 'attempt' | 'tree'>,
  { resolved, env, timeoutMs, network, report, tests = false, services = [], restored = [] }: Command,
  { commit, n, title }: { commit: string; n: number; title: string },
): CommandJob {
  const { cwd, prefix, command, placed } = resolved
  return {
    kind: 'command',
    id: `${runId}/${commandFolder(n)}`,
    title,
    task: taskId,
    attempt,
    tree: { ...tree, commit },
    command: { cwd, prefix, command },
    laid: [...placed, ...restored],
    services,
    env,
    timeoutMs,
    network,
    report,
    tests,
  }
}

/** Why there is nothing to judge; null if there is something. */
export function notRun({ end }: JobResult): string | null {
  if (end.is === 'not-run') return end.why
  return end.is === 'exited' || end.is === 'timed-out' ? null : 'interrupted: stopped from outside'
}

/** How its process ended; nothing of it where nobody knows. */
export function checkEnd({ end, report, asked, output }: JobResult): CheckEnd & { output: string } {
  const ended = end.is === 'exited' || end.is === 'timed-out'
  const { code, signal } = ended ? end : { code: null, signal: null }
  return { exitCode: code, signal, timedOut: end.is === 'timed-out', report, asked, output }
}

/** Whether it runs tests: a known runner, or something that leaves a report. */
export function runsTests({ resolved, report }: Command): boolean {
  return report !== null || (instrument(resolved.command, '/')?.asked ?? []).some(({ sure }) => sure)
}

/** It shows by itself that it runs them. */
export function hasTests({ report }: Pick<JobResult, 'report'>): boolean {
  return report !== null && 'tests' in report && report.tests.length > 0
}
