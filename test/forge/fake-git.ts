/** The git of the fake GitHub: a bare repository, served over smart HTTP by git's own backend to whoever has the token. */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { personsCommit } from '../support/begun.ts'

const IDENTITY = ['-c', 'user.name=GitHub', '-c', 'user.email=noreply@github.invalid']

export class FakeGit {
  readonly dir: string
  readonly #root: string
  readonly #merges = new Map<string, boolean>()

  /** `from`: the repository that it begins as a copy of. */
  constructor(root: string, name: string, from: string) {
    this.#root = root
    this.dir = join(root, `${name}.git`)
    const env = { PATH: process.env['PATH'], GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' }
    execFileSync('git', ['clone', '--quiet', '--bare', '--no-local', from, this.dir], { env, stdio: 'pipe' })
    this.run('config', 'http.receivepack', 'true')
  }

  run(...args: string[]): string {
    return this.#run('', args)
  }

  #run(input: string, args: string[]): string {
    return execFileSync('git', [...IDENTITY, ...args], {
      cwd: this.dir,
      encoding: 'utf8',
      stdio: 'pipe',
      input,
    }).trimEnd()
  }

  /** Read from its file where there is one: a process for each would cost more than the rest of a test. */
  head(branch: string): string | null {
    const file = join(this.dir, 'refs/heads', branch)
    if (existsSync(file)) return readFileSync(file, 'utf8').trim()
    return this.run('for-each-ref', '--format=%(objectname)', `refs/heads/${branch}`) || null
  }

  /** A person's commit that writes one file, on top of another; no branch moves. */
  commit(parent: string, file: string, text: string): string {
    return personsCommit(this.dir, join(this.#root, 'person-index'), parent, file, text)
  }

  move(branch: string, commit: string): void {
    this.run('update-ref', `refs/heads/${branch}`, commit)
  }

  /** Whether there is no conflict. */
  merges(base: string, head: string): boolean {
    const name = `${base} ${head}`
    const known = this.#merges.get(name) ?? this.merged(base, head, 'squash', 'try') !== null
    this.#merges.set(name, known)
    return known
  }

  /** What GitHub makes of a merge; null when there is a conflict. */
  merged(base: string, head: string, method: string, message: string): string | null {
    let tree: string
    try {
      tree = this.run('merge-tree', '--write-tree', base, head).split('\n')[0] ?? ''
    } catch {
      return null
    }
    const parents = method === 'merge' ? [base, head] : [base]
    return this.#run(message, ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-F', '-'])
  }

  serve(incoming: IncomingMessage, outgoing: ServerResponse, token: string): void {
    const wanted = `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`
    if (incoming.headers.authorization !== wanted) {
      outgoing.writeHead(401, { 'WWW-Authenticate': 'Basic realm="GitHub"' }).end()
      return
    }
    const url = new URL(incoming.url ?? '', 'http://fake.invalid')
    const {
      'content-type': type = '',
      'content-encoding': encoding = '',
      'git-protocol': protocol = '',
    } = incoming.headers
    const backend = spawn('git', ['http-backend'], {
      env: {
        PATH: process.env['PATH'],
        GIT_PROJECT_ROOT: this.#root,
        GIT_HTTP_EXPORT_ALL: '1',
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_CONFIG_GLOBAL: '/dev/null',
        REMOTE_USER: 'tester',
        REQUEST_METHOD: incoming.method ?? 'GET',
        // As the address has it: /<owner>/<name>.git/…
        PATH_INFO: url.pathname.replace(/^\/[^/]+/, ''),
        QUERY_STRING: url.search.slice(1),
        CONTENT_TYPE: type,
        HTTP_CONTENT_ENCODING: encoding,
        GIT_PROTOCOL: String(protocol),
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    backend.stdin.on('error', () => undefined)
    incoming.pipe(backend.stdin)
    void answer(backend.stdout, outgoing)
  }
}

async function answer(from: Readable, outgoing: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of from) chunks.push(chunk as Buffer)
  const whole = Buffer.concat(chunks)
  const end = whole.indexOf('\r\n\r\n')
  const headers = whole
    .subarray(0, end)
    .toString()
    .split('\r\n')
    .map((line) => line.split(/: (.*)/s))
  const status = Number(headers.find(([name]) => name === 'Status')?.[1]?.slice(0, 3) ?? 200)
  outgoing.writeHead(
    status,
    Object.fromEntries(headers.filter(([name]) => name !== 'Status').map(([name, value]) => [name, value ?? ''])),
  )
  outgoing.end(whole.subarray(end + 4))
}
