/**
 * A world for scenario tests: a real git repository, a real store, real processes and the real engine, driven in the
 * words of a user. Agents are tiny shell scripts that the test writes; a gate lets the test hold one of them still.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync, existsSync, readdirSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { databaseFile, engineParts, openWorkspaces } from '../../src/app.ts'
import { jobsOf } from '../../src/jobs.ts'
import { buildPlan } from '../../src/config/plan.ts'
import { parseYaml } from '../../src/config/yaml.ts'
import type { Commands } from '../../src/engine/commands.ts'
import { engineCommands } from '../../src/engine/commands.ts'
import { Engine } from '../../src/engine/loop/engine.ts'
import { Hub } from '../../src/engine/loop/hub.ts'
import type { NewTaskRequest } from '../../src/engine/loop/new-task.ts'
import type { EngineParts } from '../../src/engine/loop/parts.ts'
import type { TaskView } from '../../src/engine/views/views.ts'
import { taskView } from '../../src/engine/views/views.ts'
import type { Channel } from '../../src/ports/channel.ts'
import type { ProbeEvent } from '../../src/ports/probe.ts'
import type { RunOutcome, RunRequest, Runtime } from '../../src/ports/runtime.ts'
import type { RunRecord, Store, StoredEvent } from '../../src/ports/store.ts'
import type { Project } from '../../src/project.ts'
import { openProject } from '../../src/project.ts'
import { openStore } from '../../src/store/store.ts'
import { beginMirror, beginRepository, personsCommit } from './begun.ts'

const PRELUDE = `verdict() { printf '{"verdict":"%s","detail":"%s","nonce":"%s"}' "$1" "$2" "$MUSTER_NONCE" >"$MUSTER_VERDICT_FILE"; }
work() { case $MUSTER_ROLE in *checker | *validator | *verifier | *reviewer) ;; *) echo "$MUSTER_RUN_ID" >"$MUSTER_TASK_ID.txt" ;; esac; }
gate() { cat "$WORLD/gates/$1" >/dev/null; }
tell() { printf '%s' "$1" >"$WORLD/told/$MUSTER_RUN_ID"; }
`

const AGENT = `. "$WORLD/prelude.sh"
echo "$MUSTER_RUN_ID" >>"$WORLD/started"
for script in "$MUSTER_TASK_ID.$MUSTER_ROLE.$MUSTER_ATTEMPT" "$MUSTER_TASK_ID.$MUSTER_ROLE" "$MUSTER_TASK_ID" "$MUSTER_ROLE.$MUSTER_ATTEMPT" "$MUSTER_ROLE" default; do
  if [ -f "$WORLD/agents/$script.sh" ]; then . "$WORLD/agents/$script.sh"; exit $?; fi
done
`

export interface WorldOptions {
  /** Lines of muster.yaml below the agents; without phases there, the landing verifies and nobody else is asked (`direct`). */
  config?: string
  roles?: string[]
  /** More keys of a role's agent, as YAML. */
  keys?: Record<string, string>
  /** Roles whose agent is played by the same scripts, but as if it were a run of that program: see `tell`. */
  programs?: Record<string, 'claude' | 'codex'>
}

function defaultRoles(programs: Record<string, string>): string[] {
  return 'implementer' in programs ? [] : ['implementer']
}

export class World {
  readonly top = mkdtempSync(join(tmpdir(), 'muster-world-'))
  readonly repository = join(this.top, 'repo')
  readonly env: Record<string, string>
  readonly events: ProbeEvent[] = []
  /** What the runtime was asked to run. */
  readonly requests: RunRequest[] = []
  readonly #listeners = new Set<() => void>()
  readonly #sending: Promise<void>[] = []
  store!: Store
  engine!: Engine
  commands!: Commands
  project!: Project

  private constructor() {
    this.env = { ...(process.env as Record<string, string>), MUSTER_HOME: join(this.top, 'data') }
  }

  static async create({
    config = '',
    programs = {},
    roles = defaultRoles(programs),
    keys = {},
  }: WorldOptions = {}): Promise<World> {
    const world = new World()
    mkdirSync(join(world.top, 'agents'), { recursive: true })
    for (const folder of ['gates', 'told']) mkdirSync(join(world.top, folder))
    writeFileSync(join(world.top, 'prelude.sh'), PRELUDE)
    writeFileSync(join(world.top, 'agent.sh'), `WORLD='${world.top}'\n${AGENT}`)
    world.agent('default', 'work; verdict pass')
    const agents = roles.map(
      (role) =>
        `  ${role}: { runtime: command, run: "sh ${world.top}/agent.sh", verdict: file, ${keys[role] ?? ''} }\n`,
    )
    for (const [role, runtime] of Object.entries(programs)) {
      agents.push(`  ${role}: { runtime: ${runtime}, model: gpt-5.5 }\n`)
    }
    beginRepository(world.repository)
    // Agents of these tests meet the test outside of their workspace, at gates and in lists.
    const phases = /^phases:/m.test(config) ? '' : 'phases: direct\n'
    const sandbox = /^sandbox:/m.test(config) ? '' : 'sandbox: off\n'
    const text = `version: 1\n${phases}agents:\n${agents.join('')}${config}\n${sandbox}decisions: scripted\n`
    writeFileSync(join(world.repository, 'muster.yaml'), text)
    return world
  }

  /** What an agent does: for a task, a task and role, an attempt of those, a role, or by default. */
  agent(who: string, script: string): void {
    writeFileSync(join(this.top, 'agents', `${who}.sh`), `${script}\n`)
  }

  /** A named pipe that `gate <name>` in a script waits on until the test opens it. */
  gate(name: string): { open(): Promise<void> } {
    const path = join(this.top, 'gates', name)
    execFileSync('mkfifo', [path])
    return {
      async open() {
        const pipe = await open(path, 'w')
        await pipe.close()
      },
    }
  }

  git(...args: string[]): string {
    return execFileSync('git', args, { cwd: this.repository, encoding: 'utf8', stdio: 'pipe' }).trimEnd()
  }

  /** A person's commit that writes one file; no branch and no checkout is touched. */
  commitOn(parent: string, file: string, text: string): string {
    return personsCommit(this.repository, join(this.top, 'person-index'), parent, file, text)
  }

  /** Opens the store and starts the engine; `wrap` may put something between the engine and its ports. */
  async start(wrap: (parts: EngineParts) => EngineParts = (parts) => parts): Promise<void> {
    this.project = await openProject(this.repository, this.env)
    await beginMirror(join(this.project.dataDir, 'mirror.git'), this.repository)
    const workspaces = await openWorkspaces(this.project, this.env)
    this.store = await openStore({ file: databaseFile(this.project) })
    const hub = new Hub()
    hub.subscribe((event) => {
      this.events.push(event)
      for (const listener of this.#listeners) listener()
    })
    const parts = engineParts(this.project, this.store, workspaces, hub, this.env)
    const channels = parts.channels.map((channel) => this.#tracked(channel))
    const playing = { ...parts, channels, runtime: this.#playing(parts.runtime) }
    this.engine = new Engine(wrap({ ...playing, ...jobsOf(playing) }))
    this.commands = engineCommands(this.engine)
    await this.engine.start()
  }

  /** Nobody but a test waits for notices: see `notices`. */
  #tracked(channel: Channel): Channel {
    const send: Channel['send'] = (notice, abort) => {
      const sent = channel.send(notice, abort)
      this.#sending.push(sent.catch(() => undefined))
      return sent
    }
    return { ...channel, send }
  }

  /** A program's run is the same script; what it told with `tell` (usage, session, retryAt) is part of the outcome. */
  #playing(runtime: Runtime): Runtime {
    const asCommand = (request: RunRequest): RunRequest => {
      const { agent } = request
      this.requests.push(request)
      if (agent.runtime === 'command') return request
      const { env, timeoutMs, network, checks } = agent
      const run = `sh ${this.top}/agent.sh`
      return { ...request, agent: { runtime: 'command', run, verdict: 'file', env, timeoutMs, network, checks } }
    }
    const told = ({ runId }: RunRequest, outcome: RunOutcome): RunOutcome => {
      const file = join(this.top, 'told', runId)
      return existsSync(file) ? { ...outcome, ...(JSON.parse(readFileSync(file, 'utf8')) as RunOutcome) } : outcome
    }
    return {
      start: async (request, onLine) => {
        const worker = await runtime.start(asCommand(request), onLine)
        return { ...worker, ended: worker.ended.then((outcome) => told(request, outcome)) }
      },
      recover: async (request) => {
        const outcome = await runtime.recover(asCommand(request))
        return outcome === 'missing' ? outcome : told(request, outcome)
      },
    }
  }

  async stop(): Promise<void> {
    await this.engine.stop(true)
    await this.store.close()
  }

  /** Submits a plan whose story is `s`: task 1 becomes s-1. */
  async submit(tasks: string, name = 'A story'): Promise<void> {
    const text = `meta: { id: s, name: ${name} }\ntasks:\n${tasks}`
    const plan = buildPlan(parseYaml(text, 'plan.yaml'), this.project.config, 'plan')
    await this.commands.submit({ plan, config: this.project.config })
  }

  /** Adds a task of its own, in no story unless it says so. */
  add(title: string, more: Partial<NewTaskRequest> = {}): ReturnType<Commands['add']> {
    const nothing = { acceptanceCriteria: '', checks: [], expectedFiles: [], dependsOn: [] }
    const task = { title, instructions: title, ...nothing, story: null, agent: null, phases: null, ...more }
    return this.commands.add({ task, config: this.project.config })
  }

  settled(): Promise<void> {
    return this.engine.settled('s')
  }

  async run(tasks: string): Promise<void> {
    await this.start()
    await this.submit(tasks)
    await this.settled()
  }

  accept(task: string, message = ''): Promise<unknown> {
    return this.commands.decide({ kind: 'accept', task, message, by: 'tester' })
  }

  reject(task: string, message: string): Promise<unknown> {
    return this.commands.decide({ kind: 'reject', task, message, by: 'tester' })
  }

  /** Two tasks that start side by side; the first lands before the second may end, so that their work can clash. */
  async landInTurn(first: { open(): Promise<void> }, second: { open(): Promise<void> }): Promise<void> {
    await this.start()
    await this.submit('  - { id: 1, name: One }\n  - { id: 2, name: Two }\n')
    for (const run of ['s-1.r1', 's-2.r1']) {
      await this.until((event) => event.type === 'run-started' && event['run'] === run)
    }
    await first.open()
    await this.until((event) => event.type === 'task-completed' && event.task === 's-1')
    await second.open()
    await this.settled()
  }

  /** Settles once an event fits; those that were already told count too. */
  until(fits: (event: ProbeEvent) => boolean): Promise<ProbeEvent> {
    return new Promise((resolve) => {
      const look = () => {
        const found = this.events.find(fits)
        if (found === undefined) return
        this.#listeners.delete(look)
        resolve(found)
      }
      this.#listeners.add(look)
      look()
    })
  }

  async task(id: string): Promise<TaskView> {
    const task = await this.store.task(id)
    if (task === null) throw new Error(`no task ${id}`)
    return taskView(this.store, task)
  }

  runs(id: string): Promise<RunRecord[]> {
    return this.store.runs(id)
  }

  history(id: string): Promise<StoredEvent[]> {
    return this.store.events(`task:${id}`)
  }

  /** The prompt that a run was given. */
  prompt(run: string): string {
    return readFileSync(join(this.project.dataDir, 'runs', run, 'prompt.md'), 'utf8')
  }

  /** The runs whose agent really started, in order. */
  started(): string[] {
    const file = join(this.top, 'started')
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').filter(Boolean) : []
  }

  /** The notices in the log channel, those included that are just being written. */
  async notices(): Promise<{ key: string; text: string }[]> {
    const isQueued = async () => (await this.store.pendingIntents()).some(({ key }) => key.endsWith('@log'))
    do {
      await Promise.all(this.#sending)
      await new Promise((resolve) => setImmediate(resolve))
    } while (this.engine.running && (await isQueued()))
    const file = join(this.project.dataDir, 'notices.jsonl')
    if (!existsSync(file)) return []
    return readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { key: string; text: string })
  }

  workspacesLeft(): string[] {
    const dir = join(this.project.dataDir, 'workspaces')
    return existsSync(dir) ? readdirSync(dir) : []
  }

  async dispose(): Promise<void> {
    await this.stop().catch(() => undefined)
    rmSync(this.top, { recursive: true, force: true })
  }
}
