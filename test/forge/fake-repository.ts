/** What stands in a repository at the fake GitHub, what people do there, and what a merge needs. fake.ts answers for it. */
import { FakeGit } from './fake-git.ts'

export interface FakePull {
  number: number
  title: string
  body: string
  branch: string
  base: string
  draft: boolean
  state: 'open' | 'closed'
  /** The head when it was closed or merged. */
  frozen: string | null
  mergedAs: string | null
}

export interface FakeReview {
  id: number
  pull: number
  by: string
  as: string
  state: 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED' | 'DISMISSED'
  body: string
  commit: string
}

export interface FakeComment {
  review: number
  pull: number
  by: string
  as: string
  path: string
  line: number | null
  body: string
  commit: string
}

export interface FakeStatus {
  sha: string
  context: string
  state: string
  description: string | null
  target_url: string | null
}

export interface FakeCheck {
  sha: string
  name: string
  status: string
  conclusion: string | null
}

export interface FakeIssue {
  number: number
  title: string
  body: string | null
  state: 'open' | 'closed'
  labels: string[]
  by: string
  as: string
  pull: boolean
}

interface MergeRequest {
  /** The head that is meant. */
  sha?: string | undefined
  method?: string | undefined
  message?: string
}

interface Refusal {
  status: number
  why: string
}

export class FakeRepository {
  readonly git: FakeGit
  readonly pulls: FakePull[] = []
  readonly reviews: FakeReview[] = []
  readonly comments: FakeComment[] = []
  readonly statuses: FakeStatus[] = []
  readonly checks: FakeCheck[] = []
  readonly issues: FakeIssue[] = []
  /** Contexts that a merge into a branch needs. */
  readonly required = new Map<string, string[]>()
  /** The same by a rule for many branches. */
  readonly ruled = new Map<string, string[]>()
  /** Called when somebody asks for a merge, once. */
  beforeMerge: () => void = () => undefined
  /** Called when a merge is about to be made. */
  onMerge: () => void = () => undefined
  #ids = 100

  /** `root`: a folder for its git; `from`: the repository that its own begins as. */
  constructor(root: string, from: string) {
    this.git = new FakeGit(root, 'shop', from)
  }

  pull(number = 1): FakePull {
    const found = this.pulls.find((pull) => pull.number === number)
    if (found === undefined) throw new Error(`no pull request ${number}`)
    return found
  }

  headOf(pull: FakePull): string {
    return pull.frozen ?? this.git.head(pull.branch) ?? ''
  }

  review(
    state: FakeReview['state'],
    body = '',
    comments: { path: string; line: number | null; body: string }[] = [],
    { by = 'ann', as = 'MEMBER', number = 1 } = {},
  ): void {
    const commit = this.headOf(this.pull(number))
    const id = ++this.#ids
    this.reviews.push({ id, pull: number, by, as, state, body, commit })
    for (const comment of comments) this.comments.push({ ...comment, review: id, pull: number, by, as, commit })
  }

  issue(title: string, more: Partial<FakeIssue> = {}): void {
    const usual = { body: null, state: 'open' as const, labels: [], by: 'ann', as: 'MEMBER', pull: false }
    this.issues.push({ number: this.issues.length + 1, title, ...usual, ...more })
  }

  close(number = 1): void {
    const pull = this.pull(number)
    pull.frozen = this.headOf(pull)
    pull.state = 'closed'
  }

  mergeByPerson(number = 1): void {
    this.merge(this.pull(number), { method: 'squash' })
  }

  check(name: string, conclusion: string | null, number = 1): void {
    const sha = this.headOf(this.pull(number))
    const others = this.checks.filter((one) => one.sha !== sha || one.name !== name)
    this.checks.splice(0, this.checks.length, ...others, {
      sha,
      name,
      conclusion,
      status: conclusion === null ? 'in_progress' : 'completed',
    })
  }

  /** The checks that a merge of it still needs. */
  missing(pull: FakePull): string[] {
    const head = this.headOf(pull)
    const green = new Set(
      this.statuses.filter((one) => one.sha === head && one.state === 'success').map(({ context }) => context),
    )
    return (this.required.get(pull.base) ?? []).filter((name) => !green.has(name))
  }

  merge(pull: FakePull, { sha, method = 'merge', message = '' }: MergeRequest): { commit: string } | Refusal {
    const refuse = (status: number, why: string): Refusal => ({ status, why })
    this.beforeMerge()
    this.beforeMerge = () => undefined
    if (pull.state === 'closed') return refuse(405, 'Pull Request is not mergeable')
    if (pull.draft) return refuse(405, 'Pull Request is still a draft')
    const head = this.headOf(pull)
    if (sha !== undefined && sha !== head)
      return refuse(409, 'Head branch was modified. Review and try the merge again.')
    const missing = this.missing(pull)
    if (missing.length > 0) return refuse(405, `Required status check "${missing[0]}" is expected.`)
    this.onMerge()
    const commit = this.git.merged(this.git.head(pull.base) ?? '', head, method, message)
    if (commit === null) return refuse(405, 'Pull Request is not mergeable')
    this.git.move(pull.base, commit)
    pull.frozen = head
    pull.state = 'closed'
    pull.mergedAs = commit
    return { commit }
  }
}
