/** `muster serve` as a real process over 100,000 stored tasks: pages, a mix of requests, events to 1,000 readers, memory. */
import { because } from '../src/domain/task/reasons.ts'
import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import type { Socket } from 'node:net'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { databaseFile } from '../src/app.ts'
import { openProject } from '../src/project.ts'
import { openStore } from '../src/store/store.ts'
import type { Row } from './main.ts'
import { inTemp, makeRepository, percentile, round, sort } from './measure.ts'
import { config, sampleTask } from './sample.ts'

const tasks = 100_000
const clients = 1_000
const perSecond = 200
const seconds = 10
const bin = join(import.meta.dirname, '../bin/muster.mjs')
const agent = new Agent({ keepAlive: true, maxSockets: 64 })

export interface Server {
  url: URL
  token: string
  pid: number
  child: ChildProcess
}

export function http(): Promise<Row[]> {
  return inTemp(async (dir) => {
    const yaml = 'agents:\n  implementer: { runtime: command, run: "true", verdict: exit }\n'
    const { repository, env } = makeRepository(dir, yaml)
    const file = databaseFile(await openProject(repository, env))
    mkdirSync(dirname(file), { recursive: true })
    await fill(file, tasks)
    const server = await start(repository, env)
    try {
      const idleMb = residentMb(server)
      const pages = await pageTimes(server)
      const cpuBefore = cpuMs(server)
      const mixed = await mixedTimes(server)
      const cpuShare = (cpuMs(server) - cpuBefore) / (seconds * 1000)
      const { times: events, connectMs } = await eventTimes(server)
      const mb = residentMb(server)
      const [page, mix, event] = [percentile(pages, 95), percentile(mixed, 99), percentile(events, 99)]
      return [
        row('HTTP: a page of 100,000 tasks', `p95 ${page.toFixed(1)} ms`, '≤ 20 ms', page <= 20, {
          p50Ms: round(percentile(pages, 50)),
          p95Ms: round(page),
        }),
        row(
          `HTTP: ${perSecond} mixed requests/s`,
          `p99 ${mix.toFixed(1)} ms, ${cpuShare.toFixed(2)} of a core`,
          '≤ 100 ms',
          mix <= 100,
          {
            p50Ms: round(percentile(mixed, 50)),
            p99Ms: round(mix),
            cpuShare: round(cpuShare),
          },
        ),
        row('HTTP: an event to 1,000 readers', `p99 ${event.toFixed(0)} ms from commit`, '≤ 250 ms', event <= 250, {
          p50Ms: round(percentile(events, 50)),
          p99Ms: round(event),
          received: events.length,
          connectMs: Math.round(connectMs),
        }),
        row('HTTP: memory of muster serve', `${mb} MB resident with readers, ${idleMb} MB before`, 'stated', true, {
          residentMb: mb,
          beforeMb: idleMb,
        }),
      ]
    } finally {
      agent.destroy()
      server.child.kill('SIGTERM')
      await once(server.child, 'exit')
    }
  })
}

function row(what: string, measured: string, aim: string, met: boolean, figures: Record<string, number>): Row {
  return { what, measured, aim, met, figures }
}

/** Half of them are over, half wait for a person: the engine holds them and has nothing to run. */
export async function fill(file: string, count: number): Promise<void> {
  const store = await openStore({ file })
  const batch = 5000
  const configs = [{ hash: 'c'.repeat(64), body: JSON.stringify(config) }]
  const story = { id: 's', name: 'A story', branch: 'muster/story/s', base: 'main', createdAt: 1 }
  await store.commit({ at: 1, configs, stories: [story] })
  for (let first = 1; first <= count; first += batch) {
    const some = Array.from({ length: Math.min(batch, count - first + 1) }, (_, n) => {
      const task = sampleTask(`task-${first + n}`, n % 10 === 0 ? 's' : null)
      const state =
        n % 2 === 0 ? { status: 'completed' as const } : { held: because('unclear', { said: 'a question' }) }
      return { ...task, state: { ...task.state, ...state } }
    })
    const events = some.map(({ spec }) => ({
      chain: `task:${spec.id}` as const,
      type: 'task-created',
      actor: 'muster',
      data: {},
    }))
    await store.commit({ at: 1, tasks: some, events })
  }
  await store.close()
}

export function start(cwd: string, env: Record<string, string>): Promise<Server> {
  const command = ['--max-semi-space-size=8', bin, 'serve', '--port', '0', '--json']
  const child = spawn(process.execPath, command, { cwd, env, stdio: ['ignore', 'pipe', 'ignore'] })
  return new Promise((resolve, reject) => {
    let text = ''
    child.once('exit', (code) => reject(new Error(`muster serve ended with ${code}`)))
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      if (!text.includes('\n')) return
      const { url, tokenFile, pid } = JSON.parse(text) as { url: string; tokenFile: string; pid: number }
      resolve({ url: new URL(url), token: readFileSync(tokenFile, 'utf8').trim(), pid, child })
    })
  })
}

/** How long the whole answer takes. */
function ask({ url, token }: Server, method: string, path: string): Promise<number> {
  const begin = performance.now()
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${token}` }
    const asked = request({ host: url.hostname, port: url.port, method, path, headers, agent }, (response) => {
      response.resume().once('end', () => {
        if (response.statusCode === 200) resolve(performance.now() - begin)
        else reject(new Error(`${path}: ${response.statusCode}`))
      })
    })
    asked.once('error', reject)
    asked.end()
  })
}

const some = (n: number): number => 1 + ((n * 7919) % tasks)

async function pageTimes(server: Server): Promise<number[]> {
  const times: number[] = []
  for (let n = 0; n < 320; n++) {
    const filter = ['', '&open', '&story=s', '&story=s&open'][n % 4]
    const ms = await ask(server, 'GET', `/api/tasks?limit=50&after=task-${some(n)}${filter}`)
    if (n >= 20) times.push(ms)
  }
  return sort(times)
}

/** Sent by the clock, whether or not those before are answered. Every twentieth is a decision, which is stored. */
async function mixedTimes(server: Server): Promise<number[]> {
  const paths = [
    (n: number) => `/api/tasks/task-${some(n)}`,
    (n: number) => `/api/tasks?open&after=task-${some(n)}`,
    (n: number) => `/api/tasks/task-${some(n)}/events`,
    (n: number) => `/api/tasks/task-${some(n)}/explain`,
    (n: number) => `/api/stories/s?after=task-${some(n)}`,
    () => '/api/status?limit=20',
    () => '/api/health',
  ]
  const begin = performance.now()
  const asked: Promise<number>[] = []
  for (let n = 0; n < perSecond * seconds; n++) {
    const wait = begin + (n * 1000) / perSecond - performance.now()
    if (wait > 0) await new Promise<void>((resolve) => setTimeout(resolve, wait))
    const path = paths[n % paths.length]?.(n) ?? ''
    asked.push(n % 20 === 0 ? cancel(server, n) : ask(server, 'GET', path))
  }
  return sort(await Promise.all(asked))
}

/** The tasks with even numbers wait for a person. */
function cancel(server: Server, n: number): Promise<number> {
  return ask(server, 'POST', `/api/tasks/task-${2 * (n + 1)}/cancel`)
}

/** From the time that an event carries, which is taken right before its commit, to its arrival. */
async function eventTimes(server: Server): Promise<{ times: number[]; connectMs: number }> {
  const times: number[] = []
  const events = 40
  const begin = performance.now()
  const sockets = await Promise.all(Array.from({ length: clients }, () => joinEvents(server, times)))
  const connectMs = performance.now() - begin
  for (let n = 0; n < events; n++) {
    await cancel(server, perSecond * seconds + n)
    const all = clients * (n + 1)
    while (times.length < all) await new Promise<void>((resolve) => setTimeout(resolve, 5))
  }
  for (const socket of sockets) socket.destroy()
  return { times: sort(times), connectMs }
}

function joinEvents({ url, token }: Server, times: number[]): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(url.port), url.hostname)
    socket.once('error', reject)
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      const now = Date.now()
      if (chunk.includes('event: ready')) resolve(socket)
      for (const [, at] of chunk.matchAll(/"type":"task-cancelled"[^\n]*?"at":"([^"]+)"/g))
        times.push(now - Date.parse(at ?? ''))
    })
    socket.write(`GET /api/events HTTP/1.1\r\nHost: ${url.host}\r\nAuthorization: Bearer ${token}\r\n\r\n`)
  })
}

/** Of the whole process, in the ticks of 10 ms that Linux counts by. */
function cpuMs({ pid }: Server): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

function residentMb({ pid }: Server): number {
  const kb = Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
  return Math.round(kb / 1024)
}
