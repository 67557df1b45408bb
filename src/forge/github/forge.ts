/** GitHub as a forge: its REST API, and the one thing of it that only GraphQL can do. Its git is in src/workspace/remote.ts. */
import { MusterError } from '../../domain/errors.ts'
import type { ForgeChecks, Issue, Pull, PullRef } from '../../domain/forge.ts'
import { branchThere } from '../../domain/forge.ts'
import { cut } from '../../domain/notice.ts'
import type { Forge, ForgeGit, GateStatus, IssueWish, MergeAnswer, MergeWish, PullWish } from '../../ports/forge.ts'
import type { CheckRunJson, CommentJson, IssueJson, PullJson, ReviewJson, RuleJson, StatusJson } from './answers.ts'
import { checksOf, hashIn, issueOf, pullOf, reviewsOf } from './answers.ts'
import type { GitHubConfig } from './config.ts'
import { GitHubHttp } from './http.ts'
import { type HttpParts } from './said.ts'
import { webAddress } from './web.ts'

const descriptionCharsMax = 140
const titleCharsMax = 250

const READY = `mutation ($id: ID!) {
  markPullRequestReadyForReview(input: { pullRequestId: $id }) { pullRequest { isDraft } }
}`

type GitHubParts = Pick<HttpParts, 'token' | 'clock' | 'random'> & {
  git: ForgeGit
  over: AbortController
  /** What this Muster's branches are told apart by. */
  tag(): Promise<string>
}

/** What every question to this repository needs. */
interface Repository {
  config: GitHubConfig
  http: GitHubHttp
  /** Its address for people. */
  web: string
  tag(): Promise<string>
}

export function gitHubForge(config: GitHubConfig, { git, over, tag, ...parts }: GitHubParts): Forge {
  const http = new GitHubHttp({ ...parts, ...config, over: over.signal })
  const web = `${webAddress(config.apiUrl)}/${config.repository}`
  const at: Repository = { config, http, web, tag }
  return understood({
    name: 'GitHub',
    place: `${config.apiUrl}/repos/${config.repository}`.toLowerCase(),
    lands: 'there',
    ensure: (wish) => ensure(at, wish),
    read: async (pull) => asPull(at, await pullAt(at, pull)),
    async reviews({ id }) {
      const reviews = await http.all<ReviewJson>(`/pulls/${id}/reviews`)
      return reviewsOf(reviews, await http.all<CommentJson>(`/pulls/${id}/comments`))
    },
    checks: (pull, head) => checks(at, pull, head),
    async markReady(pull) {
      const { node_id: id, draft, state } = await pullAt(at, pull)
      if (draft === true && state === 'open') await http.graphql(READY, { id })
    },
    merge: (pull, wish) => merge(http, config.merge, pull, wish),
    status: (_, commit, gate) => showStatus(at, commit, gate),
    issues: (wish) => issues(at, wish),
    ...git,
    leave: () => over.abort(),
  })
}

const asPull = async ({ web, tag }: Repository, json: PullJson) => pullOf(json, web, await tag())

const pullAt = async ({ http }: Repository, { id }: Pick<PullRef, 'id'>) =>
  (await http.ask('GET', `/pulls/${id}`)).body as PullJson

const statusesAt = ({ http }: Repository, commit: string) =>
  http.all(`/commits/${commit}/status`, (body) => (body as { statuses: StatusJson[] }).statuses)

/** The one that is open, onto this target if there are others, or else the newest. */
async function find({ config, http }: Repository, branch: string, target: string): Promise<PullJson | null> {
  const [owner = ''] = config.repository.split('/')
  const head = encodeURIComponent(`${owner}:${branch}`)
  const found = await http.all<PullJson>(`/pulls?state=all&head=${head}&sort=created&direction=desc`)
  const open = found.filter(({ state }) => state === 'open')
  return open.find(({ base }) => base.ref === target) ?? open[0] ?? found[0] ?? null
}

async function ensure(at: Repository, { head, title, body, ...wish }: PullWish): Promise<Pull> {
  const [branch, target] = [branchThere(wish.branch, await at.tag()), branchThere(wish.target, await at.tag())]
  const found = await find(at, branch, target)
  // What was merged is over; more work is another pull request. One that a person closed stays so.
  if (found !== null && (found.merged_at === null || found.head.sha === head)) return asPull(at, found)
  const made = await at.http.ask('POST', '/pulls', {
    body: { title: cut(title, titleCharsMax), head: branch, base: target, body, draft: true },
    ok: [422],
  })
  if (made.status !== 422) return asPull(at, made.body as PullJson)
  // Another Muster, or this one before it was killed, was faster.
  const there = await find(at, branch, target)
  if (there?.state === 'open') return asPull(at, there)
  throw cannotOpen(made.body, branch, target)
}

async function checks(at: Repository, pull: PullRef, head: string): Promise<ForgeChecks> {
  const { config, http } = at
  const required = config.requiredChecks ?? (await protectedBy(http, (await pullAt(at, pull)).base.ref))
  const runs = await http.all(
    `/commits/${head}/check-runs`,
    (body) => (body as { check_runs: CheckRunJson[] }).check_runs,
  )
  return checksOf(runs, await statusesAt(at, head), required)
}

async function showStatus(at: Repository, commit: string, gate: GateStatus): Promise<void> {
  const { context, state, link } = gate
  const description = gate.description.slice(0, descriptionCharsMax)
  const there = (await statusesAt(at, commit)).find((one) => one.context === context)
  if (there?.state === state && there.description === description) return
  await at.http.ask('POST', `/statuses/${commit}`, { body: { context, state, description, target_url: link } })
}

async function issues({ http }: Repository, wish: IssueWish): Promise<Issue[]> {
  if ('label' in wish) {
    const label = encodeURIComponent(wish.label)
    return (await http.all<IssueJson>(`/issues?state=open&labels=${label}&direction=asc`)).map(issueOf)
  }
  const found: Issue[] = []
  for (const id of wish.numbers) found.push(issueOf((await http.ask('GET', `/issues/${id}`)).body as IssueJson))
  return found
}

/** What GitHub, or whatever stands between, answers otherwise than anybody expected is its trouble, and no mistake that ends Muster. */
function understood(forge: Forge): Forge {
  return new Proxy(forge, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key)
      if (typeof value !== 'function') return value
      return async (...args: unknown[]) => {
        try {
          return (await value.apply(target, args)) as unknown
        } catch (error) {
          if (error instanceof MusterError) throw error
          throw new MusterError('failed', `GitHub gave an unexpected answer:  ${String(error)}`, { cause: error })
        }
      }
    },
  })
}

async function merge(
  http: GitHubHttp,
  configured: GitHubConfig['merge'],
  { id }: PullRef,
  { head, title, message, keepParents }: MergeWish,
): Promise<MergeAnswer> {
  const method = keepParents ? 'merge' : configured
  // A rebase has the messages of its commits.
  const words = method === 'rebase' ? {} : { commit_title: cut(title, titleCharsMax), commit_message: message }
  const said = await http.ask('PUT', `/pulls/${id}/merge`, {
    body: { sha: head, merge_method: method, ...words },
    ok: [405, 409],
  })
  if (said.status === 200) return { kind: 'merged', commit: hashIn((said.body as { sha: unknown }).sha) }
  const why = String((said.body as { message?: unknown }).message ?? '')
  const now = (await http.ask('GET', `/pulls/${id}`)).body as PullJson
  if (now.merged_at !== null && now.head.sha === head && now.merge_commit_sha !== null) {
    return { kind: 'merged', commit: hashIn(now.merge_commit_sha) }
  }
  if (now.head.sha !== head) return { kind: 'moved' }
  if (now.mergeable === false) return { kind: 'conflict' }
  return { kind: 'blocked', why: why || 'it gives no reason' }
}

/** The checks that the branch is protected with, by its own settings or by rules for many; null if there are none. */
async function protectedBy(http: GitHubHttp, branch: string): Promise<readonly string[] | null> {
  const name = encodeURIComponent(branch)
  const { body } = await http.ask('GET', `/branches/${name}`)
  const { protection } = body as { protection?: { required_status_checks?: { contexts?: string[] } } }
  const rules = await http.all<RuleJson>(`/rules/branches/${name}`)
  const ruled = rules
    .flatMap(({ parameters }) => parameters?.required_status_checks ?? [])
    .map(({ context }) => context)
  const contexts = new Set([...(protection?.required_status_checks?.contexts ?? []), ...ruled])
  return contexts.size === 0 ? null : [...contexts]
}

function cannotOpen(body: unknown, branch: string, target: string): MusterError {
  const { message = '', errors = [] } = body as { message?: string; errors?: ({ message?: string } | string)[] }
  const why = errors.map((error) => (typeof error === 'string' ? error : error.message)).filter(Boolean)
  return new MusterError(
    'failed',
    `GitHub opens no pull request of ${branch} onto ${target}: ${[message, ...why].join('; ')}`,
    {
      hint: 'see docs/forge.md',
    },
  )
}
