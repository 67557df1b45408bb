/**
 * The composition root: the only file that knows every adapter. It builds an engine for a project, or reaches the one
 * that another process runs, and hands both out in the same shape.
 */
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { agentRuntime } from './agents/programs.ts'
import { channels } from './channels/channels.ts'
import { contracts } from './contract/contracts.ts'
import { MusterError, engineFailed } from './domain/errors.ts'
import type { Issue } from './domain/forge.ts'
import type { Asker } from './domain/proof.ts'
import { engineCommands, type Commands } from './engine/commands.ts'
import { Engine } from './engine/loop/engine.ts'
import { Hub } from './engine/loop/hub.ts'
import { LATER } from './engine/loop/notices.ts'
import type { EngineParts } from './engine/loop/parts.ts'
import { proven } from './engine/proven.ts'
import { withRole } from './config/resolve-roles.ts'
import { checkDraft, readDraft } from './config/draft.ts'
import { draftWarnings } from './contract/draft.ts'
import type { Drafts } from './ports/drafts.ts'
import { jobsOf } from './jobs.ts'
import { stepsOf } from './engine/steps/steps.ts'
import { chooseForge, readyForge } from './forge/choose.ts'
import type { Clock, Random } from './ports/clock.ts'
import type { IssueWish } from './ports/forge.ts'
import type { ProbeEvent } from './ports/probe.ts'
import type { Store } from './ports/store.ts'
import type { Workspaces } from './ports/workspaces.ts'
import type { Environment, Place, Project } from './project.ts'
import { requireFolder } from './data-folder.ts'
import { logFile, openLog } from './engine-log.ts'
import { ensureKey, readKey } from './history-key.ts'
import { describeSandbox, seesLayers } from './kept-in.ts'
import { beginWork, endWork } from './outage.ts'
import { makeFolder } from './project.ts'
import { askerAt, prove } from './proof.ts'
import { servedAt, servedFile } from './served.ts'
import type { EngineClient } from './server/client.ts'
import { connectEngine } from './server/client.ts'
import type { SocketServer } from './server/socket.ts'
import { serveSocket } from './server/socket.ts'
import { takeLock } from './store/lock.ts'
import type { Lock } from './store/lock.ts'
import { SEAL } from './store/seal.ts'
import { MEMORY } from './store/sqlite.ts'
import { openStore } from './store/store.ts'
import { Mirror } from './workspace/mirror.ts'
import { userIdentity } from './workspace/repository.ts'
import { mirrorWorkspaces } from './workspace/workspaces.ts'

export { channelProblems } from './channels/channels.ts'
export { knownToShell } from './process/command.ts'
export { commandProblems, installedPrograms, programChecks } from './agents/programs.ts'
export { lintDraft } from './contract/draft.ts'
export { readyForge, webhookSecret } from './forge/choose.ts'
export { pathsWithoutFile } from './verify/concern.ts'

export const databaseFile = (place: Place): string => join(place.dataDir, 'muster.db')
export const lockFile = (place: Place): string => join(place.dataDir, 'engine.lock')
/** How long to wait for a process that holds the lock and does not answer yet. */
const attachTimeoutMs = 10_000
const attachPauseMs = 40

export const systemClock: Clock = {
  now: () => Date.now(),
  steady: () => performance.now(),
  soon: (callback) => void setImmediate(callback),
  after(ms, callback) {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
}

export const systemRandom: Random = { nonce: () => randomBytes(16).toString('hex') }

/** A way to an engine: our own, or another process's. */
export interface Attachment {
  /** Whether this process is the engine. */
  owned: boolean
  /** Of this process: what decides needs to be a person's (proof.ts). */
  commands: Commands
  /** The same for another asker, of an engine of our own. */
  commandsOf(asker: Asker): Commands
  /** Lets other processes ask for links to the board. */
  offerLinks(link: (asker: Asker) => Promise<string>): void
  follow(listener: (event: ProbeEvent) => void): Promise<void>
  /** Works until the story, or everything, needs nobody but people. */
  settled(story: string | null | undefined): Promise<void>
  /** For an engine of our own: waits until no other process relies on it. */
  idle(): Promise<void>
  /** Ends our engine (`now`: without asking its workers first), or leaves the other one. */
  close(now?: boolean): Promise<void>
}

export async function openWorkspaces(place: Place, env: Environment, layers = true): Promise<Workspaces> {
  const { repository, dataDir } = place
  makeFolder(dataDir)
  const own = { name: 'Muster', email: 'muster@muster.invalid' }
  const identity = (await userIdentity(repository, env['HOME'])) ?? own
  const mirror = new Mirror(join(dataDir, 'mirror.git'), repository.gitDir, identity)
  await mirror.ensure()
  return mirrorWorkspaces(mirror, { layers })
}

/** For looking: any number of processes may, beside a running engine too. */
export async function openReader(place: Place): Promise<Store> {
  const file = databaseFile(place)
  // Looking leaves no trace: a project that has no data yet shows an empty store.
  if (!existsSync(file)) return openStore({ file: MEMORY })
  // A database that is not there yet, half made or of an older Muster is made or brought up to date by opening it fully;
  // anything else that is wrong with it is found, and told, by that as well.
  const key = readKey(place.dataDir)
  return openStore({ file, readOnly: true, key }).catch(() => openStore({ file, key }))
}

/** Asks something of the engine that runs or, when none does, changes the store here; the next engine goes on from that. */
export async function withCommands<T>(
  project: Project,
  env: Environment,
  use: (commands: Commands) => Promise<T>,
): Promise<T> {
  const reached = await reach(project)
  if ('client' in reached) return use(reached.client.commands).finally(() => reached.client.close())
  try {
    const { engine, close } = await buildEngine(project, env, new Hub(), { channels: [LATER] })
    try {
      return await use(proven(engineCommands(engine), () => prove(project, { pid: process.pid }, systemClock.now())))
    } finally {
      await close()
    }
  } finally {
    reached.lock.release()
  }
}

/** An engine that runs: ours, or the one that is there already. */
export async function attach(project: Project, env: Environment, hub = new Hub()): Promise<Attachment> {
  const reached = await reach(project)
  if ('lock' in reached) {
    return startEngine(project, env, reached.lock, hub).catch((error: unknown) => {
      reached.lock.release()
      throw error
    })
  }
  const { commands, settled, follow, close } = reached.client
  return {
    owned: false,
    commands,
    commandsOf: () => commands,
    offerLinks: () => undefined,
    settled,
    follow,
    idle: async () => undefined,
    close: async () => close(),
  }
}

async function startEngine(project: Project, env: Environment, lock: Lock, hub: Hub): Promise<Attachment> {
  const { sandbox } = project.config
  if (sandbox.mode !== 'auto' && sandbox.mode !== 'off') await describeSandbox(sandbox)
  readyForge(project.config.forge, env)
  const log = await openLog(project)
  hub.subscribe(log.write)
  const { engine, close } = await buildEngine(project, env, hub)
  const unproven = engineCommands(engine)
  const commandsOf = (asker: Asker) => proven(unproven, () => prove(project, asker, systemClock.now()))
  let links: ((asker: Asker) => Promise<string>) | undefined
  const settled = (story: string | null | undefined) =>
    engine.settled(story).catch((error: unknown) => Promise.reject(engineFailed(error, logFile(project))))
  const subscribe = (listener: (event: ProbeEvent) => void) => hub.subscribe(listener)
  let server: SocketServer | null = null
  const closeAll = async (now?: boolean) => {
    await engine.stop(now)
    await server?.close()
    await close()
    log.close()
    lock.release()
  }
  try {
    // The lock is ours: a server that left its address there is no more.
    await rm(servedFile(project), { force: true })
    // First the engine: who connects must find every open task on its table.
    await engine.start()
    const link = async (asker: Asker) => (await links?.(asker)) ?? null
    server = await serveSocket(await socketPath(project), {
      commandsOf,
      askerAt,
      random: systemRandom,
      link,
      settled,
      subscribe,
    })
  } catch (error) {
    await closeAll(true)
    throw error
  }
  const { idle } = server
  let closing: Promise<void> | null = null
  return {
    owned: true,
    commands: commandsOf({ pid: process.pid }),
    commandsOf,
    offerLinks: (make) => void (links = make),
    settled,
    follow: async (listener) => void subscribe(listener),
    idle,
    close(now) {
      // Asked again, and urgently, while it is closing: the workers are killed, the rest goes its way.
      if (closing !== null && now === true) void engine.stop(true)
      closing ??= closeAll(now)
      return closing
    },
  }
}

/** The lock, and with it the right to be the engine, or a connection to the process that has it. */
async function reach(place: Place): Promise<{ lock: Lock } | { client: EngineClient }> {
  requireFolder(place.dataDir)
  const deadline = systemClock.now() + attachTimeoutMs
  for (;;) {
    const lock = takeLock(lockFile(place))
    if (lock !== null) return { lock }
    const client = await connectEngine(await socketPath(place))
    if (client !== null) return { client }
    if (systemClock.now() > deadline) {
      throw new MusterError('busy', `another muster is at work in ${place.dataDir} and does not answer`, {
        hint: 'wait for it, or end that process, then try again. If there is no such process, the disk may not support locks: run muster doctor',
      })
    }
    await new Promise<void>((resolve) => void systemClock.after(attachPauseMs, resolve))
  }
}

/** The engine that runs, if one does: for looking on. */
export const runningEngine = async (place: Place): Promise<EngineClient | null> =>
  connectEngine(await socketPath(place))

/** What an engine would be made of, for trying it; null while another process is at work here. */
export async function withParts<T>(
  project: Project,
  env: Environment,
  use: (parts: EngineParts) => Promise<T>,
): Promise<T | null> {
  requireFolder(project.dataDir)
  const lock = takeLock(lockFile(project))
  if (lock === null) return null
  try {
    const { parts, close } = await buildParts(project, env, new Hub())
    try {
      return await use(parts)
    } finally {
      await close()
    }
  } finally {
    lock.release()
  }
}

async function buildEngine(
  project: Project,
  env: Environment,
  probe: Hub,
  instead: Partial<EngineParts> = {},
): Promise<{ engine: Engine; close(): Promise<void> }> {
  const { parts, close } = await buildParts(project, env, probe)
  return { engine: new Engine({ ...parts, ...instead }), close }
}

async function buildParts(
  project: Project,
  env: Environment,
  probe: Hub,
): Promise<{ parts: EngineParts; close(): Promise<void> }> {
  const { key, isNew } = await ensureKey(project.dataDir, systemRandom)
  const store = await openStore({ file: databaseFile(project), key })
  try {
    await requireWhole(store, project)
    if (isNew) await store.setSetting(SEAL, null)
    // What went wrong before this stands leaves the mark of the one before: the next start looks again.
    const lost = await beginWork(project, systemClock.now())
    if (lost !== null) probe.emit({ type: 'mirror-mended', lost })
    const workspaces = await openWorkspaces(project, env, await seesLayers(project.config.sandbox))
    const parts = engineParts(project, store, workspaces, probe, env)
    const close = () => store.close().then(() => endWork(project, systemClock.now()))
    return { parts, close }
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Nothing is begun on a database that does not hold together. */
export async function requireWhole(store: Store, place: Place, whole = false): Promise<void> {
  const damage = await store.damage(whole)
  if (damage === null) return
  throw new MusterError('storage', `${databaseFile(place)} is damaged: ${damage.split('\n')[0]}`, {
    hint: 'stop Muster, then restore your latest backup: muster restore <file> (it keeps the damaged file)',
  })
}

export function engineParts(
  project: Project,
  store: Store,
  workspaces: Workspaces,
  probe: Hub,
  env: Environment = {},
): EngineParts {
  const place = { dataDir: project.dataDir, projectRoot: project.root }
  const runtime = agentRuntime({ ...place, sandbox: project.config.sandbox, identity: workspaces.identity })
  const times = { clock: systemClock, random: systemRandom }
  const forge = chooseForge(project.config.forge, { store, workspaces, env, ...times })
  return {
    store,
    workspaces,
    runtime,
    contracts: contracts(workspaces, systemClock),
    ...jobsOf({ runtime, workspaces, store, config: project.config, clock: systemClock, ...place }),
    cast: (config, roles) => roles.reduce((cast, role) => withRole(cast, project.root, role), config),
    drafts: { read: (text) => draftWithWarnings(text, project) },
    forge,
    ...stepsOf(workspaces, forge, systemClock),
    channels: channels({ notify: project.config.notify, env, dataDir: project.dataDir, clock: systemClock, probe }),
    board: () => servedAt(project),
    probe,
    ...times,
    config: project.config,
    ...place,
  }
}

/** In the data directory, or where the path is too long for a socket, in a folder of the user's own. */
async function socketPath(place: Place): Promise<string> {
  const near = join(place.dataDir, 'engine.sock')
  if (Buffer.byteLength(near) < 100) return near
  const { uid } = userInfo()
  const dir = join(tmpdir(), `muster-${uid}`)
  makeFolder(dir)
  const info = statSync(dir)
  if (uid >= 0 && (info.uid !== uid || (info.mode & 0o077) !== 0)) {
    throw new MusterError('not_allowed', `${dir} belongs to another user`, {
      hint: 'set MUSTER_HOME to a shorter path',
    })
  }
  return join(dir, `${createHash('sha256').update(place.dataDir).digest('hex').slice(0, 20)}.sock`)
}

/** Issues at the project's forge. Changes nothing, here or there. */
export async function issuesOf(project: Project, env: Environment, wish: IssueWish): Promise<Issue[]> {
  const store = await openReader(project)
  try {
    // Its git is not asked for anything: a mirror that is not there is not made.
    const { dataDir, repository } = project
    const workspaces = mirrorWorkspaces(
      new Mirror(join(dataDir, 'mirror.git'), repository.gitDir, { name: '', email: '' }),
    )
    const parts = { store, workspaces, env, clock: systemClock, random: systemRandom }
    return await chooseForge(project.config.forge, parts).issues(wish)
  } finally {
    await store.close()
  }
}

function draftWithWarnings(text: string, { config, root }: Project): ReturnType<Drafts['read']> {
  const draft = readDraft(text)
  if ('problems' in draft) return draft
  const problems = checkDraft(draft, config, root).problems.map(({ task, message }) => `task ${task ?? 1}: ${message}`)
  return problems.length > 0 ? { problems } : { draft, warnings: draftWarnings(draft) }
}
