/** Asks the process of the tests (tests.ts), and replaces it when it does not answer in time. */
import type { ChildProcess } from 'node:child_process'
import { fork } from 'node:child_process'
import { delimiter, join } from 'node:path'
import type { Answer, Ask } from './tests.ts'

export type Answered = Answer | 'no answer'

export class Tester {
  readonly #root: string
  readonly #temporary: string
  readonly #sources: readonly string[] | null
  #child: Promise<ChildProcess> | null = null
  #pid: number | undefined

  /** `sources`: the files that get probes, to find out what tests pass through; null for none. */
  constructor(root: string, temporary: string, sources: readonly string[] | null) {
    this.#root = root
    this.#temporary = temporary
    this.#sources = sources
  }

  async ask(ask: Ask, withinMs: number): Promise<Answered> {
    this.#child ??= this.#start()
    const child = await this.#child
    return new Promise((resolve) => {
      const timer = setTimeout(() => end('no answer'), withinMs)
      const end = (answer: Answered) => {
        clearTimeout(timer)
        child.off('message', end)
        child.off('exit', gone)
        if (answer === 'no answer') this.stop()
        resolve(answer)
      }
      const gone = () => end('no answer')
      child.once('message', end)
      child.once('exit', gone)
      child.send(ask)
    })
  }

  /** At once, with everything that it started. */
  stop(): void {
    const pid = this.#pid
    this.#child = null
    this.#pid = undefined
    if (pid === undefined) return
    try {
      process.kill(-pid, 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  }

  #start(): Promise<ChildProcess> {
    return new Promise((resolve, reject) => {
      const args = [this.#root, ...(this.#sources === null ? [] : [JSON.stringify(this.#sources)])]
      const bin = join(this.#root, 'node_modules/.bin')
      const child = fork(join(this.#root, 'bench/mutants/tests.ts'), args, {
        cwd: this.#root,
        detached: true,
        // As npm has it: the projects of the tests run the Node that this one was made for.
        env: { ...process.env, TMPDIR: this.#temporary, PATH: `${bin}${delimiter}${process.env['PATH']}` },
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      })
      this.#pid = child.pid
      child.once('message', () => resolve(child))
      child.once('exit', (code) => reject(new Error(`the tests' process ended with ${code} before it was ready`)))
    })
  }
}
