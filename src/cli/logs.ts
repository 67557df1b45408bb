/** muster logs: what a run printed, made safe for the terminal unless the bytes themselves are wanted. */
import { runLog } from '../app.ts'
import { MusterError } from '../domain/errors.ts'
import { runView } from '../engine/views.ts'
import type { RunRecord, Store } from '../ports/store.ts'
import { forDisplay } from '../domain/display.ts'
import type { Io } from './io.ts'
import { printJson } from './io.ts'
import { reading, requireTask } from './session.ts'

export async function logs(io: Io, [wanted = '']: string[], options: Record<string, unknown>): Promise<void> {
  await reading(io, async (store, place) => {
    const { spec } = await requireTask(store, wanted)
    const run = await pick(store, spec.id, typeof options['run'] === 'string' ? options['run'] : null)
    const log = runLog(place, run.id)
    if (run.end !== null && !log.exists()) {
      throw new MusterError('not_found', `the log of ${run.id} is gone: it was older than it had to be kept`, {
        hint: `muster show ${spec.id} has what it came to; retention in muster.yaml says how long logs are kept`,
      })
    }
    if (options['json'] === true)
      return printJson(io, { task: spec.id, run: runView(run), log: (await log.read()).toString('utf8') })
    const show = options['raw'] === true ? (chunk: Buffer) => void process.stdout.write(chunk) : displayer(io)
    io.say(
      `${run.id}: ${run.kind} ${run.name}, attempt ${run.attempt}${run.end === null ? '' : `, ${run.end.verdict} (${run.end.exit})`}\n`,
    )
    if (options['follow'] === true && run.end === null) await log.follow(io.abort, show)
    else show(await log.read())
  })
}

/** Characters and escape sequences may be cut by chunks: only whole lines are shown, the rest waits. */
function displayer(io: Io): (chunk: Buffer) => void {
  const decoder = new TextDecoder()
  return (chunk) => io.out(forDisplay(decoder.decode(chunk, { stream: true }), { colours: io.color }))
}

async function pick(store: Store, task: string, wanted: string | null): Promise<RunRecord> {
  const runs = (await store.runs(task)).filter((run) => run.kind !== 'action')
  const run = wanted === null ? runs.at(-1) : runs.find(({ id }) => id === wanted || id.endsWith(`.${wanted}`))
  if (run !== undefined) return run
  const known = runs.map(({ id }) => id).join(', ')
  const what = wanted === null ? `${task} has not run yet` : `${task} has no run "${wanted}"`
  throw new MusterError('not_found', known === '' ? what : `${what} (runs: ${known})`, {
    hint: `muster explain ${task}`,
  })
}
