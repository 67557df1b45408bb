/**
 * The runtime for any program: a shell command that gets its prompt on stdin and says what it came to in a verdict file
 * or by its exit code. Decides nothing itself; outcome.ts does.
 */
import { createHash } from 'node:crypto'
import type { CommandAgent } from '../../domain/config.ts'
import { assert } from '../../domain/errors.ts'
import { outputChars, outputTailChars } from '../../domain/limits.ts'
import type { RunOutcome, RunRequest, Runtime } from '../../ports/runtime.ts'
import { resolveScripts } from '../../process/command.ts'
import { outputTail, readLog } from '../../process/log-read.ts'
import type { End } from '../worker/end.ts'
import { filesNamedIn } from '../worker/surroundings.ts'
import { messageOf, workerRuntime, type WorkerOptions } from '../worker/worker.ts'
import { outcomeOfEnd } from './outcome.ts'

export function commandRuntime(options: WorkerOptions): Runtime {
  return workerRuntime(options, {
    launch(request) {
      const { run } = agentOf(request)
      const text = request.resolved === true ? run : resolveScripts(run, request.projectRoot)
      return { command: ['/bin/sh', '-c', text], readable: filesNamedIn(run) }
    },
    async outcome(request, end, file) {
      const output = await outputTail(request.dir, outputChars).catch(
        (error: unknown) => `(no output: ${messageOf(error)})`,
      )
      const scope = { ...request, agent: agentOf(request) }
      const outcome = outcomeOfEnd(scope, end, file, output.slice(-outputTailChars))
      return { ...outcome, output, ...(await processOf(request, end)) }
    },
  })
}

/** For those who judge by how the process ended: nothing if it never ran. */
async function processOf({ judge, dir }: RunRequest, end: End): Promise<Pick<RunOutcome, 'process'>> {
  if (!judge || end.error !== undefined || end.refused === true) return {}
  const log = await readLog(dir).catch(() => null)
  const logDigest = log === null ? null : createHash('sha256').update(log).digest('hex')
  const { code, signal, timedOut } = end
  return { process: { code, signal, timedOut, logDigest } }
}

function agentOf({ agent }: RunRequest): CommandAgent {
  assert(agent.runtime === 'command', `a command agent, not ${agent.runtime}`)
  return agent
}
