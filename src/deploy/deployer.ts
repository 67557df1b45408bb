/** The Deployer port: one detached process for each run, found again by whoever comes after. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { formatDuration } from '../domain/duration.ts'
import { outputTailChars } from '../domain/limits.ts'
import { UNKNOWN_DEPLOY } from '../domain/story.ts'
import type { Deployer, DeployRequest } from '../ports/deployer.ts'
import { DETACHED } from '../ports/deployer.ts'
import type { RunOutcome } from '../ports/runtime.ts'
import { followDetached, startDetached, type DetachedEnd } from '../process/detached.ts'
import { childEnvironment } from '../process/environment.ts'
import { outputTail } from '../process/log-read.ts'
import { headFile } from '../process/log.ts'
import { hasStarted } from '../process/record.ts'

export const deployer: Deployer = {
  hasStarted,
  async start(request, onLine) {
    const { dir, timeoutMs } = request
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    onLine(`$ ${request.run}`)
    await startDetached({ dir, cwd: request.cwd, run: request.run, env: environment(request) })
    const { ended, stop, detach } = followDetached(dir, timeoutMs)
    return {
      ended: ended.then((end) => (end === null ? DETACHED : outcomeOf(request, end))),
      stop,
      // Its time goes on while others are paused: the world outside does not stand still.
      setClock() {},
      detach,
    }
  },
}

function environment({ runId, env, variables }: DeployRequest): Record<string, string> {
  return childEnvironment({ pass: env, extra: { ...variables, MUSTER_RUN_ID: runId } })
}

async function outcomeOf(request: DeployRequest, { state, ending }: DetachedEnd): Promise<RunOutcome> {
  hideValues(request)
  const tail = await outputTail(request.dir, outputTailChars).catch(() => '')
  const give = (verdict: RunOutcome['verdict'], what: string): RunOutcome => ({
    verdict,
    detail: verdict === 'PASS' ? what : [what, tail].filter(Boolean).join('\n'),
    findings: [],
    exit: what,
    output: tail,
    crashed: false,
    interrupted: false,
    sandbox: 'none',
  })
  if (ending === 'late') return give('FAIL', `timed out after ${formatDuration(request.timeoutMs)}`)
  if (ending === 'stopped')
    return { ...give('ERROR', 'stopped from outside'), hold: `${UNKNOWN_DEPLOY}: it was stopped` }
  if (state === 'lost')
    return { ...give('ERROR', 'it is gone'), hold: `${UNKNOWN_DEPLOY}: it is gone and left no exit code` }
  return state.code === 0 ? give('PASS', 'exit 0') : give('FAIL', `exit ${state.code}`)
}

/** What it printed of the variables it was given does not stay in the log. */
function hideValues({ dir, env }: DeployRequest): void {
  const given = childEnvironment({ pass: env })
  const values = env.map((name) => given[name] ?? '').filter((value) => value.length >= 6)
  if (values.length === 0) return
  try {
    const text = readFileSync(headFile(dir), 'latin1')
    const hidden = values.reduce((all, value) => all.replaceAll(Buffer.from(value).toString('latin1'), '***'), text)
    if (hidden !== text) writeFileSync(headFile(dir), hidden, 'latin1')
  } catch {
    // Without a log there is nothing to hide.
  }
}
