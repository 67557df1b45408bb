/** What a person sees while tasks run: a live line per task on a terminal, plain timestamped lines elsewhere. */
import { formatDuration } from '../domain/duration.ts'
import { sentence } from '../engine/explain.ts'
import { describeLimit } from '../engine/lanes.ts'
import type { ProbeEvent } from '../ports/probe.ts'
import type { Io } from './io.ts'
import { oneLine } from './io.ts'

export interface Progress {
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

export function watchProgress(io: Io): Progress {
  return io.live ? liveProgress(io) : plainProgress(io)
}

/** Says what it is that takes its time, if it takes longer than a second. */
export async function patiently<T>(io: Io, what: string, work: Promise<T>): Promise<T> {
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
}

function liveProgress(io: Io): Progress {
  const active = new Map<string, Active>()
  let drawn = 0
  const clear = () => (drawn === 0 ? '' : `\u001B[${drawn}A\u001B[J`)
  const draw = (above: string) => {
    const rows = [...active].slice(0, 20).map(([task, { what, round, since, line }]) => {
      const head = `  ▸ ${task}  ${what}  round ${round}  ${formatDuration(Math.max(0, Date.now() - since))}  `
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
      if (type === 'output' && current !== undefined) current.line = String(event['line'])
      if (type === 'run-started')
        active.set(task, { what: String(event['phase']), round: String(event['round']), since: Date.now(), line: '' })
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
  if (type === 'run-started' || type === 'phase-entered') return true
  return type === 'run-ended' && event['kind'] === 'action' && event['outcome'] === 'ADVANCE'
}

/** What a run does about it is in docs/commands.md. */
function limitNews(event: ProbeEvent): string {
  const limit = { program: String(event['program']), until: Number(event['until']) }
  return `${describeLimit(limit)}: what needs it waits, the rest goes on`
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
    return io.paint.yellow(`${task} ${String(event['branch'])} was left alone: ${String(event['why'])}`)
  const color = NEWS[type]
  if (color === undefined || task === undefined) return null
  return io.paint[color](`${task} ${oneLine(sentence(type, event), 160)}`)
}
