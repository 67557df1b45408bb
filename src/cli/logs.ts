/**
 * muster logs: the output of a run or, for an agent program, what it did. Made safe for the terminal, unless the raw
 * bytes are wanted.
 */
import { runningEngine } from '../app.ts'
import type { ProjectConfig } from '../domain/config.ts'
import { MusterError } from '../domain/errors.ts'
import { unknownWord } from '../domain/problem.ts'
import type { TaskSpec } from '../domain/task/task.ts'
import { endOf, toRead } from '../engine/jobs/run-log.ts'
import { runView } from '../engine/views/run-view.ts'
import type { RunRecord, Store } from '../ports/store.ts'
import type { Place } from '../project.ts'
import { forDisplay } from '../domain/display.ts'
import { runLog } from '../run-logs.ts'
import type { Io } from './io.ts'
import { printJson } from './io.ts'
import { reading, requireTask } from './session.ts'
import { setupsNow, setupText } from './status.ts'

export async function logs(io: Io, [wanted = '']: string[], options: Record<string, unknown>): Promise<void> {
  await reading(io, async (store, place) => {
    const { spec } = await requireTask(store, wanted)
    const run = await pick(store, spec.id, typeof options['run'] === 'string' ? options['run'] : null)
    const service = typeof options['service'] === 'string' ? options['service'] : undefined
    const log = await logOf(run, spec, service, store, place)
    if (options['json'] === true) return printWhole(io, run, log)
    const end = run.end === null ? '' : `, ${run.end.verdict} (${run.end.exit})`
    io.say(`${run.id}: ${run.kind} ${run.name}, attempt ${run.attempt}${end}\n`)
    if (run.end === null) for (const one of await setupsNow(place)) io.say(`${setupText(one)}\n`)
    const display = options['raw'] === true ? RAW : readable(io, log)
    const alone = await (options['follow'] === true && run.end === null
      ? followed(run, store, log, place, io.abort, display.show)
      : log.read().then(display.show))
    await display.end?.()
    if (alone === true)
      throw new MusterError('failed', `${run.id} has not ended, but no muster is at work on it`, {
        hint: 'muster run continues with it',
      })
  })
}

type Log = ReturnType<typeof runLog>

/** The log of a run, or of a service that it asked for; what is asked for has to be there. */
async function logOf(
  run: RunRecord,
  { id, configHash }: TaskSpec,
  service: string | undefined,
  store: Store,
  place: Place,
): Promise<Log> {
  const config = JSON.parse((await store.config(configHash)) ?? '{}') as Partial<ProjectConfig>
  const services = Object.keys(config.services ?? {})
  if (service !== undefined && !services.includes(service)) {
    const hint = `muster logs ${id} shows the output of the run itself`
    throw new MusterError('not_found', unknownWord('service', service, services), { hint })
  }
  const log = runLog(place, run.id, run.kind === 'agent' ? config.agents?.[run.name] : undefined, service)
  if (run.end === null || log.exists()) return log
  throw new MusterError('not_found', `the log of ${run.id} was removed because of its age`, {
    hint: `muster show ${id} has its result; retention in muster.yaml says how long logs are kept`,
  })
}

async function printWhole(io: Io, run: RunRecord, log: Log): Promise<void> {
  const text = await log.read()
  const timeline = log.timeline()
  const lines = timeline === null ? null : [...timeline.add(text), ...timeline.rest()].map((entry) => entry.text)
  printJson(io, { task: run.taskId, run: runView(run), log: text.toString('utf8'), timeline: lines })
}

/** How a log reaches the terminal: chunk after chunk, and what can only be told once there is no more. */
interface Display {
  show: (chunk: Buffer) => void
  end?: () => Promise<void>
}

const RAW: Display = { show: (chunk) => void process.stdout.write(chunk) }

/** A program's stream as what the program did, any other log as its text. */
function readable(io: Io, log: Log): Display {
  const timeline = log.timeline()
  const safe = (text: string) => forDisplay(text, { colours: io.color })
  if (timeline === null) {
    // Characters and escape sequences may be cut by chunks: only whole lines are shown, the rest waits.
    const decoder = new TextDecoder()
    return { show: (chunk) => io.out(safe(decoder.decode(chunk, { stream: true }))) }
  }
  const tell = (entries: readonly { text: string }[]) => {
    for (const { text } of entries) io.out(`${safe(text)}\n`)
  }
  return {
    show: (chunk) => tell(timeline.add(chunk)),
    async end() {
      tell(timeline.rest())
      const errors = await log.errors()
      if (errors.trim() !== '') tell([{ text: '' }, { text: 'stderr:' }, { text: errors }])
    },
  }
}

/** True if the muster that ran it is gone, and has not seen its end. */
async function followed(
  run: RunRecord,
  store: Store,
  log: Log,
  place: Place,
  abort: AbortSignal,
  show: (chunk: Buffer) => void,
): Promise<boolean> {
  const { ended, onEvent, check } = endOf(run, store)
  const engine = await runningEngine(place)
  const left = engine?.gone ?? AbortSignal.abort()
  try {
    // One that ends meanwhile is gone, and says so itself.
    await engine?.follow(onEvent).catch(() => undefined)
    await check()
    await log.follow(abort, show, AbortSignal.any([ended, left]))
    await check()
    return !ended.aborted && !abort.aborted
  } finally {
    engine?.close()
  }
}

async function pick(store: Store, task: string, wanted: string | null): Promise<RunRecord> {
  const runs = (await store.runs(task)).filter((run) => run.kind !== 'action')
  const run = wanted === null ? toRead(runs) : runs.find(({ id }) => id === wanted || id.endsWith(`.${wanted}`))
  if (run !== undefined) return run
  const known = runs.map(({ id }) => id).join(', ')
  const what = wanted === null ? `${task} has not run yet` : `${task} has no run "${wanted}"`
  throw new MusterError('not_found', known === '' ? what : `${what} (runs: ${known})`, {
    hint: `muster explain ${task}`,
  })
}
