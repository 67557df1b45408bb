/** The parts of GitHub's answers that Muster reads, and what it makes of them. Others wrote everything in them. */
import type { ForgeCheck, ForgeChecks, Issue, Pull, Review } from '../../domain/forge.ts'
import { branchHere } from '../../domain/forge.ts'

export interface PullJson {
  number: number
  node_id: string
  state: string
  draft?: boolean
  merged_at: string | null
  merge_commit_sha: string | null
  mergeable?: boolean | null
  mergeable_state?: string
  head: { sha: string }
  base: { ref: string }
}

export interface ReviewJson {
  id: number
  user: { login: string } | null
  body: string
  state: string
  commit_id: string | null
  author_association: string
}

export interface CommentJson {
  pull_request_review_id: number | null
  user: { login: string } | null
  path: string
  line?: number | null
  original_line?: number | null
  side?: string
  body: string
  author_association: string
}

export interface IssueJson {
  number: number
  html_url: string
  title: string
  body?: string | null
  state: string
  user: { login: string } | null
  author_association?: string
  pull_request?: object
}

export interface CheckRunJson {
  name: string
  status: string
  conclusion: string | null
  html_url: string | null
}

export interface StatusJson {
  context: string
  state: string
  description: string | null
  target_url: string | null
}

/** A rule for branches, of which only the required checks matter here. */
export interface RuleJson {
  parameters?: { required_status_checks?: { context: string }[] }
}

/** Who may decide: anybody can write a review of a public repository, and its words would reach an agent. */
const TRUSTED = new Set(['OWNER', 'MEMBER', 'COLLABORATOR'])

/** What git is given here, and files are named by, is a hash and nothing else, whoever answered. */
export function hashIn(text: unknown): string {
  if (typeof text === 'string' && /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(text)) return text
  throw new Error('a commit that has no hash')
}

/** A rule wants a review or a check that is not there, or the newest of the target. */
const BLOCKED = new Set(['blocked', 'behind'])

/** `repository`: where people look at it. Its address is built, and not what somebody answered: people are led there. */
export function pullOf(json: PullJson, repository: string, tag: string): Pull {
  const merged = json.merged_at !== null
  const open = json.draft === true ? 'draft' : 'open'
  return {
    id: String(json.number),
    url: `${repository}/pull/${json.number}`,
    state: merged ? 'merged' : json.state === 'open' ? open : 'closed',
    head: hashIn(json.head.sha),
    base: branchHere(json.base.ref, tag),
    mergedAs: merged && json.merge_commit_sha !== null ? hashIn(json.merge_commit_sha) : null,
    blocked: BLOCKED.has(json.mergeable_state ?? ''),
  }
}

export function issueOf(json: IssueJson): Issue {
  return {
    id: String(json.number),
    url: json.html_url,
    title: json.title,
    body: json.body ?? '',
    state: json.pull_request !== undefined ? 'pull' : json.state === 'open' ? 'open' : 'closed',
    by: json.user?.login ?? 'ghost',
    trusted: TRUSTED.has(json.author_association ?? ''),
  }
}

export function reviewsOf(reviews: readonly ReviewJson[], comments: readonly CommentJson[]): Review[] {
  const trusted = comments.filter(({ author_association: as }) => TRUSTED.has(as))
  const byReview = Map.groupBy(trusted, ({ pull_request_review_id: id }) => id)
  return reviews
    .filter(({ author_association: as, state }) => TRUSTED.has(as) && state !== 'PENDING')
    .map((review) => ({
      by: review.user?.login ?? 'ghost',
      verdict: VERDICTS[review.state] ?? 'comment',
      commit: review.commit_id ?? '',
      body: review.body,
      comments: (byReview.get(review.id) ?? []).map(commentOf),
    }))
}

const VERDICTS: Record<string, Review['verdict']> = {
  APPROVED: 'approved',
  CHANGES_REQUESTED: 'changes',
  DISMISSED: 'dismissed',
}

function commentOf({ user, path: file, line, original_line: first, side, body }: CommentJson) {
  const at = line ?? first ?? undefined
  const old = side === 'LEFT' ? 'about the line as it was before: ' : ''
  return { by: user?.login ?? 'ghost', file, line: at, body: `${old}${body}` }
}

const CONCLUSIONS: Record<string, ForgeCheck['state']> = { success: 'green', neutral: 'idle', skipped: 'idle' }
const STATES: Record<string, ForgeCheck['state']> = { success: 'green', pending: 'pending' }
const WORST = ['failed', 'pending', 'idle', 'green'] as const

/** One line for each name: the worst of all that go by it. `required`: those alone, and each of them; null: all that there are. */
export function checksOf(
  runs: readonly CheckRunJson[],
  statuses: readonly StatusJson[],
  required: readonly string[] | null,
): ForgeChecks {
  const all: ForgeCheck[] = [
    ...runs.map(({ name, status, conclusion, html_url: url }) => {
      const ended = CONCLUSIONS[conclusion ?? ''] ?? 'failed'
      return { name, url, state: status === 'completed' ? ended : ('pending' as const) }
    }),
    ...statuses.map(({ context: name, state, target_url: url }) => ({ name, url, state: STATES[state] ?? 'failed' })),
  ]
  const named = Map.groupBy(all, ({ name }) => name)
  // What Muster itself writes there says nothing that it does not know.
  const wanted = required ?? [...named.keys()].filter((name) => !name.startsWith('muster/'))
  const checks = wanted.map((name): ForgeCheck => {
    const of = named.get(name) ?? []
    const state = WORST.find((one) => of.some((check) => check.state === one)) ?? 'missing'
    return { name, state, url: of.find((check) => check.state === state)?.url ?? null }
  })
  return { named: required !== null, checks }
}
