/** Attempts (runs): the output of each, whole or as it grows, and its prompt. */
import type { TimelineEntry } from '../../../domain/agent-event.ts'
import { forDisplay } from '../../../domain/display.ts'
import { MusterError } from '../../../domain/errors.ts'
import type { RunLog } from '../../../engine/jobs/run-log.ts'
import { endOf, logReader } from '../../../engine/jobs/run-log.ts'
import type { RunRecord } from '../../../ports/store.ts'
import { logQuery } from '../requests.ts'
import type { Answer, RequestParts } from '../route.ts'
import { route } from '../route.ts'
import type { HttpService } from '../service.ts'
import { message } from '../streams.ts'

async function requireRun({ store }: HttpService, id: string): Promise<RunRecord> {
  const run = await store.run(id)
  if (run !== null) return run
  throw new MusterError('not_found', `there is no attempt "${id}"`, { hint: 'GET /api/tasks/{id}/attempts lists them' })
}

/** Of a command's output, what is shown beside what it came to. */
const excerptChars = 4000
/** Of one entry of a timeline; the raw log has it whole. */
const entryCharsMax = 20_000

function gone(what: string): MusterError {
  return new MusterError('not_found', what, { hint: 'retention in muster.yaml says how long logs are kept' })
}

const safeEntries = (entries: readonly TimelineEntry[]) =>
  entries.map((entry) => ({ ...entry, text: forDisplay(entry.text.slice(0, entryCharsMax), { colours: false }) }))

async function follow(
  run: RunRecord,
  log: RunLog,
  how: { raw: boolean; entries: boolean },
  asked: RequestParts<unknown, unknown>,
): Promise<Answer> {
  const { service, streams, outgoing } = asked
  const stream = streams.begin(outgoing)
  const timeline = how.entries && !how.raw ? log.timeline() : null
  const reader = timeline ?? logReader(log, how.raw)
  const tell = (read: string | TimelineEntry[]) => {
    if (read.length === 0) return
    stream.send(message(typeof read === 'string' ? { text: read } : { entries: safeEntries(read) }))
  }
  const work = async () => {
    const { ended, onEvent, check } = endOf(run, service.store)
    stream.gone.addEventListener('abort', service.subscribe(onEvent))
    await check()
    const give = async (chunk: Buffer) => {
      tell(reader.add(chunk))
      await stream.drained()
    }
    await log.follow(stream.gone, give, ended)
    tell(reader.rest())
    stream.send(message({}, { event: 'end' }))
    stream.end()
  }
  work().catch((error: unknown) => {
    service.emit({ type: 'http-failed', error: String(error) })
    stream.end()
  })
  return 'streamed'
}

export const attemptRoutes = [
  route({
    method: 'GET',
    path: '/api/attempts/{id}/log',
    name: 'attemptLog',
    summary: 'The output of a run; with Accept: text/event-stream, followed until the run ends',
    query: logQuery,
    answers: { 200: 'text/plain' },
    problems: ['not_found'],
    stream: 'asked',
    async handle(asked) {
      const { service, id, query, incoming } = asked
      const { raw = false, timeline = false, offset, part } = query
      const run = await requireRun(service, id)
      const log = await service.log(run)
      if (run.end !== null && !log.exists()) throw gone(`the log of ${run.id} was removed`)
      if (/\btext\/event-stream\b/.test(incoming.headers.accept ?? ''))
        return follow(run, log, { raw, entries: timeline }, asked)
      if (part !== undefined) return { text: await log.tail(part, excerptChars) }
      const bytes = await log.read()
      const reader = logReader(log, raw)
      const all = raw ? bytes : Buffer.from(reader.add(bytes) + reader.rest())
      return { text: all.subarray(offset), headers: { 'Muster-Next-Offset': String(all.length) } }
    },
  }),
  route({
    method: 'GET',
    path: '/api/attempts/{id}/prompt',
    name: 'attemptPrompt',
    summary: 'The prompt of a run',
    answers: { 200: 'text/plain' },
    problems: ['not_found'],
    async handle({ service, id }) {
      const run = await requireRun(service, id)
      const text = run.kind === 'agent' ? await service.prompt(run.id) : null
      if (text === null) throw gone(`${run.id} has no prompt: it is not an agent's run, or the prompt was removed`)
      return { text }
    },
  }),
]
