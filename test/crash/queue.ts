/**
 * One random queue of tasks on one branch: what its agents, its user and its accidents do is drawn from a seed. How
 * things meet in time is not: a seed brings back the same plan, and mostly the same trouble.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TaskView } from '../../src/engine/views/views.ts'
import type { ProbeEvent } from '../../src/ports/probe.ts'
import { Draw } from '../support/draw.ts'
import { World } from '../support/world.ts'
import { CrashingPorts } from './points.ts'
import { AGENT, EDIT, RESOLVE } from './queue-agent.ts'

/** The last one is made by whichever task edits it first. */
export const FILES = ['a.txt', 'b.txt', 'new.txt']
const linesPerFile = 8
const attemptsScripted = 6

export interface UserCommit {
  commit: string
  token: string
  /** The line of a.txt that has its token; null: it wrote a file of its own. */
  line: number | null
}

export class Queue {
  readonly world: World
  readonly squash: boolean
  /** On a story's branch, or else on the base. */
  readonly story: boolean
  readonly checkedOut: boolean
  readonly ids: string[]
  readonly userCommits: UserCommit[] = []
  /** Where the target was before anything happened. */
  start = ''
  readonly #draw: Draw
  readonly #deeds: string[] = []
  /** What was asked of the present life of Muster and is not answered yet. */
  readonly #asked = new Set<Promise<unknown>>()

  private constructor(world: World, draw: Draw, squash: boolean) {
    this.world = world
    this.squash = squash
    this.#draw = draw
    this.story = draw.chance(0.6)
    this.checkedOut = !this.story && draw.chance(0.5)
    this.ids = Array.from({ length: 2 + draw.upTo(5) }, (_, n) => `${this.story ? 's' : 'task'}-${n + 1}`)
  }

  static async create(seed: number): Promise<Queue> {
    const draw = new Draw(seed)
    const squash = draw.chance(0.75)
    const config = [
      `limits: { maxWorkers: ${draw.upTo(4)}, maxTaskRounds: 7 }`,
      'protected: []',
      `landing: ${squash ? 'squash' : 'merge'}`,
    ]
    const queue = new Queue(await World.create({ config: config.join('\n') }), draw, squash)
    queue.#prepare()
    return queue
  }

  get target(): string {
    return this.story ? 'muster/story/s' : 'main'
  }

  #prepare(): void {
    const { world } = this
    const lines = Array.from({ length: linesPerFile }, (_, n) => `${n + 1}:\n`).join('')
    for (const file of FILES.slice(0, 2)) writeFileSync(join(world.repository, file), lines)
    world.git('config', 'user.name', 'Ann')
    world.git('config', 'user.email', 'ann@example.invalid')
    world.git('add', ...FILES.slice(0, 2))
    world.git('commit', '-qm', 'Lines')
    this.start = world.git('rev-parse', 'main')
    if (!this.checkedOut) world.git('switch', '-qc', 'elsewhere')
    writeFileSync(join(world.top, 'resolve.awk'), RESOLVE)
    writeFileSync(join(world.top, 'edit.awk'), EDIT)
    world.agent('default', AGENT)
    mkdirSync(join(world.top, 'scripts'))
    for (const id of this.ids) {
      const hopeless = this.#draw.chance(0.1)
      for (let attempt = 1; attempt <= attemptsScripted; attempt++) {
        writeFileSync(join(world.top, 'scripts', `${id}.${attempt}`), this.#script(attempt, hopeless))
      }
    }
  }

  /** What an agent does in one attempt. Without a verdict it has crashed, as far as anybody can tell. */
  #script(attempt: number, hopeless: boolean): string {
    const draw = this.#draw
    const edits = Array.from({ length: attempt === 1 ? draw.upTo(3) : draw.upTo(2) - 1 }, () => {
      const file = FILES[draw.upTo(FILES.length) - 1]
      return `edit ${file} ${draw.upTo(linesPerFile)} ${draw.chance(0.2) ? 'rewrite' : 'add'}\n`
    })
    const verdict = hopeless || draw.chance(0.15) ? 'fail' : 'pass'
    const end = attempt === 1 && draw.chance(0.05) ? '' : `verdict ${verdict}\n`
    return `${edits.join('')}sleep 0.0${draw.upTo(9)}\n${end}`
  }

  /** Lives of Muster, each but the last ended by a stop or a crash; the last one until nothing moves any more. */
  async drive(): Promise<void> {
    if (!this.story) await this.#addTasks()
    for (let lives = this.#draw.upTo(4); lives > 0; lives--) await this.#live(lives > 1)
  }

  async #addTasks(): Promise<void> {
    const { world } = this
    await world.start()
    for (const title of this.ids) {
      const texts = { title, instructions: '', acceptanceCriteria: '' }
      const task = { ...texts, checks: [], expectedFiles: [], dependsOn: [], story: null, agent: null, phases: null }
      await world.commands.add({ task, config: world.project.config })
    }
    await world.stop()
  }

  async #live(mortal: boolean): Promise<void> {
    const draw = this.#draw
    const crash = mortal && draw.chance(0.6)
    const at = draw.upTo(12 * this.ids.length)
    const ports = new CrashingPorts(crash ? { at, side: draw.chance(0.5) ? 'before' : 'after' } : null)
    this.#deeds.push('start')
    const how = await Promise.race([this.#work(ports, mortal && !crash ? at : Infinity), ports.crashed])
    if (how === 'settled' || how === 'stop') {
      this.#deeds.push(how)
      return this.world.stop()
    }
    this.#deeds.push(`crash at ${how}`)
    await ports.bury()
    await this.world.store.close()
  }

  /** Works until nothing moves, or until so many events; meanwhile the user meddles. */
  async #work(ports: CrashingPorts, eventsMax: number): Promise<'settled' | 'stop'> {
    const { world } = this
    await world.start((parts) => ports.wrap(parts))
    // What was asked of the dead is never answered.
    this.#asked.clear()
    const begun = world.events.length
    for (let deeds = this.#draw.upTo(4) - 1; deeds > 0; deeds--) this.#meddle(begun)
    const stop = world.until(() => world.events.length >= begun + eventsMax).then(() => 'stop' as const)
    return Promise.race([this.#settle(), stop])
  }

  #meddle(begun: number): void {
    const { world } = this
    const draw = this.#draw
    const when = begun + draw.upTo(12 * this.ids.length)
    const task = this.ids[draw.upTo(this.ids.length) - 1] ?? ''
    const deed = draw.chance(0.65) ? () => this.#commit() : () => this.#cancel(task)
    // Some wait for the most delicate moment of a task.
    const landing = draw.chance(0.4)
    const isTime = (event: ProbeEvent) =>
      landing
        ? event.task === task && event.type === 'run-started' && event['kind'] === 'action'
        : world.events.length >= when
    void world.until(isTime).then(deed)
  }

  async #settle(): Promise<'settled'> {
    const { world } = this
    if (this.story) await world.submit(this.#plan())
    for (;;) {
      await world.engine.settled()
      await Promise.all(this.#asked)
      const tasks = await this.tasks()
      const failed = tasks.find(({ status, id }) => status === 'failed' && !this.#deeds.includes(`pity for ${id}`))
      // A checkout that was not clean for a moment: whoever asks again finds it clean.
      const waits = tasks.some(
        ({ stage, reason }) =>
          stage === 'review' && reason?.toPerson === false && !reason.text.startsWith('a person must'),
      )
      if (failed === undefined && !waits) return 'settled'
      if (failed === undefined) continue
      this.#deeds.push(`pity for ${failed.id}`)
      if (this.#draw.chance(0.5)) await world.commands.retry({ task: failed.id, by: 'tester' })
    }
  }

  #plan(): string {
    const after = (n: number) => (n > 3 && n % 3 === 1 ? `, depends_on: [${n - 3}]` : '')
    return this.ids.map((_, n) => `  - { id: ${n + 1}, name: Task ${n + 1}${after(n + 1)} }\n`).join('')
  }

  #cancel(task: string): void {
    const told = this.world.commands.cancel({ task, reason: 'not wanted', by: 'tester' }).then(
      () => void this.#deeds.push(`cancel ${task}`),
      (error: unknown) => void this.#deeds.push(`cancel ${task}: ${String(error)}`),
    )
    this.#asked.add(told)
    void told.finally(() => this.#asked.delete(told))
  }

  /** The user commits on the target: in their checkout a file of their own, else a line that tasks edit too. */
  #commit(): void {
    const token = `user.${this.userCommits.length + 1}`
    const line = this.checkedOut ? null : 1 + (this.userCommits.length % linesPerFile)
    this.#deeds.push(`commit ${token}`)
    // Muster may be at the same place for a moment, as anybody may.
    for (let commit = ''; commit === '';) {
      commit = line === null ? this.#commitFile(token) : this.#commitLine(token, line)
      if (commit !== '') this.userCommits.push({ commit, token, line })
    }
  }

  #commitFile(name: string): string {
    const { world } = this
    writeFileSync(join(world.repository, name), `${name}\n`)
    try {
      world.git('add', name)
      world.git('commit', '-qm', name, '--', name)
      return world.git('rev-parse', 'HEAD')
    } catch (error) {
      // A landing may also have written the index anew since the file was added: git looks first and writes later.
      const meanwhile = /index\.lock|cannot lock ref|did not match any file/
      if (!meanwhile.test(String((error as { stderr: unknown }).stderr))) throw error
      return ''
    }
  }

  #commitLine(token: string, line: number): string {
    const { world, target } = this
    const head = world.git('rev-parse', `refs/heads/${target}`)
    const lines = world.git('show', `${head}:a.txt`).split('\n')
    const changed = lines.map((text) => (text.startsWith(`${line}:`) ? `${text} ${token}` : text))
    const made = world.commitOn(head, 'a.txt', `${changed.join('\n')}\n`)
    try {
      world.git('update-ref', `refs/heads/${target}`, made, head)
      return made
    } catch {
      return ''
    }
  }

  async tasks(): Promise<TaskView[]> {
    const tasks: TaskView[] = []
    for (const id of this.ids) tasks.push(await this.world.task(id))
    return tasks
  }

  describe(): string {
    const how = [this.target, this.checkedOut ? 'checked out' : 'not checked out', this.squash ? 'squash' : 'merge']
    const landings = this.world.events
      .filter((event) => event.type === 'run-ended' && event['kind'] === 'action')
      .map((event) => `  ${String(event['run'])} ${String(event['outcome'])}: ${String(event['detail'])}\n`)
    return `${this.ids.length} tasks on ${how.join(', ')}; ${this.#deeds.join('; ')}\n${landings.join('')}`
  }

  dispose(): Promise<void> {
    return this.world.dispose()
  }
}
