/** What a person sees while tasks run: a live line per task on a terminal, lines with timestamps elsewhere. */
import { shownLimit } from '../engine/loop/rate-limits.ts'
import { formatDuration } from '../domain/duration.ts'
import { sentence } from '../engine/views/explain.ts'
import { describeLimit } from '../domain/task/reasons.ts'
import type { ProbeEvent } from '../ports/probe.ts'
import type { Io } from './io.ts'
import { oneLine } from './io.ts'

interface Progress {
  onEvent(event: ProbeEvent): void
  end(): void
}

/** Events worth a line of their own, with the colour of their news. */
const NEWS: Record<string, 'dim' | 'green' | 'red' | 'yellow' | 'cyan'> = {
  'run-started': 'dim',
  'run-ended': 'dim',
  'phase-entered': 'cyan',
  waiting: 'yellow',
  decision: 'yellow',
  submitted: 'yellow',
  'task-held': 'yellow',
  'task-completed': 'green',
  'task-failed': 'red',
  'task-cancelled': 'red',
  'late-result-ignored': 'dim',
}
const framesPerSecond = 10
const longTrialMs = 60_000

export function watchProgress(io: Io): Progress {
  return io.live ? liveProgress(io) : plainProgress(io)
}

/** Says what it is that takes its time, if it takes longer than a second. */
export async function withWaitMessage<T>(io: Io, what: string, work: Promise<T>): Promise<T> {
  const since = Date.now()
  const timer = setInterval(() => {
    if (io.live) return io.say(`\r${what} … ${formatDuration(Date.now() - since)}\u001B[K`)
    clearInterval(timer)
    io.say(`${what} …\n`)
  }, 1000)
  try {
    return await work
  } finally {
    clearInterval(timer)
    if (io.live && Date.now() - since >= 1000) io.say('\r\u001B[K')
  }
}

/** What is tried now, for how long already, and its last line; without a live terminal only what is tried, and that it lasts. */
export function watchTrying(io: Io): { tell(trying: { what: string; line: string }): void; end(): string } {
  let [now, since] = [{ what: '', line: '' }, 0]
  const draw = () => {
    if (now.what === '') return
    const lasted = Date.now() - since
    const clock = `${formatDuration(lasted)}${io.live && lasted < longTrialMs ? '' : ' (Ctrl-C skips the rest)'}`
    if (!io.live) return io.say(`still running ${now.what}, ${clock}: ${oneLine(now.line, 120)}\n`)
    const head = `running ${now.what} … ${clock}  `
    io.say(`\r${head}${io.paint.dim(oneLine(now.line, Math.max(10, io.columns - head.length - 1)))}\u001B[K`)
  }
  const timer = setInterval(draw, io.live ? 1000 / framesPerSecond : longTrialMs)
  return {
    tell(trying) {
      if (trying.what !== now.what) {
        since = Date.now()
        if (!io.live) io.say(`running ${trying.what} …\n`)
      }
      now = trying
    },
    end() {
      clearInterval(timer)
      if (io.live && now.what !== '') io.say('\r\u001B[K')
      return now.what
    },
  }
}

function plainProgress(io: Io): Progress {
  return {
    onEvent(event) {
      const line = newsLine(event, io)
      if (line !== null) io.say(`${new Date().toISOString().slice(11, 19)} ${line}\n`)
    },
    end: () => undefined,
  }
}

interface Active {
  what: string
  round: string
  since: number
  line: string
  /** A setup is under way: it has a clock of its own. */
  setup: number | null
}

function liveProgress(io: Io): Progress {
  const active = new Map<string, Active>()
  let drawn = 0
  const clear = () => (drawn === 0 ? '' : `\u001B[${drawn}A\u001B[J`)
  const draw = (above: string) => {
    const rows = [...active].slice(0, 20).map(([task, { what, round, since, line, setup }]) => {
      const clock = formatDuration(Math.max(0, Date.now() - (setup ?? since)))
      const head = `  ▸ ${task}  ${setup === null ? what : 'setup'}  round ${round}  ${clock}  `
      return io.paint.cyan(head) + oneLine(line, Math.max(10, io.columns - head.length - 1))
    })
    io.say(clear() + above + rows.map((row) => `${row}\n`).join(''))
    drawn = rows.length
  }
  const timer = setInterval(() => active.size > 0 && draw(''), 1000 / framesPerSecond)
  timer.unref()
  return {
    onEvent(event) {
      const { type, task } = event
      if (type === 'program-limited') return draw(`${newsLine(event, io)}\n`)
      if (type === 'notice') return draw(`\u0007${noticeText(event, io)}\n`)
      if (task === undefined) return
      const current = active.get(task)
      if (type === 'output' && current !== undefined) {
        current.setup = typeof event['setup'] === 'number' ? event['setup'] : null
        current.line = current.setup === null ? String(event['line']) : String(event['line']).replace(/^setup: /, '')
      }
      // What the run itself takes is counted from here.
      if (type === 'setup-ended' && current !== undefined) current.since = Date.now()
      if (type === 'run-started')
        active.set(task, {
          what: String(event['phase']),
          round: String(event['round']),
          since: Date.now(),
          line: '',
          setup: null,
        })
      if (type === 'run-ended' || type === 'task-cancelled') active.delete(task)
      const line = isSmall(event) ? null : newsLine(event, io)
      if (line !== null) draw(`${line}\n`)
    },
    end() {
      clearInterval(timer)
      active.clear()
      draw('')
    },
  }
}

/** What the live lines tell anyway: starts, steps from phase to phase, and landings that went well. */
function isSmall(event: ProbeEvent): boolean {
  const { type } = event
  if (type === 'setup-started' || (type === 'setup-ended' && event['ok'] === true)) return true
  if (type === 'run-started' || type === 'phase-entered') return true
  return type === 'run-ended' && event['kind'] === 'action' && event['outcome'] === 'ADVANCE'
}

/** What a run does about it is in docs/commands.md. */
function limitNews(event: ProbeEvent): string {
  const limit = shownLimit({ program: String(event['program']), until: Number(event['until']) })
  return `${describeLimit(limit)}: tasks that need it wait, the others continue`
}

/** What `notify: terminal` tells, with a bell before it: for a terminal alone. */
function noticeText(event: ProbeEvent, io: Io): string {
  const [text = '', ...more] = (event['lines'] as string[]).map((line) => oneLine(line, Math.max(20, io.columns - 4)))
  return [io.paint.bold(`● ${text}`), ...more.map((line) => `  ${line}`)].join('\n')
}

function newsLine(event: ProbeEvent, io: Io): string | null {
  const { type, task } = event
  if (type === 'program-limited') return io.paint.yellow(limitNews(event))
  if (type === 'worker_crash_detected')
    return io.paint.red(`${task} ${String(event['role'])} ended without writing a verdict`)
  if (type === 'deadlock_detected') {
    const blocked = event['blocked'] as string[]
    return io.paint.red(`${task} did not complete, so these cannot start: ${blocked.slice(0, 10).join(', ')}`)
  }
  if (type === 'publish_refused')
    return io.paint.yellow(`${task} ${String(event['branch'])} was not updated: ${String(event['why'])}`)
  if (type === 'push-refused') return io.paint.yellow(oneLine(sentence(type, event), 500))
  if (type === 'branch_kept')
    return io.paint.yellow(`${String(event['branch'])} was kept although its work has landed: ${String(event['why'])}`)
  if (type === 'setup-started') return io.paint.dim(`${task} setup: ${oneLine(String(event['command']), 120)}`)
  if (type === 'setup-ended') {
    const words = `${task} setup ${event['ok'] === true ? 'done' : 'failed'} after ${formatDuration(Number(event['ms']))}`
    return event['ok'] === true ? io.paint.dim(words) : io.paint.red(words)
  }
  const color = NEWS[type]
  if (color === undefined || task === undefined) return null
  return io.paint[color](`${task} ${oneLine(sentence(type, event), 160)}`)
}
