/** The folder of a project's data: whose it is, and whether its disk can be trusted with it. */
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { MusterError } from './domain/errors.ts'
import { makeFolder } from './project.ts'

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
    if (!statSync(dir).isDirectory()) throw new Error('it is no folder')
    accessSync(dir, constants.W_OK)
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    const why = code === 'EROFS' ? 'its disk is read-only' : code === 'EACCES' ? 'you may not' : message
    throw new MusterError('storage', `nothing can be written in ${dir}: ${why}`, {
      hint: 'set MUSTER_HOME to a folder of yours that can be written to',
      cause,
    })
  }
}

/** What somebody should know of the disk that holds it, or will; null: nothing. */
export async function diskNote(dir: string): Promise<string | null> {
  const { type } = await statfs(dir)
  const name = networkName(type)
  if (name === null) return null
  return `${dir} is on a network file system (${name}): use it from one machine at a time, and better set MUSTER_HOME to a folder on a disk of this one`
}

/** Null: a disk of this machine, as far as is known. */
export function networkName(type: number): string | null {
  return process.platform === 'linux' ? (NETWORK[type >>> 0] ?? null) : null
}
