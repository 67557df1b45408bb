/**
 * `npm run recording`: the quickstart of the README as a picture that moves, docs/screenshots/quickstart.svg. The commands
 * are really typed, on a small repository with the real Claude Code, whose model is a scripted one on 127.0.0.1. What is
 * shown is what they printed, with long pauses made short.
 */
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import type { Step } from '../model-server/scenario.ts'
import { startModelServer } from '../model-server/server.ts'
import { bin } from './model.ts'
import { columns, drawn, Screen } from './recording-svg.ts'

const ROOT = join(import.meta.dirname, '../..')
const TASK = 'Answer 404 instead of failing for unknown orders'

const FILES = {
  'package.json': '{ "name": "shop", "type": "module", "scripts": { "test": "node --test" } }\n',
  'src/orders.js': `const orders = new Map([['a1', { id: 'a1', total: 20 }]])

export function show(id) {
  return { status: 200, body: { total: orders.get(id).total } }
}
`,
  'test/orders.test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { show } from '../src/orders.js'

test('an order is shown with its total', () => {
  assert.deepEqual(show('a1'), { status: 200, body: { total: 20 } })
})
`,
}

const FIX = `cat >src/orders.js <<'END'
const orders = new Map([['a1', { id: 'a1', total: 20 }]])

export function show(id) {
  const order = orders.get(id)
  return order === undefined ? { status: 404 } : { status: 200, body: { total: order.total } }
}
END
cat >>test/orders.test.js <<'END'

test('an unknown order is answered with 404', () => {
  assert.deepEqual(show('b2'), { status: 404 })
})
END
npm test`

const VERDICT = `I read the change and ran the tests.

**Verdict: PASS**
**Nonce: $NONCE**
**Criteria:**
**Findings:**
`

if (!existsSync(join(bin, 'claude'))) {
  console.error('Claude Code is not installed here: npm run agents:install')
  process.exit(1)
}
const top = mkdtempSync(join(tmpdir(), 'muster-recording-'))
const model = await startModelServer()
try {
  const screen = await recorded()
  writeFileSync(join(ROOT, 'docs/screenshots/quickstart.svg'), drawn(screen))
  for (const { text } of screen.rows) console.log(text)
} finally {
  await model.close()
  rmSync(top, { recursive: true, force: true })
}

async function recorded(): Promise<Screen> {
  const repository = join(top, 'shop')
  const env = prepared(repository)
  const screen = new Screen()
  const tell = (text: string) => screen.write(text.replaceAll(top, '/home/you'), Date.now())
  for (const command of ['muster init', `muster run "${TASK}"`, 'muster ship answer-404', 'git log -1 --format=%B']) {
    tell(`$ ${command}\n`)
    await listened(command, repository, env, tell)
    tell('\n')
  }
  return screen
}

/** The repository, a home with nothing in it, and programs that know where the model is. */
function prepared(repository: string): NodeJS.ProcessEnv {
  const own = join(top, 'bin')
  const home = join(top, 'home')
  for (const folder of [own, join(home, '.claude'), join(home, 'tmp')]) mkdirSync(folder, { recursive: true })
  writeFileSync(join(home, '.claude.json'), '{}')
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(repository, path)), { recursive: true })
    writeFileSync(join(repository, path), text)
  }
  const script = (name: string, text: string) => {
    writeFileSync(join(own, name), `#!/bin/sh\n${text}\n`)
    chmodSync(join(own, name), 0o755)
  }
  const told = (steps: Step[]) =>
    JSON.stringify({ env: { ANTHROPIC_BASE_URL: model.play({ steps }, '').url, ANTHROPIC_API_KEY: 'dummy' } })
  const author = told([{ run: FIX }, { say: 'Unknown orders are answered with 404 now, and a test says so.' }])
  const checker = told([{ run: 'npm test' }, { say: VERDICT }])
  script(
    'claude',
    `[ "$MUSTER_ROLE" = checker ] && told='${checker}' || told='${author}'
[ $# -lt 3 ] && exec '${join(bin, 'claude')}' "$@"
exec '${join(bin, 'claude')}' --settings "$told" "$@"`,
  )
  script('muster', `exec '${process.execPath}' '${join(ROOT, 'bin/muster.mjs')}' "$@"`)
  const env = {
    PATH: [own, dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter),
    HOME: home,
    TMPDIR: join(home, 'tmp'),
    MUSTER_HOME: join(top, 'data'),
    USER: 'you',
  }
  const git = (...args: string[]) => execFileSync('git', args, { cwd: repository, env })
  git('init', '-q', '-b', 'main')
  git('config', 'user.name', 'You')
  git('config', 'user.email', 'you@example.invalid')
  git('add', '-A')
  git('commit', '-qm', 'Start')
  return env
}

/** Types it at a terminal. */
function listened(command: string, cwd: string, env: NodeJS.ProcessEnv, tell: (text: string) => void): Promise<void> {
  const child = spawn('script', ['-qefc', `stty cols ${columns}; ${command}`, '/dev/null'], {
    cwd,
    env: { ...env, TERM: 'xterm', PAGER: 'cat' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  child.stdout.setEncoding('utf8').on('data', (text: string) => tell(text.replaceAll('\r\n', '\n')))
  return new Promise((resolve) => child.once('close', () => resolve()))
}
