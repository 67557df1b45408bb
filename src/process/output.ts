/**
 * The one pipe that a worker's stdout and stderr share. It is a named pipe instead of the socket pair that Node makes,
 * because a program cannot open /dev/stderr or /dev/stdout if that is a socket, and many scripts do.
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

/** Made by one command: to start one takes as long as to start a worker. */
const madeAtOnce = 8

interface Ends {
  reading: number
  writing: number
}

/** Pipes that nobody has had yet. Their names are gone already, so nothing stays behind whatever ends this process. */
const stock: Ends[] = []

/** On a file system without named pipes it is Node's own. */
export async function openOutput(dir: string): Promise<OutputPipe> {
  if (stock.length === 0) stock.push(...(await makePipes(dir)))
  const ends = stock.pop()
  if (ends === undefined) return nodePipe()
  const { reading, writing } = ends
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
}

/** As many as can be had: none on a file system without them, fewer where descriptors are short. */
async function makePipes(dir: string): Promise<Ends[]> {
  const paths = Array.from({ length: madeAtOnce }, (_, index) => join(dir, `output-${index}.fifo`))
  const made: Ends[] = []
  try {
    const { code } = await runToEnd({ command: ['mkfifo', '-m', '600', ...paths], cwd: dir, env: childEnvironment() })
    if (code === 0) for (const path of paths) made.push(openEnds(path))
  } catch {
    // As said.
  } finally {
    for (const path of paths) rmSync(path, { force: true })
  }
  return made
}

/** The reading end first, without waiting for a writer; then the writing end opens at once. */
function openEnds(path: string): Ends {
  const reading = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  return { reading, writing: openSync(path, constants.O_WRONLY) }
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
