/** muster mcp: tools for an agent program, over stdin and stdout. Muster hands it to the judges that it runs. */
import { dirname, resolve } from 'node:path'
import { MusterError } from '../domain/errors.ts'
import { serveJudge } from '../mcp/judge.ts'
import { version } from '../version.ts'
import type { Io } from './io.ts'

export async function mcp(io: Io, _args: string[], options: Record<string, unknown>): Promise<void> {
  const verdict = io.env['MUSTER_VERDICT_FILE']
  const dir = typeof options['dir'] === 'string' ? options['dir'] : verdict === undefined ? null : dirname(verdict)
  if (dir === null) {
    throw new MusterError('usage', 'muster mcp does not know which run it is for', {
      hint: 'run it in the environment of a judge that Muster started, or name the folder of its run with --dir',
    })
  }
  await serveJudge(resolve(io.cwd, dir), version, process.stdin.setEncoding('utf8'), (text) => io.out(text))
}
