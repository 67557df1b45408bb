/**
 * Puts a disk with a fault of its own under a whole process: `node --import` this before Muster, with the fault's name in
 * MUSTER_TEST_DISK. What the system itself would answer there is answered here.
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { devNull } from 'node:os'
import { DatabaseSync } from 'node:sqlite'

export type DiskFault = 'nfs' | 'no-sync' | 'locks-lie' | 'no-locks'

const fault = process.env['MUSTER_TEST_DISK'] as DiskFault
const NFS = 0x6969

if (fault === 'nfs') {
  const { statfs } = fs.promises
  fs.promises.statfs = (async (path: string) => Object.assign(await statfs(path), { type: NFS })) as typeof statfs
  syncBuiltinESMExports()
}

if (fault === 'no-sync') {
  const file = await fs.promises.open(devNull)
  const handle = Object.getPrototypeOf(file) as { sync(): Promise<void> }
  await file.close()
  const refused = { errno: -22, code: 'EINVAL', syscall: 'fsync' }
  handle.sync = () => Promise.reject(Object.assign(new Error('EINVAL: invalid argument, fsync'), refused))
}

if (fault === 'locks-lie' || fault === 'no-locks') {
  const { exec } = DatabaseSync.prototype
  DatabaseSync.prototype.exec = function (this: DatabaseSync, text: string) {
    if (text !== 'BEGIN EXCLUSIVE') return exec.call(this, text)
    // What SQLite makes of ENOLCK.
    if (fault === 'no-locks') throw Object.assign(new Error('database is locked'), { errcode: 5 })
  }
}
