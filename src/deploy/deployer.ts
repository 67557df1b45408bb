/** The Deployer port: one detached process for each run, found again by whoever comes after. */
import { because } from '../domain/task/reasons.ts'
import { createReadStream, mkdirSync } from 'node:fs'
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { formatDuration } from '../domain/duration.ts'
import { logHeadBytes, outputTailChars } from '../domain/limits.ts'
import type { Deployer, DeployRequest } from '../ports/deployer.ts'
import { DETACHED } from '../ports/deployer.ts'
import type { RunOutcome } from '../ports/runtime.ts'
import { followDetached, startDetached, type DetachedEnd } from '../process/detached.ts'
import { childEnvironment } from '../process/environment.ts'
import { outputTail } from '../process/log-read.ts'
import { headFile, openLog } from '../process/log.ts'
import { hasStarted } from '../process/record.ts'

/** Shorter values would be found everywhere. */
const hiddenCharsMin = 6

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

/** Only a person can find out what it did. */
const unknown = (why: string) => ({
  hold: because('deploy-unknown', { why }),
})

async function outcomeOf(request: DeployRequest, { state, ending }: DetachedEnd): Promise<RunOutcome> {
  // Without a log there is nothing to tidy.
  await tidyLog(request).catch(() => undefined)
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
  if (ending === 'stopped') return { ...give('ERROR', 'stopped from outside'), ...unknown('it was stopped') }
  if (state === 'lost') return { ...give('ERROR', 'it is gone'), ...unknown('it is gone and left no exit code') }
  return state.code === 0 ? give('PASS', 'exit 0') : give('FAIL', `exit ${state.code}`)
}

/** What it printed of the variables it was given does not stay in its log, and no more of it than of any other run. */
async function tidyLog({ dir, env }: DeployRequest): Promise<void> {
  const given = childEnvironment({ pass: env })
  const values = env
    .map((name) => Buffer.from(given[name] ?? '').toString('latin1'))
    .filter((value) => value.length >= hiddenCharsMin)
    // One may begin with another.
    .toSorted((a, b) => b.length - a.length)
  const { size } = await stat(headFile(dir))
  if (values.length === 0 && size <= logHeadBytes) return
  const folder = join(dir, 'tidied')
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder)
  const log = openLog(folder)
  // As much is kept back as could be the beginning of a value.
  const keep = Math.max(0, (values[0]?.length ?? 0) - 1)
  let rest = ''
  for await (const chunk of createReadStream(headFile(dir), { encoding: 'latin1', highWaterMark: 1024 * 1024 })) {
    const hidden = values.reduce((text, value) => text.replaceAll(value, '***'), rest + String(chunk))
    rest = keep === 0 ? '' : hidden.slice(-keep)
    await log.write(Buffer.from(hidden.slice(0, hidden.length - rest.length), 'latin1'))
  }
  await log.write(Buffer.from(rest, 'latin1'))
  await log.close()
  for (const name of await readdir(folder)) await rename(join(folder, name), join(dir, name))
  await rm(folder, { recursive: true, force: true })
}
