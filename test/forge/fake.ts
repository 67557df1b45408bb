/**
 * A GitHub of our own at loopback: stateful, strict, and small. Every request and every answer is held against GitHub's
 * published description (description.ts), and what GitHub refuses is refused. What it speaks of, and what people do there,
 * is fake-repository.ts.
 */
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerProblems, requestProblems, sample, type Exchange } from './description.ts'
import { FakeRepository, type FakeComment, type FakeIssue } from './fake-repository.ts'
import type { FakePull, FakeReview, FakeStatus } from './fake-repository.ts'

interface Reply {
  status: number
  body: unknown
  headers?: Record<string, string>
}

const TOKEN = 'ghp_fake0token0for0tests'
const when = '2026-01-01T00:00:00Z'

export class FakeGitHub extends FakeRepository {
  readonly token = TOKEN
  /** What was asked of the API, as in `POST /pulls`. */
  readonly asked: string[] = []
  /** What no GitHub would have said or been asked. */
  readonly wrong: string[] = []
  /** Answers that come before any other, each once. */
  readonly next: Reply[] = []
  /** Reasons to refuse a request by its method and path, as GitHub does to a token that may do less. */
  readonly forbidden: RegExp[] = []
  /** Called before an answer is sent that is already made up, as one that is slow to arrive: with what was asked. */
  beforeAnswer: (asked: string) => Promise<void> | void = () => undefined
  /** Called after a pull request was made, before that is answered. */
  onCreated: () => void = () => undefined
  readonly #server: Server
  readonly #repository: string

  private constructor(server: Server, root: string, from: string) {
    super(root, from)
    this.#server = server
    this.#repository = 'acme/shop'
    server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => void this.#take(incoming, outgoing))
  }

  /** `root`: a folder for its git; `from`: the repository that its own begins as. */
  static async start(root: string, from: string): Promise<FakeGitHub> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return new FakeGitHub(server, root, from)
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get remoteUrl(): string {
    return `${this.url}/${this.#repository}.git`
  }

  /** The part of muster.yaml that leads here; its git by its folder unless `more` says otherwise, which starts fewer processes. */
  config(given = ''): string {
    const more = given.replace('REMOTE', this.remoteUrl)
    const { url } = this
    const remoteUrl = more.includes('remoteUrl') ? '' : `, remoteUrl: "file://${this.git.dir}"`
    return `forge: { type: github, repository: ${this.#repository}, tokenEnv: FAKE_TOKEN, apiUrl: "${url}"${remoteUrl}${more && `, ${more}`} }\n`
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #take(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { pathname, searchParams: query } = new URL(incoming.url ?? '', 'http://fake.invalid')
    if (pathname.startsWith(`/${this.#repository}.git/`)) return this.git.serve(incoming, outgoing, this.token)
    const text = await read(incoming)
    const body = text === '' ? undefined : (JSON.parse(text) as unknown)
    const exchange = { method: incoming.method ?? 'GET', path: pathname, query, body }
    const short = pathname.replace(`/repos/${this.#repository}`, '')
    this.asked.push(`${exchange.method} ${short}`)
    const reply = this.#reply(exchange, short, incoming)
    if (pathname !== '/graphql') {
      const found = [...requestProblems(exchange), ...answerProblems(exchange, reply.status, reply.body)]
      this.wrong.push(...found.map((problem) => `${exchange.method} ${short} (${reply.status}): ${problem}`))
    }
    await this.beforeAnswer(`${exchange.method} ${short}`)
    send(reply, incoming, outgoing)
  }

  #reply(exchange: Exchange, short: string, { headers }: IncomingMessage): Reply {
    const planned = this.next.shift()
    if (planned !== undefined) return planned
    if (headers['user-agent'] === undefined) return error(403, 'Request forbidden by administrative rules.')
    if (headers.authorization !== `Bearer ${this.token}`) return error(401, 'Bad credentials')
    if (this.forbidden.some((pattern) => pattern.test(`${exchange.method} ${short}`))) {
      return {
        ...error(403, 'Resource not accessible by personal access token'),
        headers: { 'x-accepted-github-permissions': 'pull_requests=write' },
      }
    }
    if (exchange.path === '/graphql') return this.#graphql(exchange.body)
    const [kind = '', ...rest] = short.slice(1).split('/').map(decodeURIComponent)
    switch (`${exchange.method} ${kind}`) {
      case 'GET pulls':
        return this.#getPulls(rest, exchange.query)
      case 'GET issues':
        return this.#getIssues(rest, exchange.query)
      case 'POST pulls':
        return this.#create(exchange.body as Record<string, string | boolean>)
      case 'PUT pulls':
        return this.#merge(Number(rest[0]), exchange.body as Record<string, string>)
      case 'GET commits':
        return rest[1] === 'status'
          ? this.#combined(rest[0] ?? '', exchange.query)
          : this.#runs(rest[0] ?? '', exchange.query)
      case 'POST statuses':
        return this.#status(rest[0] ?? '', exchange.body as Omit<FakeStatus, 'sha'>)
      case 'GET branches':
        return this.#branch(rest.join('/'))
      case 'GET rules':
        return ok(this.#rules(rest.slice(1).join('/')))
      default:
        return error(404, 'Not Found')
    }
  }

  #getPulls([number, what]: string[], query: URLSearchParams): Reply {
    if (number === undefined) {
      const [, branch = ''] = (query.get('head') ?? '').split(/:(.*)/s)
      const found = this.pulls.filter((pull) => pull.branch === branch).toReversed()
      return ok(page(found, query).map((pull) => this.#json(pull, 'pull-request-simple')))
    }
    const pull = this.pulls.find((one) => one.number === Number(number))
    if (pull === undefined) return error(404, 'Not Found')
    if (what === undefined) return ok(this.#json(pull, 'pull-request'))
    const of = <T extends { pull: number }>(list: T[]) =>
      page(
        list.filter((one) => one.pull === pull.number),
        query,
      )
    if (what === 'reviews') return ok(of(this.reviews).map((review) => this.#review(review)))
    return ok(of(this.comments).map((comment) => this.#comment(comment)))
  }

  #getIssues([number]: string[], query: URLSearchParams): Reply {
    const json = ({ number: id, title, body, state, labels, by, as, pull }: FakeIssue) => {
      const { pull_request: _, ...made } = sample('issue')
      const html_url = `${this.url}/${this.#repository}/issues/${id}`
      const addresses = { url: html_url, html_url, diff_url: html_url, patch_url: html_url }
      const more = pull ? { pull_request: addresses } : {}
      return {
        ...made,
        number: id,
        html_url,
        title,
        body,
        state,
        labels,
        user: user(by),
        author_association: as,
        ...more,
      }
    }
    if (number !== undefined) {
      const found = this.issues.find((issue) => issue.number === Number(number))
      return found === undefined ? error(404, 'Not Found') : ok(json(found))
    }
    const wanted = (query.get('labels') ?? '').split(',').filter(Boolean)
    const state = query.get('state') ?? 'open'
    const found = this.issues.filter(
      (issue) => (state === 'all' || issue.state === state) && wanted.every((label) => issue.labels.includes(label)),
    )
    return ok(page(found, query).map(json))
  }

  #json(pull: FakePull, type: 'pull-request' | 'pull-request-simple'): object {
    const made = sample(type) as Record<string, object>
    const sha = this.headOf(pull)
    const base = this.git.head(pull.base) ?? ''
    const merged = pull.mergedAs !== null
    const mergeable = () => (merged ? null : this.git.merges(base, sha))
    return {
      ...made,
      number: pull.number,
      node_id: `PR_${pull.number}`,
      html_url: `${this.url}/${this.#repository}/pull/${pull.number}`,
      state: pull.state,
      title: pull.title,
      body: pull.body,
      draft: pull.draft,
      merged_at: merged ? when : null,
      merge_commit_sha: pull.mergedAs,
      user: user('muster-bot'),
      head: { ...made['head'], ref: pull.branch, label: `acme:${pull.branch}`, sha },
      base: { ...made['base'], ref: pull.base, label: `acme:${pull.base}`, sha: base },
      ...(type === 'pull-request' ? { merged, mergeable: mergeable() } : {}),
      ...(type === 'pull-request' ? { mergeable_state: this.missing(pull).length > 0 ? 'blocked' : 'clean' } : {}),
    }
  }

  #review({ id, by, as, state, body, commit }: FakeReview): object {
    const made = sample('pull-request-review')
    return { ...made, id, user: user(by), author_association: as, state, body, commit_id: commit }
  }

  #comment({ review, by, as, path, line, body, commit }: FakeComment): object {
    return {
      ...sample('pull-request-review-comment'),
      pull_request_review_id: review,
      user: user(by),
      author_association: as,
      path,
      ...(line === null ? { subject_type: 'file' } : { line, original_line: line, side: 'RIGHT' }),
      body,
      commit_id: commit,
      original_commit_id: commit,
    }
  }

  #create({ title, head, base, body, draft }: Record<string, string | boolean>): Reply {
    const [branch, target] = [String(head), String(base)]
    const [from, to] = [this.git.head(branch), this.git.head(target)]
    if (from === null) return invalid('head', 'invalid')
    if (to === null) return invalid('base', 'invalid')
    if (this.pulls.some((pull) => pull.state === 'open' && pull.branch === branch && pull.base === target)) {
      return invalid('', 'custom', `A pull request already exists for acme:${branch}.`)
    }
    if (this.git.run('rev-list', '--count', `${to}..${from}`) === '0') {
      return invalid('', 'custom', `No commits between ${target} and ${branch}`)
    }
    const pull: FakePull = {
      number: this.pulls.length + 1,
      title: String(title),
      body: String(body),
      branch,
      base: target,
      draft: draft === true,
      state: 'open',
      frozen: null,
      mergedAs: null,
    }
    this.pulls.push(pull)
    this.onCreated()
    return { status: 201, body: this.#json(pull, 'pull-request') }
  }

  #merge(number: number, request: Record<string, string>): Reply {
    const { sha, merge_method: method, commit_title: title = '', commit_message: text = '' } = request
    const done = this.merge(this.pull(number), { sha, method, message: `${title}\n\n${text}` })
    if ('commit' in done) return ok({ sha: done.commit, merged: true, message: 'Pull Request successfully merged' })
    return { status: done.status, body: { message: done.why, documentation_url: 'https://docs.invalid' } }
  }

  #combined(sha: string, query: URLSearchParams): Reply {
    // The last word of each context.
    const last = [...new Map(this.statuses.filter((one) => one.sha === sha).map((one) => [one.context, one])).values()]
    const made = sample('combined-commit-status')
    const statuses = page(last, query).map(({ sha: _, ...rest }) => ({ ...sample('simple-commit-status'), ...rest }))
    return ok({ ...made, sha, total_count: last.length, statuses })
  }

  #runs(sha: string, query: URLSearchParams): Reply {
    const of = this.checks.filter((one) => one.sha === sha)
    const runs = page(of, query).map(({ name, status, conclusion }) => ({
      ...sample('check-run'),
      name,
      status,
      conclusion,
      head_sha: sha,
      html_url: `https://ci.invalid/${name}`,
    }))
    return ok({ total_count: of.length, check_runs: runs })
  }

  #status(sha: string, { context, state, description, target_url }: Omit<FakeStatus, 'sha'>): Reply {
    try {
      this.git.run('cat-file', '-e', `${sha}^{commit}`)
    } catch {
      return { status: 404, body: { message: `No commit found for SHA: ${sha}` } }
    }
    this.statuses.push({ sha, context, state, description, target_url })
    return { status: 201, body: { ...sample('status'), context, state, description, target_url } }
  }

  #branch(name: string): Reply {
    const made = sample('branch-with-protection') as Record<string, object>
    if (this.git.head(name) === null) return error(404, 'Branch not found')
    const contexts = this.required.get(name)
    const checks = contexts === undefined ? {} : { required_status_checks: { contexts, checks: [] } }
    return ok({ ...made, name, protection: { ...made['protection'], enabled: contexts !== undefined, ...checks } })
  }

  #rules(branch: string): object[] {
    return (this.ruled.get(branch) ?? []).map((context) => ({
      type: 'required_status_checks',
      parameters: { required_status_checks: [{ context }], strict_required_status_checks_policy: false },
    }))
  }

  /** The one mutation that REST does not have: its exact shape, and nothing else. */
  #graphql(body: unknown): Reply {
    const { query, variables } = body as { query: string; variables: { id: string } }
    const shape =
      /^mutation \(\$id: ID!\) \{\s+markPullRequestReadyForReview\(input: \{ pullRequestId: \$id \}\) \{ pullRequest \{ isDraft \} \}\s+\}$/
    if (!shape.test(query.trim())) return ok({ errors: [{ message: `Parse error on ${query}` }] })
    const pull = this.pulls.find(({ number }) => variables.id === `PR_${number}`)
    if (pull === undefined) {
      return ok({
        data: { markPullRequestReadyForReview: null },
        errors: [
          { type: 'NOT_FOUND', message: `Could not resolve to a node with the global id of '${variables.id}'.` },
        ],
      })
    }
    if (pull.state !== 'open') return ok({ data: null, errors: [{ message: 'Pull request is closed' }] })
    pull.draft = false
    return ok({ data: { markPullRequestReadyForReview: { pullRequest: { isDraft: false } } } })
  }
}

function user(login: string): object {
  return { ...sample('simple-user'), login, type: 'User' }
}

function page<T>(items: readonly T[], query: URLSearchParams): T[] {
  const size = Number(query.get('per_page') ?? 30)
  const from = (Number(query.get('page') ?? 1) - 1) * size
  return items.slice(from, from + size)
}

const ok = (body: unknown): Reply => ({ status: 200, body })

function error(status: number, message: string): Reply {
  return { status, body: { message, documentation_url: 'https://docs.invalid', status: String(status) } }
}

function invalid(field: string, code: string, message?: string): Reply {
  const errors = [
    { resource: 'PullRequest', code, ...(field && { field }), ...(message === undefined ? {} : { message }) },
  ]
  return { status: 422, body: { message: 'Validation Failed', errors, documentation_url: 'https://docs.invalid' } }
}

async function read(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

function send({ status, body, headers = {} }: Reply, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const text = JSON.stringify(body)
  const etag = `W/"${createHash('sha256').update(text).digest('hex').slice(0, 32)}"`
  if (status === 200 && incoming.headers['if-none-match'] === etag) {
    outgoing.writeHead(304, { etag }).end()
    return
  }
  outgoing.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    ...(incoming.method === 'GET' ? { etag } : {}),
    ...headers,
  })
  outgoing.end(text)
}
