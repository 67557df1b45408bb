/**
 * Runs a short helper command, such as git, to its end. To start a process, the kernel copies the page tables of the
 * one that asks and blocks it meanwhile, which takes ten times as long for a large process. So after the first few
 * commands a small process beside this one starts them (launcher.ts).
 */
import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { MusterError } from '../domain/errors.ts'
import { toolEnvironment } from './environment.ts'
import type { Answer, LaunchRequest } from './launcher.ts'
import { runHere, type RunOptions, type RunResult } from './run-here.ts'

export type { RunResult } from './run-here.ts'

/** A command that starts no more than these ends before a second process would pay off. */
const runsHere = 48

let runs = 0
let launcher: Launcher | null = null

/** Rejects with `failed` only if the command cannot be started at all; how it ended is for the caller to judge. */
export function runToEnd(options: RunOptions): Promise<RunResult> {
  runs += 1
  if (runs > runsHere) launcher ??= new Launcher(replaced)
  // What may be ended early is started where that can be heard of.
  if (options.signal !== undefined || launcher?.ready !== true) return runHere(options)
  return launcher.run(options)
}

/** One that was killed has a successor; where none can begin, none is tried again. */
function replaced(begun: boolean): void {
  launcher = null
  if (!begun) runs = Number.NEGATIVE_INFINITY
}

class Launcher {
  ready = false
  #child: ChildProcess
  #waiting = new Map<number, PromiseWithResolvers<RunResult>>()
  #asked = 0

  constructor(onEnd: (begun: boolean) => void) {
    this.#child = fork(program(), [], {
      cwd: '/',
      env: { PATH: toolEnvironment().PATH },
      execArgv: [],
      serialization: 'advanced',
      // What is typed in our terminal is not for it.
      detached: true,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    const end = (): void => {
      onEnd(this.ready)
      this.ready = false
      for (const { resolve } of this.#waiting.values()) resolve(KILLED)
      this.#waiting.clear()
    }
    this.#child.on('message', (answer: Answer | 'ready') => this.#take(answer))
    this.#child.on('error', end)
    this.#child.on('exit', end)
    this.#child.unref()
    this.#child.channel?.unref()
  }

  run(options: RunOptions): Promise<RunResult> {
    const id = (this.#asked += 1)
    const waiting = Promise.withResolvers<RunResult>()
    this.#waiting.set(id, waiting)
    // While somebody waits, there is a reason to stay.
    this.#child.channel?.ref()
    // If it cannot be told, it is gone, and its end answers.
    this.#child.send({ id, options } satisfies LaunchRequest, () => {})
    return waiting.promise
  }

  #take(answer: Answer | 'ready'): void {
    if (answer === 'ready') {
      this.ready = true
      return
    }
    const waiting = this.#waiting.get(answer.id)
    this.#waiting.delete(answer.id)
    if (this.#waiting.size === 0) this.#child.channel?.unref()
    if ('result' in answer) waiting?.resolve(answer.result)
    else waiting?.reject(new MusterError('failed', answer.notStarted))
  }
}

/** What is told of commands whose launcher was killed: nobody saw how they ended. */
const KILLED: RunResult = {
  code: null,
  signal: 'SIGKILL',
  stdout: Buffer.alloc(0),
  stderr: 'the Muster process that started it was killed',
  timedOut: false,
  overflowed: false,
}

/** Beside the bundle, or in the sources. */
function program(): string {
  return fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? './launcher.ts' : './launcher.js', import.meta.url))
}
