/** The folder of a project's data: who owns it, and whether its disk is reliable enough. */
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { rm, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { MusterError } from './domain/errors.ts'
import { writeDurably } from './durable.ts'
import { toolEnvironment } from './process/environment.ts'
import { runToEnd } from './process/run.ts'
import { makeFolder } from './project.ts'
import { ASK_FOR_LOCK, takeLock } from './store/lock.ts'

const ELSEWHERE = 'set MUSTER_HOME to a folder on a local disk'

/** By the number that Linux tells of a file system. Their locks hold on one machine at best, and a sync may promise too much. */
const NETWORK: Readonly<Record<number, string>> = {
  0x6969: 'NFS',
  0x517b: 'SMB',
  0xff534d42: 'CIFS',
  0xfe534d42: 'SMB',
  0x01021997: '9P',
  0x00c36400: 'Ceph',
  0x5346414f: 'AFS',
}

/** Makes it if it is not there. What others own, or nobody can write to, is refused before anything is begun in it. */
export function requireFolder(dir: string): void {
  makeFolder(dir)
  requireUsable(dir)
}

/** The same without a trace: what is not there yet is judged by the folder that it would be made in, which is returned. */
export function lookAtFolder(dir: string): string {
  let nearest = dir
  while (!existsSync(nearest)) nearest = dirname(nearest)
  if (nearest === dir) requireUsable(dir)
  else requireWritable(nearest)
  return nearest
}

function requireUsable(dir: string): void {
  const { uid } = statSync(dir)
  const own = process.getuid?.() ?? uid
  if (uid !== own) {
    throw new MusterError('storage', `${dir} belongs to another user (${uid}, you are ${own})`, {
      hint: 'start muster as that user, or set MUSTER_HOME to a folder of yours',
    })
  }
  requireWritable(dir)
}

function requireWritable(dir: string): void {
  try {
    if (!statSync(dir).isDirectory()) throw new Error('it is not a folder')
    accessSync(dir, constants.W_OK)
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    const why = code === 'EROFS' ? 'its disk is read-only' : code === 'EACCES' ? 'you have no permission' : message
    throw new MusterError('storage', `Muster cannot write to ${dir}: ${why}`, {
      hint: 'set MUSTER_HOME to a folder that you can write to',
      cause,
    })
  }
}

const askTimeoutMs = 10_000

/** Tries what Muster relies on: that a lock keeps another process away, and that a file can be synced. Nothing is left there. */
export async function requireDisk(dir: string): Promise<void> {
  const file = join(dir, `.disk-${process.pid}`)
  const refuse = (what: string): never => {
    throw new MusterError('storage', `Muster cannot use the disk of ${dir}: ${what}`, { hint: ELSEWHERE })
  }
  const lock = takeLock(file) ?? refuse('it does not support locks')
  try {
    const command = [process.execPath, '-e', ASK_FOR_LOCK, file]
    const { code } = await runToEnd({ command, cwd: dir, env: toolEnvironment(), timeoutMs: askTimeoutMs })
    if (code === 0) refuse('its locks do not work')
    await writeDurably(file, {}).catch((error: NodeJS.ErrnoException) => refuse(`it cannot sync files (${error.code})`))
  } finally {
    lock.release()
    await rm(file, { force: true })
  }
}

/** What somebody should know of the disk that holds it, or will; null: nothing. */
export async function diskNote(dir: string): Promise<string | null> {
  const { type } = await statfs(dir)
  const name = networkName(type)
  if (name === null) return null
  return `${dir} is on a network file system (${name}): use it from one machine at a time. Better: set MUSTER_HOME to a folder on a local disk`
}

/** Null: a disk of this machine, as far as is known. */
export function networkName(type: number): string | null {
  return process.platform === 'linux' ? (NETWORK[type >>> 0] ?? null) : null
}
