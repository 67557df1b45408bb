/** A world whose forge is the fake GitHub. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { beginRepository } from '../support/begun.ts'
import { World, type WorldOptions } from '../support/world.ts'
import { FakeGitHub } from './fake.ts'

export const ONE = '  - { id: 1, name: One }\n'

/** A branch of Muster's own as it is called at GitHub. */
export const tagged = (name: string): unknown => expect.stringMatching(new RegExp(`^muster/[0-9a-f]{6}/${name}$`))

/** `forge`: more keys of the forge. */
export type GitHubOptions = WorldOptions & { forge?: string }

export class GitHubWorld {
  readonly world: World
  readonly github: FakeGitHub
  readonly #root: string

  private constructor(world: World, github: FakeGitHub, root: string) {
    this.world = world
    this.github = github
    this.#root = root
  }

  static async create({ forge = '', ...options }: GitHubOptions = {}): Promise<GitHubWorld> {
    const root = mkdtempSync(join(tmpdir(), 'muster-github-'))
    beginRepository(join(root, 'seed'))
    const github = await FakeGitHub.start(root, join(root, 'seed'))
    const { config = 'phases: pull-request\n' } = options
    const world = await World.create({ ...options, config: `${config}${github.config(forge)}` })
    world.env['FAKE_TOKEN'] = github.token
    return new GitHubWorld(world, github, root)
  }

  /** One in which a task waits for its review. */
  static async underReview(options: GitHubOptions = {}): Promise<GitHubWorld> {
    const here = await GitHubWorld.create(options)
    here.world.agent('s-1', 'echo "$MUSTER_ATTEMPT" >one.txt; verdict pass')
    await here.world.run(ONE)
    const { phase, stage } = await here.world.task('s-1')
    if (phase !== 'await-review' || stage !== 'review')
      throw new Error(`s-1 is at ${phase} (${stage}), not under review`)
    return here
  }

  /** What a webhook would do: something happened there. */
  async happened(): Promise<void> {
    this.world.engine.look()
    await this.world.settled()
  }

  async dispose(): Promise<void> {
    await this.world.dispose()
    await this.github.stop()
    rmSync(this.#root, { recursive: true, force: true })
    if (this.github.wrong.length > 0) throw new Error(`no GitHub would do this:\n${this.github.wrong.join('\n')}`)
  }
}
