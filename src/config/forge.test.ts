/** What muster.yaml may say of a forge, and what it must not. */
import { describe, expect, test } from 'vitest'
import { MusterError } from '../domain/errors.ts'
import { buildConfig } from './project.ts'
import { parseYaml } from './yaml.ts'

const AGENTS = 'agents:\n  implementer: { runtime: command, run: ./agent.sh }\n'
const build = (text: string) => buildConfig(parseYaml(text, 'muster.yaml'), async () => 'main')
const github = (more = '') => `${AGENTS}forge: { type: github, repository: acme/shop${more && `, ${more}`} }\n`

async function refusal(text: string): Promise<string> {
  const error: unknown = await build(text).catch((reason: unknown) => reason)
  if (error instanceof MusterError && error.code === 'config') return error.message
  throw new Error('it was not refused')
}

test('without one, pull requests are records of Muster, and the default map has none', async () => {
  const { forge, phases } = await build(AGENTS)
  expect(forge).toEqual({ type: 'local' })
  expect(phases.map(({ name }) => name)).toEqual(['implement', 'verify', 'accept', 'land'])
})

test('GitHub: a repository is enough; the map has pull requests, what merges does not follow `landing`, and what is stored of the token is a name', async () => {
  const { forge, phases } = await build(`${github()}landing: squash\n`)
  expect(forge).toEqual({
    type: 'github',
    repository: 'acme/shop',
    tokenEnv: 'GITHUB_TOKEN',
    webhookSecretEnv: null,
    apiUrl: 'https://api.github.com',
    remoteUrl: 'https://github.com/acme/shop.git',
    merge: 'merge',
    requiredChecks: null,
  })
  expect(phases.map(({ step }) => `${step.type} ${step.name}`)).toEqual([
    'agent implementer',
    'check contract',
    'signal acceptance',
    'action open-pr',
    'signal pr-review',
    'action mark-ready',
    'action merge',
  ])
})

test('an Enterprise server has its git beside its API', async () => {
  const { forge } = await build(github('apiUrl: "https://git.example.org/api/v3/", merge: rebase'))
  expect(forge).toMatchObject({
    apiUrl: 'https://git.example.org/api/v3',
    remoteUrl: 'https://git.example.org/acme/shop.git',
    merge: 'rebase',
  })
})

describe('refused', () => {
  test.each([
    ['a token in place of its name', github('tokenEnv: ghp_1abc'), 'must be the name of an environment variable'],
    ['no name at all', github('tokenEnv: "a b"'), 'must be the name of an environment variable'],
    ['a repository that is none', `${AGENTS}forge: { type: github, repository: shop }\n`, 'must be owner/name'],
    [
      'a forge that nobody knows, with those that Muster knows',
      `${AGENTS}forge: { type: gitlab, repository: a/b }\n`,
      'forge.type must be "local" or "github", not "gitlab"',
    ],
    ['no type', `${AGENTS}forge: { repository: a/b }\n`, 'forge needs "type"'],
    [
      'a secret in an address',
      github('remoteUrl: "https://me:pw@github.com/acme/shop.git"'),
      'without a name or password',
    ],
    ['an address without TLS elsewhere', github('apiUrl: "http://git.example.org"'), 'must be an https:// address'],
    ['another protocol', github('remoteUrl: "ssh://git@github.com/acme/shop"'), 'must be an https:// address'],
    ['an unknown key', github('token: ghp_1'), 'token'],
  ])('%s', async (_, text, words) => {
    const message = await refusal(text)
    expect(message).toContain(words)
    expect(message).not.toMatch(/ghp_1|pw@/)
  })

  test.each([
    ['an agent', '  implementer: { runtime: command, run: ./a.sh, env: [CI, GITHUB_TOKEN] }\n', 2],
    [
      'a judge',
      '  implementer: { runtime: command, run: x }\n  checker: { runtime: claude, env: [GITHUB_TOKEN] }\n',
      3,
    ],
    ['a check', '  implementer: { runtime: command, run: x }\nchecks:\n  unit: { run: x, env: [GITHUB_TOKEN] }\n', 4],
    ['a setup', '  implementer: { runtime: command, run: x }\nsetup: { run: x, env: [HOOK] }\n', 3],
    ['a deploy', '  implementer: { runtime: command, run: x }\ndeploy: { run: x, env: [GITHUB_TOKEN] }\n', 3],
  ])('the secrets of the forge for %s', async (_, agents, line) => {
    const text = `agents:\n${agents}forge: { type: github, repository: a/b, webhookSecretEnv: HOOK }\n`
    expect(await refusal(text)).toMatch(new RegExp(`^muster.yaml:${line}: \\w+ is a secret of the forge`))
  })

  test('L21 a map that merges pull requests and leaves them drafts', async () => {
    const phases =
      'phases:\n  implement: { run: agent implementer, on_pass: review }\n  review: { run: signal pr-review, on_pass: land, on_fail: implement }\n  land: { run: action merge, on_pass: done, on_fail: implement }\n'
    expect(await refusal(AGENTS + phases)).toBe(
      'muster.yaml:6: a pull request starts as a draft, and a draft cannot be merged: put a phase "action mark-ready" before "land"',
    )
  })

  test('L21 steps that no forge has', async () => {
    const phases = (step: string) =>
      `phases: { a: { run: agent implementer, on_pass: b }, b: { run: ${step}, on_pass: done, on_fail: a } }\n`
    expect(await refusal(AGENTS + phases('action merge-pr'))).toContain(
      'unknown action "merge-pr" (known: merge, open-pr, mark-ready',
    )
    expect(await refusal(AGENTS + phases('signal review'))).toContain(
      'unknown signal "review" (known: human-approval, plan-approval, acceptance, pr-review, ci',
    )
  })
})
