/**
 * A process that outlives Muster. It writes its own pid file before it begins and its own exit record when it ends, so that
 * whoever comes later can tell what became of it; its output goes straight to the run's log.
 */
import { spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync, watch } from 'node:fs'
import { join } from 'node:path'
import { groupLives, groupMembers, signalGroup } from './group.ts'
import { headFile } from './log.ts'
import { alreadyStartedCode, bootId, hasStarted, pidFile, readPidFile, startWrapper } from './record.ts'

export interface DetachedSpec {
  dir: string
  cwd: string
  /** A shell command. */
  run: string
  env: Record<string, string>
}

/** `lost`: it is gone and told nobody how it ended. */
export type DetachedState = 'missing' | 'running' | 'lost' | { code: number }

const codeFile = (dir: string): string => join(dir, 'exit-code')

/** All of the record or nothing: it is renamed into place. */
const record = `sh -c "$1"
code=$?
printf '%s\\n' "$code" >"$2.tmp" && sync "$2.tmp" 2>/dev/null
mv "$2.tmp" "$2"
exit "$code"`

/** Starts it unless it was started before; says nothing about how it ends: ask `detachedState`. */
export function startDetached({ dir, cwd, run, env }: DetachedSpec): Promise<void> {
  if (hasStarted(dir)) return Promise.resolve()
  const log = openSync(headFile(dir), 'a', 0o600)
  const command = ['/bin/sh', '-c', record, 'sh', run, codeFile(dir)]
  const child = spawn('/bin/sh', ['-c', startWrapper.together, 'sh', pidFile(dir), ...command], {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('spawn', () => {
      child.unref()
      resolve()
    })
  })
}

export function detachedState(dir: string): DetachedState {
  const code = readCode(dir)
  if (code !== null) return { code }
  if (!existsSync(pidFile(dir))) return 'missing'
  if (isAlive(dir)) return 'running'
  // It may have ended between the two looks.
  const late = readCode(dir)
  return late === null ? 'lost' : { code: late }
}

function readCode(dir: string): number | null {
  try {
    const code = Number.parseInt(readFileSync(codeFile(dir), 'utf8'), 10)
    return Number.isInteger(code) && code !== alreadyStartedCode ? code : null
  } catch {
    return null
  }
}

/** Its group has its pid: a process of the same number from another time is not taken for it. */
function isAlive(dir: string): boolean {
  const identity = readPidFile(dir)
  if (identity === null || (identity.bootId !== null && identity.bootId !== bootId())) return identity === null
  const leader = groupMembers(identity.pid)?.find(({ pid }) => pid === identity.pid)
  if (leader !== undefined && identity.startTime !== null) return leader.startTime === identity.startTime
  return groupLives(identity.pid)
}

export function stopDetached(dir: string, signal: 'SIGTERM' | 'SIGKILL'): void {
  const identity = readPidFile(dir)
  if (identity !== null && isAlive(dir)) signalGroup(identity.pid, signal)
}

/** Calls back when something may have changed: a file of its folder, or at the latest after a while. Returns the way to end that. */
export function watchDetached(dir: string, look: () => void): () => void {
  const watcher = watch(dir, look)
  watcher.on('error', () => {})
  // A process that is killed from outside leaves no file, and no event either for whoever did not start it.
  const timer = setInterval(look, 500)
  return () => {
    watcher.close()
    clearInterval(timer)
  }
}
