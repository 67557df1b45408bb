/**
 * A process that outlives Muster. It writes its own pid file before it begins and its own exit record when it ends, so
 * that a later Muster can tell what happened to it. Its output goes straight to the run's log.
 */
import { spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync, statSync, watch } from 'node:fs'
import { join } from 'node:path'
import { killGraceMs } from '../domain/limits.ts'
import { groupLives, groupMembers, signalGroup } from './group.ts'
import { headFile } from './log.ts'
import { bootId, hasStarted, pidFile, readPidFile, startWrapper } from './record.ts'

interface DetachedSpec {
  dir: string
  cwd: string
  /** A shell command. */
  run: string
  env: Record<string, string>
}

/** `lost`: it is gone and told nobody how it ended. */
type DetachedState = 'missing' | 'running' | 'lost' | { code: number }

const codeFile = (dir: string): string => join(dir, 'exit-code')

/** All of the record or nothing: it is renamed into place. */
const record = `sh -c "$1"
code=$?
printf '%s\\n' "$code" >"$2.$$.tmp" && sync "$2.$$.tmp" 2>/dev/null
mv "$2.$$.tmp" "$2"
exit "$code"`

/** Starts it unless it was started before; says nothing about how it ends: ask `detachedState`. */
export function startDetached({ dir, cwd, run, env }: DetachedSpec): Promise<void> {
  if (hasStarted(dir)) return Promise.resolve()
  const log = openSync(headFile(dir), 'a', 0o600)
  const command = ['/bin/sh', '-c', record, 'sh', run, codeFile(dir)]
  const child = spawn('/bin/sh', ['-c', startWrapper(), 'sh', pidFile(dir), ...command], {
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

function detachedState(dir: string): DetachedState {
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
    return Number.isInteger(code) ? code : null
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

/** False if nobody was there to be told. */
function stopDetached(dir: string, signal: 'SIGTERM' | 'SIGKILL'): boolean {
  const identity = readPidFile(dir)
  if (identity === null || !isAlive(dir)) return false
  signalGroup(identity.pid, signal)
  return true
}

export interface DetachedEnd {
  state: Exclude<DetachedState, 'running' | 'missing'>
  /** `late`: its time was over. `stopped`: somebody ended it. */
  ending: 'no' | 'stopped' | 'late'
}

interface DetachedProcess {
  /** Null if it was let go on by itself. */
  ended: Promise<DetachedEnd | null>
  stop(): void
  detach(): void
}

/** A process that is killed from outside leaves no file, and no event for whoever did not start it. */
const lookMs = 500

/** Sees one through that was started, now or by an earlier Muster. Its time counts from its own start. */
export function followDetached(dir: string, timeoutMs: number): DetachedProcess {
  let ending: DetachedEnd['ending'] = 'no'
  let told = false
  let hard: NodeJS.Timeout | undefined
  const { promise: ended, resolve: done } = Promise.withResolvers<DetachedEnd | null>()
  const poll = (): void => {
    const state = detachedState(dir)
    if (state !== 'running' && state !== 'missing') return over({ state, ending })
    // It was to end before it had said who it is.
    if (ending !== 'no') told ||= stopDetached(dir, 'SIGTERM')
  }
  const over = (end: DetachedEnd | null): void => {
    watcher.close()
    clearInterval(timer)
    clearTimeout(late)
    clearTimeout(hard)
    done(end)
  }
  const end = (why: 'stopped' | 'late'): void => {
    if (ending === 'no') ending = why
    told = stopDetached(dir, 'SIGTERM')
    hard ??= setTimeout(() => {
      stopDetached(dir, 'SIGKILL')
      // Nobody can tell who it is, or whether it ever began.
      if (readPidFile(dir) === null) over({ state: 'lost', ending })
    }, killGraceMs)
  }
  const watcher = watch(dir, poll)
  watcher.on('error', () => {})
  const timer = setInterval(poll, lookMs)
  const started = statSync(pidFile(dir), { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
  const late = setTimeout(() => end('late'), Math.max(0, started + timeoutMs - Date.now()))
  poll()
  return { ended, stop: () => end('stopped'), detach: () => over(null) }
}
