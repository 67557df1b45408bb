/** The command line in the process of the test: its words, its exit code and what it says, without a start. */
import { paintWith } from '../../src/cli/io.ts'
import { main } from '../../src/cli/program.ts'
import type { Result } from './muster.ts'

export async function inside(args: string[], cwd: string, env: NodeJS.ProcessEnv): Promise<Result> {
  let [stdout, stderr] = ['', '']
  const code = await main(args, {
    cwd,
    env,
    out: (text) => void (stdout += text),
    say: (text) => void (stderr += text),
    live: false,
    columns: 100,
    asks: false,
    color: false,
    paint: paintWith(false),
    abort: new AbortController().signal,
  })
  return resultOf(code, null, stdout, stderr)
}

export function resultOf(code: number | null, signal: string | null, stdout: string, stderr: string): Result {
  return { code, signal, stdout, stderr, json: <T>() => JSON.parse(stdout) as T }
}
