/**
 * Where most tests put their repositories: in memory, when the machine has such a folder with room in it. Thousands of
 * small files come and go in a run, and a disk is most of what they cost. The soak stays on the disk.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
const roomBytesMin = 1024 ** 3

/** The folder for temporary files of this run: known before it is made, so that the configuration can name it. */
export const memory: string = isFit() ? join(MEMORY, `muster-test-${process.pid}`) : tmpdir()

/** Makes it; gives what removes it again. */
export function makeMemory(): () => void {
  if (memory === tmpdir()) return () => undefined
  mkdirSync(memory)
  return () => rmSync(memory, { recursive: true, force: true })
}

function isFit(): boolean {
  if (process.env['MUSTER_SOAK'] !== undefined || process.env['TMPDIR'] !== undefined) return false
  const probe = join(MEMORY, `muster-test-probe-${process.pid}`)
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    if (bavail * bsize < roomBytesMin) return false
    // Programs of tests are started there, which some machines do not allow.
    writeFileSync(probe, '#!/bin/sh\n', { mode: 0o755 })
    execFileSync(probe)
    return true
  } catch {
    return false
  } finally {
    rmSync(probe, { force: true })
  }
}
