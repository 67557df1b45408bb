/** muster serve: works on all open tasks and serves the board and the HTTP API, until somebody ends it. */
import { MusterError } from '../domain/errors.ts'
import { openProject } from '../project.ts'
import { serve } from '../serve.ts'
import { checkBefore } from './before.ts'
import type { Io } from './io.ts'
import { watchProgress } from './progress.ts'
import { person, refuseInsideTask } from './session.ts'
import { STOPPING, closeOnSignal } from './signals.ts'

export async function serveCommand(io: Io, _: string[], options: Record<string, unknown>): Promise<number> {
  refuseInsideTask(io, 'muster serve')
  const port = Number(options['port'])
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new MusterError('usage', `--port ${String(options['port'])} is not a port`, {
      hint: 'muster serve --port 4747',
    })
  }
  const project = await openProject(io.cwd, io.env)
  await checkBefore(io, project)
  const serving = await serve(project, io.env, { host: String(options['host']), port, by: person(io) })
  const { url, link, tokenFile, engine } = serving
  const signals = closeOnSignal(io.say, STOPPING, (now) => serving.close(now))
  const progress = watchProgress(io)
  try {
    await engine.follow((event) => progress.onEvent(event))
    if (options['json'] === true) io.out(`${JSON.stringify({ url, link, tokenFile, pid: process.pid })}\n`)
    else {
      io.out(`serving at ${url}; the token is in ${tokenFile} (Ctrl-C ends it)\n`)
      io.out(`open the board (the link works once, within ten minutes): ${link}\n`)
    }
    await signals.race(serving.broken)
    return 0
  } finally {
    progress.end()
    await signals.close()
  }
}
