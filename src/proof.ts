/**
 * What a decision needs if agents run without a sandbox: proof that a person makes it. An agent that runs as the same
 * user can read the token, reach the socket and start `muster`, but it is not at the person's terminal.
 */
import { readdir, stat, type FileHandle } from 'node:fs/promises'
import { uptime } from 'node:os'
import { join } from 'node:path'
import { endsAll } from './domain/config.ts'
import { MusterError } from './domain/errors.ts'
import type { Asker, Proof } from './domain/proof.ts'
import { isKeptIn } from './kept-in.ts'
import { findSandbox } from './process/sandbox.ts'
import { holdsOpen, whyNoPerson } from './process/terminal.ts'
import type { Project } from './project.ts'

const HINT = `run it in a terminal of your own, or decide on the board that you open from one.
To let scripts decide, and with them agents, set decisions: scripted in muster.yaml (docs/sandbox.md)`

const WHY = {
  token: 'agents run without a sandbox and can read the token',
  unknown: 'the asking process cannot be identified',
}

/** Throws where nothing shows that a person asks. */
export async function prove({ config, dataDir }: Project, asker: Asker, now: number): Promise<Proof> {
  const { decisions, sandbox } = config
  if (decisions === 'scripted') return 'scripted'
  if (await isKeptIn(sandbox)) return 'kept-in'
  if (asker === 'board') return 'board'
  const why =
    typeof asker === 'string' ? WHY[asker] : await whyNoPerson(asker.pid, await firstStray(sandbox, dataDir, now))
  if (why === null) return 'terminal'
  throw new MusterError('not_allowed', `Muster cannot tell that a person decides this: ${why}`, { hint: HINT })
}

/** Whether it would be proven. */
export async function isProven(project: Project, asker: Asker, now: number): Promise<boolean> {
  return prove(project, asker, now).then(
    () => true,
    () => false,
  )
}

/** Who is at the other end of a connection, by a file that only the asker was told to open; see server/socket.ts. */
export async function askerAt(
  file: FileHandle | undefined,
  claim: { pid: number; descriptor: number } | undefined,
): Promise<Asker> {
  if (file === undefined || !(await holdsOpen(claim?.pid, claim?.descriptor, file))) return 'unknown'
  return { pid: claim?.pid ?? 0 }
}

/** When the first worker of this project began of which something may be left; null: nothing outlives its run. */
async function firstStray(sandbox: Project['config']['sandbox'], dataDir: string, now: number): Promise<number | null> {
  if (sandbox.mode !== 'off' && endsAll((await findSandbox(sandbox)).kind)) return null
  const runs = join(dataDir, 'runs')
  const names = await readdir(runs).catch(() => [])
  const times = await Promise.all(names.map((name) => startOf(join(runs, name))))
  // Nothing outlives a restart of the machine.
  const booted = now - uptime() * 1000
  const since = times.filter((at) => at > booted && Number.isFinite(at))
  return since.length === 0 ? null : Math.min(...since)
}

/** One that is removed meanwhile was not the first. */
async function startOf(dir: string): Promise<number> {
  const found = await stat(dir).catch(() => null)
  if (found === null) return Number.POSITIVE_INFINITY
  // Not every file system knows when something was made.
  return found.birthtimeMs > 0 ? found.birthtimeMs : Math.min(found.mtimeMs, found.ctimeMs)
}
