/** Starts programs for the zoo: bounded in time, with an environment of their own. */
import { spawnSync } from 'node:child_process'

export interface Ended {
  code: number | null
  stdout: string
  stderr: string
  ms: number
}

const outputBytesMax = 256 * 1024 * 1024

/** `home`: where programs keep what they keep, so that nothing of the user's is read or written. */
export function run(words: readonly string[], cwd: string, home: string, minutes = 15): Ended {
  const [program = '', ...args] = words
  const begun = performance.now()
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    MUSTER_HOME: `${home}/muster`,
    LANG: 'C.UTF-8',
    CI: 'true',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'Zoo',
    GIT_AUTHOR_EMAIL: 'zoo@muster.invalid',
    GIT_COMMITTER_NAME: 'Zoo',
    GIT_COMMITTER_EMAIL: 'zoo@muster.invalid',
  }
  const ended = spawnSync(program, args, {
    cwd,
    env,
    encoding: 'utf8',
    timeout: minutes * 60_000,
    killSignal: 'SIGKILL',
    maxBuffer: outputBytesMax,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return { code: ended.status, stdout: ended.stdout, stderr: ended.stderr, ms: performance.now() - begun }
}

/** The output of a command that must work. */
export function must(words: readonly string[], cwd: string, home: string): string {
  const { code, stdout, stderr } = run(words, cwd, home)
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}: ${stderr.trim().split('\n').at(-1) ?? ''}`)
  return stdout
}
