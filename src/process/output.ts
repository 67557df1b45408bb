/**
 * The one pipe that a worker's stdout and stderr share. A named pipe rather than the socket pair that Node makes: a
 * program cannot open /dev/stderr or /dev/stdout when that is a socket, and many scripts do.
 */
import type { ChildProcess } from 'node:child_process'
import { closeSync, constants, openSync, rmSync } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { childEnvironment } from './environment.ts'
import { runToEnd } from './run.ts'

export interface OutputPipe {
  /** What the child gets as its stdout. */
  stdout: number | 'pipe'
  /** To be called once, after the start: what comes out of the child. */
  readable(child: ChildProcess): Readable
  /** Instead, if nothing was started. */
  discard(): void
}

/** On a file system without named pipes it is Node's own. */
export async function openOutput(dir: string): Promise<OutputPipe> {
  const path = join(dir, 'output.fifo')
  try {
    const made = await runToEnd({ command: ['mkfifo', '-m', '600', path], cwd: dir, env: childEnvironment() })
    if (made.code !== 0) return nodePipe()
  } catch {
    return nodePipe()
  }
  try {
    // The reading end first, without waiting for a writer; then the writing end opens at once.
    const reading = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const writing = openSync(path, constants.O_WRONLY)
    return {
      stdout: writing,
      readable() {
        // Only the child may hold the writing end, or its end would not be seen.
        closeSync(writing)
        return new Socket({ fd: reading, readable: true, writable: false })
      },
      discard() {
        closeSync(writing)
        closeSync(reading)
      },
    }
  } finally {
    rmSync(path, { force: true })
  }
}

function nodePipe(): OutputPipe {
  return {
    stdout: 'pipe',
    readable(child) {
      if (child.stdout === null) throw new Error('assertion failed: the child was started with a pipe')
      return child.stdout
    },
    discard() {},
  }
}
