/**
 * muster mcp: tools for an agent program, over stdin and stdout. Without a role, those for a person's own program; with
 * `--role judge`, those for a judge that Muster runs. Judges wait for this server to start, so it loads nothing else
 * for them.
 */
import { dirname, resolve } from 'node:path'
import { MusterError } from '../domain/errors.ts'
import { version } from '../version.ts'
import type { Io } from './io.ts'

export async function mcp(io: Io, _args: string[], options: Record<string, unknown>): Promise<void> {
  const { role, dir } = options
  const input = process.stdin.setEncoding('utf8')
  if (role === 'judge') {
    const { serveJudge } = await import('../mcp/judge.ts')
    return serveJudge(runDir(io, dir), version, input, (text) => io.out(text))
  }
  if (dir !== undefined) throw new MusterError('usage', '--dir only works with --role judge', { hint: 'muster mcp' })
  const { servePeople } = await import('./mcp-people.ts')
  return servePeople(io, input)
}

/** The folder of the run that the judge's tools are for. */
function runDir(io: Io, given: unknown): string {
  const verdict = io.env['MUSTER_VERDICT_FILE']
  const dir = typeof given === 'string' ? given : verdict === undefined ? null : dirname(verdict)
  if (dir !== null) return resolve(io.cwd, dir)
  throw new MusterError('usage', 'muster mcp cannot tell which run it serves', {
    hint: 'run it in the environment of a judge that Muster started, or pass the folder of its run with --dir',
  })
}
