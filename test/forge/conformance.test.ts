/** Both forges keep the port's contract. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock, systemRandom } from '../../src/app.ts'
import type { GitHubConfig } from '../../src/forge/github/config.ts'
import type { Review } from '../../src/domain/forge.ts'
import { forgeConformance } from '../../src/forge/conformance.ts'
import { branchThere } from '../../src/domain/forge.ts'
import { gitHubForge } from '../../src/forge/github/forge.ts'
import { localForge } from '../../src/forge/local/forge.ts'
import { Mirror } from '../../src/workspace/mirror.ts'
import { remoteGit } from '../../src/workspace/remote.ts'
import { beginRepository } from '../support/begun.ts'
import { FakeGitHub } from './fake.ts'

forgeConformance('the local forge', async () => {
  const records = new Map<string, string>()
  const make = () =>
    localForge(
      { get: async (name) => records.get(name) ?? null, set: async (name, text) => void records.set(name, text) },
      async () => [],
    )
  const change = (id: string, how: (pull: { state: string; reviews: Review[] }) => void) => {
    const pull = JSON.parse(records.get(`pull:${id}`) ?? '')
    how(pull)
    records.set(`pull:${id}`, JSON.stringify(pull))
  }
  return {
    forge: make(),
    reopen: make,
    commits: ['a'.repeat(40), 'b'.repeat(40), 'c'.repeat(40)],
    people: {
      async review(id, verdict, commit, body, comments = []) {
        const by = 'ann'
        change(id, ({ reviews }) =>
          reviews.push({ by, verdict, commit, body, comments: comments.map((one) => ({ by, ...one })) }),
        )
      },
      close: async (id) => change(id, (pull) => void (pull.state = 'closed')),
    },
    count: async () => records.size,
    dispose: async () => undefined,
  }
})

forgeConformance('GitHub', async () => {
  const root = mkdtempSync(join(tmpdir(), 'muster-forge-'))
  const repository = join(root, 'repo')
  beginRepository(repository)
  const github = await FakeGitHub.start(root, repository)
  const mirror = new Mirror(join(root, 'mirror.git'), join(repository, '.git'), {
    name: 'Muster',
    email: 'm@muster.invalid',
  })
  await mirror.ensure()
  const base = (await mirror.userHead('main')) ?? ''
  const first = await commit(mirror, base, 'one')
  const second = await commit(mirror, first, 'two')
  const config: GitHubConfig = {
    type: 'github',
    repository: 'acme/shop',
    tokenEnv: 'FAKE_TOKEN',
    webhookSecretEnv: null,
    apiUrl: github.url,
    remoteUrl: github.remoteUrl,
    merge: 'merge',
    requiredChecks: null,
  }
  // By its folder: that git goes over HTTP as well is seen in trouble.test.ts.
  const over = new AbortController()
  const place = {
    name: 'GitHub',
    url: `file://${github.git.dir}`,
    token: () => null,
    permission: 'x',
    over: over.signal,
    nameOf: async (branch: string) => branchThere(branch, 'k3f9a1'),
  }
  const make = () =>
    gitHubForge(config, {
      git: remoteGit(mirror, place),
      token: () => github.token,
      clock: systemClock,
      random: systemRandom,
      over,
      tag: async () => 'k3f9a1',
    })
  const STATES = { approved: 'APPROVED', changes: 'CHANGES_REQUESTED' } as const
  return {
    forge: make(),
    reopen: make,
    commits: [base, first, second],
    people: {
      async review(id, verdict, about, body, comments = []) {
        if (github.headOf(github.pull(Number(id))) !== about) throw new Error(`the head is not ${about}`)
        const lines = comments.map(({ file: path, ...rest }) => ({ path, ...rest }))
        github.review(STATES[verdict], body, lines, { number: Number(id) })
      },
      close: async (id) => github.close(Number(id)),
    },
    count: async () => github.pulls.length,
    async dispose() {
      await github.stop()
      rmSync(root, { recursive: true, force: true })
      if (github.wrong.length > 0) throw new Error(`no GitHub would do this:\n${github.wrong.join('\n')}`)
    },
  }
})

/** A commit of Muster's own. */
async function commit(mirror: Mirror, parent: string, name: string): Promise<string> {
  const blob = await mirror.line(['hash-object', '-w', '--stdin'], { stdin: name })
  const tree = await mirror.line(['mktree'], { stdin: `100644 blob ${blob}\t${name}.txt\n` })
  const made = await mirror.commitTree(tree, [parent], `${name}\n`, mirror.committer)
  await mirror.keep(`attempt/${name}`, made)
  return made
}
