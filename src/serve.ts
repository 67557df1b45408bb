/** `muster serve`: its own engine over all open tasks, with the HTTP API on top. Loaded only for that command. */
import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Attachment } from './app.ts'
import {
  attach,
  lintDraft,
  openReader,
  openWorkspaces,
  runningEngine,
  systemClock,
  systemRandom,
  webhookSecret,
} from './app.ts'
import { loadServe } from './config/serve.ts'
import { MusterError } from './domain/errors.ts'
import type { Asker } from './domain/proof.ts'
import { boundChanges } from './engine/views/changes.ts'
import { Hub } from './engine/loop/hub.ts'
import { shipView } from './engine/views/shipping.ts'
import { sandboxNote } from './kept-in.ts'
import type { Clock } from './ports/clock.ts'
import type { Environment, Project } from './project.ts'
import { requireFolder } from './data-folder.ts'
import { openProject } from './project.ts'
import { isProven } from './proof.ts'
import { logOf, runPrompt } from './run-logs.ts'
import { type Served, servedAt, servedFile } from './served.ts'
import type { HttpServer } from './server/http/server.ts'
import type { HttpService } from './server/http/service.ts'
import { isLoopback, listen, tokenIn } from './server/http/server.ts'
import { Webhook } from './server/http/webhook.ts'

interface ServeOptions {
  host: string
  port: number
  /** Whose decisions they are that come with the token. */
  by: string
}

export interface Serving {
  url: string
  /** Opens the board in a browser, once. */
  link: string
  tokenFile: string
  engine: Attachment
  /** Rejects when the engine cannot go on; never settles otherwise. */
  broken: Promise<never>
  /** Stops answering, then the engine (`now`: without asking its workers first). Asked again, it hurries. */
  close(now?: boolean): Promise<void>
}

export const tokenFile = ({ dataDir }: Project): string => join(dataDir, 'serve.token')

export async function serve(project: Project, env: Environment, options: ServeOptions): Promise<Serving> {
  const http = await openPort(project, options).catch(async (error: unknown) => {
    // Most often it is the other server of this very project that has the port.
    const served = error instanceof MusterError && error.code === 'busy' ? await servedNow(project) : null
    throw served === null ? error : await alreadyServed(project, served)
  })
  // What a page may do depends on where its link was asked for.
  const linkFor = async (asker: Asker) =>
    http.link((await isProven(project, asker, systemClock.now())) ? 'board' : 'token')
  const hub = new Hub()
  let engine: Attachment | null = null
  let stopReading = async (): Promise<void> => undefined
  const stop = async (): Promise<void> => {
    await http.close()
    await stopReading()
  }
  try {
    engine = await attach(project, env, hub)
    if (!engine.owned) throw await alreadyServed(project, await servedNow(project))
    const { commandsOf } = engine
    stopReading = await answerFor(http, project, env, { commandsOf, hub, by: options.by })
    engine.offerLinks(linkFor)
    const { url: shared } = await loadServe(project.configPath)
    const served: Served = { url: http.url, shared, pid: process.pid }
    await writeFile(servedFile(project), JSON.stringify(served), { mode: 0o600 })
  } catch (error) {
    await stop()
    await engine?.close()
    throw error
  }
  const owned = engine
  const link = await linkFor({ pid: process.pid })
  let stopped: Promise<void> | null = null
  return {
    url: http.url,
    link,
    tokenFile: tokenFile(project),
    engine: owned,
    broken: brokenEngine(owned, hub),
    async close(now) {
      if (stopped !== null && now === true) return owned.close(true)
      stopped ??= stop().then(() => rm(servedFile(project), { force: true }))
      await stopped
      await owned.close(now)
    },
  }
}

/** The port, with the token that is asked for there. Refuses to be reached from other machines unless that is configured. */
export async function openPort(
  project: Project,
  { host, port }: Pick<ServeOptions, 'host' | 'port'>,
  clock: Clock = systemClock,
): Promise<HttpServer> {
  const { allowHosts: names } = await loadServe(project.configPath)
  if (!isLoopback(host) && names.length === 0) {
    throw new MusterError('config', `muster serve refuses to listen on ${host}: other machines could reach it there`, {
      hint: 'to allow it, list its host names in muster.yaml, for example serve: { allowHosts: [build.example.org] }.\nRequests need the token there too. Use a proxy with TLS to keep the token secret (docs/http.md)',
    })
  }
  requireFolder(project.dataDir)
  const token = await tokenIn(tokenFile(project), systemRandom)
  return listen({ host, port, names, token, web: webFolder() }, clock, systemRandom)
}

/** Beside the built program, or where a clone builds it. */
function webFolder(): string {
  const built = join(import.meta.dirname, 'web')
  return existsSync(built) ? built : join(import.meta.dirname, '../dist/web')
}

/** Lets the server answer for an engine; gives what closes the store that it looks at. */
export async function answerFor(
  http: HttpServer,
  project: Project,
  env: Environment,
  { commandsOf, hub, by }: { commandsOf: HttpService['commandsOf']; hub: Hub; by: string },
  clock: Clock = systemClock,
): Promise<() => Promise<void>> {
  const store = await openReader(project)
  const workspaces = await openWorkspaces(project, env)
  const { forge } = project.config
  http.begin({
    commandsOf,
    store,
    clock,
    by,
    dataDir: project.dataDir,
    subscribe: (listener) => hub.subscribe(listener),
    emit: (event) => hub.emit(event),
    project: () => openProject(project.root, env),
    sandboxNote,
    changes: (task, wanted) => boundChanges(store, workspaces, task, wanted),
    shipping: async (story) => shipView(store, workspaces, (await openProject(project.root, env)).config, story),
    lint: lintDraft,
    log: (run) => logOf(project, store, run),
    prompt: (runId) => runPrompt(project, runId),
    webhook: new Webhook((type) => webhookSecret(type, forge, env)),
  })
  return () => store.close()
}

/** Where the project is served, if somebody does. */
async function servedNow(project: Project): Promise<Served | null> {
  const served = await servedAt(project)
  try {
    return served !== null && process.kill(served.pid, 0) ? served : null
  } catch {
    return null
  }
}

async function alreadyServed(project: Project, served: Served | null): Promise<MusterError> {
  if (served === null) {
    const hint = 'wait for it, or end it with Ctrl-C, then: muster serve'
    return new MusterError('busy', 'another muster is already at work here', { hint })
  }
  const link = await newLink(project).catch(() => null)
  const board = link === null ? '' : `. To open its board, once: ${link}`
  const hint = `use that one; all other commands find it${board}`
  return new MusterError('busy', `muster serve is already running: ${served.url} (process ${served.pid})`, { hint })
}

/** A link to the board of the server that is there. */
async function newLink(project: Project): Promise<string | null> {
  const engine = await runningEngine(project)
  if (engine === null) return null
  return engine.link().finally(() => engine.close())
}

/** Everything open has its turns from now on, and so has whatever comes. */
async function brokenEngine(engine: Attachment, hub: Hub): Promise<never> {
  const failed = new Promise<void>((resolve) => {
    hub.subscribe(({ type }) => void (type === 'engine-failed' && resolve()))
  })
  await engine.settled(undefined)
  await failed
  await engine.settled(undefined)
  throw new Error('an engine that failed says so')
}
