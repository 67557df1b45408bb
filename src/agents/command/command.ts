/**
 * The runtime for any program: a shell command that gets its prompt on stdin. Its verdict is in a verdict file, in its
 * exit code or, for a judge, also in its output. It decides nothing; outcome.ts does.
 */
import { createHash } from 'node:crypto'
import type { CommandAgent } from '../../domain/config.ts'
import { assert } from '../../domain/errors.ts'
import { outputChars, outputTailChars } from '../../domain/limits.ts'
import type { RunOutcome, RunRequest, Runtime } from '../../ports/runtime.ts'
import { resolveScripts } from '../../process/command.ts'
import { outputTail, readLog } from '../../process/log-read.ts'
import { filesNamedIn } from '../worker/sandbox-mounts.ts'
import { messageOf, workerRuntime, type WorkerOptions } from '../worker/worker.ts'
import { outcomeOfEnd } from './outcome.ts'
import type { ProcessEnd } from '../../process/record.ts'

export function commandRuntime(options: WorkerOptions): Runtime {
  return workerRuntime(options, {
    launch(request) {
      const { run } = agentOf(request)
      const text = request.resolved === true ? run : resolveScripts(run, request.projectRoot)
      return { command: ['/bin/sh', '-c', text], readable: filesNamedIn(run) }
    },
    async outcome(request, end, left) {
      const output = await outputTail(request.dir, outputChars).catch(
        (error: unknown) => `(no output: ${messageOf(error)})`,
      )
      const agent = agentOf(request)
      const log = request.judge ? await readLog(request.dir).catch(() => null) : null
      const words = agent.verdict === 'file' ? log?.toString() : undefined
      const printed = { output: words ?? '', tail: output.slice(-outputTailChars) }
      return { ...outcomeOfEnd({ ...request, agent }, end, left, printed), output, ...processOf(request, end, log) }
    },
  })
}

/** For those who judge by how the process ended: nothing if it never ran, or had not what it needed. */
function processOf({ judge }: RunRequest, end: ProcessEnd, log: Buffer | null): Pick<RunOutcome, 'process'> {
  const never = end.error !== undefined || end.refused === true
  if (!judge || never || end.met !== undefined || end.service !== undefined) return {}
  const logDigest = log === null ? null : createHash('sha256').update(log).digest('hex')
  const { code, signal, timedOut } = end
  return { process: { code, signal, timedOut, logDigest, log } }
}

function agentOf({ agent }: RunRequest): CommandAgent {
  assert(agent.runtime === 'command', `a command agent, not ${agent.runtime}`)
  return agent
}
