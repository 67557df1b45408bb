import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { keepsIn, type CommandAgent, type SandboxConfig } from '../../domain/config.ts'
import type { RunRequest } from '../../ports/runtime.ts'
import { kinds } from '../../process/fixtures/kinds.ts'
import { lineSeen, script, tempDir } from '../../process/fixtures/temp.ts'
import { readLog } from '../../process/log-read.ts'
import { noSandbox } from '../../process/sandbox.ts'
import { type Sandbox } from '../../process/sandbox-found.ts'
import { commandRuntime } from '../command/command.ts'

const hiding = (await kinds()).filter(({ kind }) => keepsIn(kind))
const saved = { HOME: process.env['HOME'], PATH: process.env['PATH'] }

/** A machine of its own: a home, Muster's data of two projects, a project and a run of it. */
function machine(kind: Sandbox = noSandbox('')) {
  const top = tempDir()
  const at = (...names: string[]) => join(top, ...names)
  const put = (path: string, text = 'secret\n') => {
    mkdirSync(dirname(at(path)), { recursive: true })
    writeFileSync(at(path), text)
  }
  for (const path of ['data/p/muster.db', 'data/p/notices.jsonl', 'data/p/runs/run-1/log', 'data/p/workspaces/run-1/a'])
    put(path)
  for (const path of ['data/other/muster.db', 'home/.ssh/id', 'home/.claude/settings.json']) put(path)
  // Git reads this one, outside, and would complain about it.
  put('home/.gitconfig', '# secret\n')
  for (const path of ['project/secret.txt', 'data/p/workspaces/run-7/README.md', 'data/p/mirror.git/objects/info/x'])
    put(path)
  for (const path of ['config', 'objects/info/y']) put(`data/p/submodules/x.git/${path}`)
  process.env['HOME'] = at('home')
  const options = {
    sandbox: { mode: 'auto', home: ['.claude', '.none'], caches: [] },
    dataDir: at('data/p'),
    identity: { name: 'Ann "A" \\ B\n[core]', email: 'ann@example.invalid' },
    kind,
  } as const

  function request(run: string, agent: Partial<CommandAgent> = {}): RunRequest {
    const scope = { runId: 'run-7', taskId: 'task-1', role: 'implementer', judge: false, attempt: 1, round: 0 }
    const places = {
      dir: at('data/p/runs/run-7'),
      workspace: at('data/p/workspaces/run-7'),
      projectRoot: at('project'),
    }
    const fixed = {
      runtime: 'command',
      verdict: 'exit',
      env: [],
      timeoutMs: 30_000,
      network: true,
      checks: [],
    } as const
    const full: CommandAgent = { ...fixed, run, ...agent }
    return { ...scope, ...places, nonce: 'n', prompt: 'Do it.\n', agent: full }
  }
  async function run(text: string, agent: Partial<CommandAgent> = {}) {
    const of = request(text, agent)
    const outcome = await (await commandRuntime(options).start(of, () => {})).ended
    return { outcome, output: (await readLog(of.dir)).toString() }
  }
  /** What a run prints in a sandbox of its own; its folder is free for the next one. */
  async function printed(of: RunRequest, sandbox: SandboxConfig): Promise<string> {
    await (
      await commandRuntime({ ...options, sandbox }).start(of, () => {})
    ).ended
    const output = (await readLog(of.dir)).toString()
    rmSync(of.dir, { recursive: true })
    return output
  }
  return { at, put, options, request, run, printed }
}

describe.each(hiding)('a run in $name', ({ kind, sandbox }) => {
  const kept = sandbox ?? noSandbox('')
  let box: ReturnType<typeof machine>
  beforeEach(({ skip }) => {
    skip(sandbox === null)
    box = machine(kept)
  })
  afterEach(() => void Object.assign(process.env, saved))

  test('sees of the home only what is listed, and may write that', async () => {
    const { output } = await box.run('ls -A "$HOME"; echo new >"$HOME/.claude/new"; echo x >"$HOME/x"')
    expect(output).toBe('.claude\n')
    expect(readFileSync(box.at('home/.claude/new'), 'utf8')).toBe('new\n')
    expect(existsSync(box.at('home/x'))).toBe(false)
  })

  test('L36, S1.21 plants nothing in the user’s settings of git, and reads no account beside its own', async () => {
    box.put('home/.config/gh/hosts.yml', 'oauth_token: gho_secret\n')
    const plant = 'git config --global core.fsmonitor "touch /tmp/owned" && git config --global core.fsmonitor'
    const { output } = await box.run(
      `${plant}; mkdir -p "$HOME/.config/git"; echo x >"$HOME/.config/git/config"; cat "$HOME/.config/gh/hosts.yml"; ls -A "$HOME"`,
    )
    expect(output).toBe(
      `touch /tmp/owned\ncat: ${box.at('home/.config/gh/hosts.yml')}: No such file or directory\n.claude\n.config\n.gitconfig\n`,
    )
    expect(readFileSync(box.at('home/.gitconfig'), 'utf8')).toBe('# secret\n')
    // Podman makes a folder for its networks there, if it is not root's.
    expect(readdirSync(box.at('home/.config')).filter((name) => name !== 'cni')).toEqual(['gh'])
  })

  test('knows the user’s name and address wherever it commits, whatever they hold', async () => {
    const { output } = await box.run(
      'git init -q "$HOME/repo" && cd "$HOME/repo" && git commit -q --allow-empty -m x && git log --format="%an <%ae>"',
    )
    expect(output).toBe('Ann "A" \\ B [core] <ann@example.invalid>\n')
  })

  test('a check and the setup see nothing of the home, whatever is listed', async () => {
    for (const role of ['check', 'setup']) {
      const of = { ...box.request('ls -A "$HOME"'), role, judge: true }
      await (
        await commandRuntime(box.options).start(of, () => {})
      ).ended
      expect((await readLog(of.dir)).toString()).toBe('')
      box = machine(kept)
    }
  })

  test('caches are Muster’s own, one for each kind of run; what judges has none that nobody declared', async () => {
    box.put('home/.npm/_cacache/index', 'the user’s\n')
    const leave = 'ls -A "$HOME"; cat "$HOME/.npm/left" 2>/dev/null; echo "by $MUSTER_ROLE" >>"$HOME/.npm/left"'
    const run = (role: string, judge: boolean, caches?: string[]) =>
      box.printed({ ...box.request(leave), role, judge }, { mode: 'auto', home: [], caches })
    expect(await run('implementer', false)).toBe('.cache\n.npm\n')
    expect(await run('implementer', false)).toBe('.cache\n.npm\nby implementer\n')
    expect(await run('setup', true)).toBe('.cache\n.npm\n')
    expect(await run('check', true)).toMatch(/cannot create \S+\.npm\/left/)
    expect(await run('check', true, ['.npm'])).toBe('.npm\n')
    expect(await run('check', true, ['.npm'])).toBe('.npm\nby check\n')
    expect(readdirSync(box.at('home/.npm'))).toEqual(['_cacache'])
  })

  test('L36 a link that was planted in a cache leads nowhere when part of that becomes a cache of its own', async () => {
    await box.printed(box.request('ln -s "$HOME/.ssh" "$HOME/.cache/pip"'), { mode: 'auto', home: [] })
    const caches = ['.cache/pip', '.npm', '.npm/inner']
    const look = box.request('ls -A "$HOME/.cache/pip"; echo x >"$HOME/.cache/pip/owned"; ls "$HOME"/.npm')
    expect(await box.printed(look, { mode: 'auto', home: [], caches })).toBe('')
    expect(readdirSync(box.at('home/.ssh'))).toEqual(['id'])
  })

  test('a listed folder below a cache is the user’s; one that holds the whole home is left out', async () => {
    box.put('home/.cache/browser/program', 'browser\n')
    const sandbox: SandboxConfig = { mode: 'auto', home: ['.cache/browser', ''] }
    const of = box.request('cat "$HOME/.cache/browser/program"; ls -A "$HOME"')
    expect(await box.printed(of, sandbox)).toBe('browser\n.cache\n.npm\n')
  })

  // Podman itself needs one, if it is not root's.
  const homes = kind === 'container' && process.geteuid?.() !== 0 ? [undefined, ''] : [undefined, '/nonexistent', '']

  test.each(homes)('starts without a home: HOME is %s', async (home) => {
    if (home === undefined) delete process.env['HOME']
    else process.env['HOME'] = home
    const of = box.request('echo "home ${HOME-unset}"')
    const sandbox = { mode: 'auto', home: ['.claude'] } as const
    const worker = await commandRuntime({ ...box.options, sandbox }).start(of, () => {})
    expect(await worker.ended).toMatchObject({ verdict: 'PASS', sandbox: kind })
    // A container's runtime gives whoever has none that of the image.
    const given = kind === 'container' && !home ? '/' : `${home ?? 'unset'}\n`
    expect((await readLog(of.dir)).toString()).toMatch(new RegExp(`^home ${given}`))
  })

  test("sees of Muster's data its workspace, its own folder and the mirrors' objects", async () => {
    const { output } = await box.run(`cd '${box.at('data')}'; find . -type f | sort`)
    expect(output.trim().split('\n')).toEqual([
      './p/mirror.git/objects/info/x',
      './p/runs/run-7/gitconfig',
      './p/runs/run-7/prompt.md',
      './p/submodules/x.git/objects/info/y',
      './p/workspaces/run-7/README.md',
    ])
  })

  test('writes its workspace and a /tmp of its own, and nothing else', async () => {
    const mine = `mine-of-${basename(box.at('.'))}`
    const places = [box.at('project/new'), box.at('data/p/mirror.git/objects/new'), '/etc/new', '/usr/new']
    const tries = places.map((path) => `(echo x >'${path}') 2>/dev/null && echo '${path}'`).join('; ')
    const { output } = await box.run(
      `echo x >new; mkdir -p sub; echo y >/tmp/${mine} && cat /tmp/${mine}; ${tries}; ls /tmp`,
    )
    expect(output.split('\n')[0]).toBe('y')
    expect(output).not.toContain('new')
    expect(readdirSync(box.at('data/p/workspaces/run-7'))).toEqual(['README.md', 'new', 'sub'])
    expect(existsSync(`/tmp/${mine}`)).toBe(false)
  })

  test('leaves its verdict, also by renaming; what else it writes there is gone', async () => {
    const text = `cat "$MUSTER_PROMPT_FILE" >>"$MUSTER_PROMPT_FILE.copy"; cp "$MUSTER_PROMPT_FILE" prompt
    echo '{"verdict":"pass","detail":"ok","nonce":"n"}' >"$MUSTER_VERDICT_FILE.tmp"
    mv "$MUSTER_VERDICT_FILE.tmp" "$MUSTER_VERDICT_FILE"; echo 1 >"$(dirname "$MUSTER_VERDICT_FILE")/exit.json"`
    const { outcome } = await box.run(text, { verdict: 'file' })
    expect(outcome).toMatchObject({ verdict: 'PASS', detail: 'ok', sandbox: kind })
    expect(readFileSync(box.at('data/p/workspaces/run-7/prompt'), 'utf8')).toBe('Do it.\n')
    expect(readdirSync(box.at('data/p/runs/run-7')).toSorted()).toEqual([
      'exit.json',
      'init.json',
      'pid',
      'process.json',
      'prompt.md',
      'verdict',
    ])
    expect(await commandRuntime(box.options).recover(box.request(text, { verdict: 'file' }))).toEqual(outcome)
  })

  test('cannot pass off a link or a folder as its verdict', async () => {
    const link = await box.run('ln -s /etc/passwd "$MUSTER_VERDICT_FILE"', { verdict: 'file' })
    expect(link.outcome).toMatchObject({
      verdict: 'FAIL',
      detail: expect.stringContaining('symbolic link') as string,
    })
    box = machine(kept)
    const folder = await box.run('mkdir "$MUSTER_VERDICT_FILE"', { verdict: 'file' })
    expect(folder.outcome).toMatchObject({ verdict: 'FAIL', detail: expect.stringContaining('refused') as string })
  })

  test("runs the project's script, and finds programs of a hidden PATH folder with what they link to", async () => {
    script(box.at('project/agent.sh'), 'tool; linked; ls "$HOME"')
    box.put('home/.local/share/tool/secret')
    mkdirSync(box.at('home/.local/bin'), { recursive: true })
    script(box.at('home/.local/bin/tool'), 'echo a tool')
    script(box.at('home/.local/share/tool/main'), 'echo linked; ls "$(dirname "$(readlink -f "$0")")"')
    symlinkSync('../share/tool/main', box.at('home/.local/bin/linked'))
    process.env['PATH'] = `${box.at('home/.local/bin')}:${saved.PATH}`
    expect((await box.run('./agent.sh')).output).toBe('a tool\nlinked\nmain\n')
  })

  test('cannot widen what the next run sees by planting links where it may write', async () => {
    mkdirSync(box.at('home/.claude/bin'))
    for (const link of ['settings', 'lib', 'bin/program'])
      symlinkSync(box.at('home/.ssh'), box.at('home/.claude', link))
    process.env['PATH'] = `${box.at('home/.claude/bin')}:${saved.PATH}`
    const sandbox = { mode: 'auto', home: ['.claude', '.claude/settings'], caches: [] } as const
    const of = box.request('ls -A "$HOME"; ls "$HOME/.ssh" "$HOME/.claude/settings/" 2>/dev/null')
    await (
      await commandRuntime({ ...box.options, sandbox }).start(of, () => {})
    ).ended
    expect((await readLog(of.dir)).toString()).toBe('.claude\n')
  })

  test('git works in a clone that borrows objects, and its commits stay in the workspace', async () => {
    const git = (cwd: string, ...args: string[]) => execFileSync('git', args, { cwd, encoding: 'utf8' })
    const who = ['-c', 'user.name=A', '-c', 'user.email=a@example.invalid']
    git(box.at('project'), 'init', '--quiet')
    git(box.at('project'), 'add', '--all')
    git(box.at('project'), ...who, 'commit', '--quiet', '--message', 'Start')
    execFileSync('rm', ['-rf', box.at('data/p/mirror.git'), box.at('data/p/workspaces/run-7')])
    git(box.at('data/p'), 'clone', '--quiet', '--bare', box.at('project'), 'mirror.git')
    git(box.at('data/p'), 'clone', '--quiet', '--shared', 'mirror.git', 'workspaces/run-7')
    const { output } = await box.run(
      'echo x >x; git add x; git commit -qm "More"; git log --format=%s; git show HEAD~:secret.txt',
    )
    expect(output).toBe('More\nStart\nsecret\n')
    expect(git(box.at('data/p/workspaces/run-7'), 'log', '-1', '--format=%s')).toBe('More\n')
  })

  test('follows a home, data folder or listed path that is a link', async () => {
    symlinkSync('home', box.at('house'))
    symlinkSync('../project', box.at('home/.linked'))
    process.env['HOME'] = box.at('house')
    mkdirSync(box.at('home/state'))
    symlinkSync('../data', box.at('home/state-link'))
    const of = box.request('ls -A "$HOME"; cat "$HOME/.linked/secret.txt" && pwd', {})
    const data = box.at('house/state-link/p')
    const runtime = commandRuntime({
      sandbox: { mode: 'auto', home: ['.linked'], caches: [] },
      dataDir: data,
      kind: kept,
    })
    const moved = { ...of, dir: join(data, 'runs/run-7'), workspace: join(data, 'workspaces/run-7') }
    expect(await (await runtime.start(moved, () => {})).ended).toMatchObject({ verdict: 'PASS' })
    const output = (await readLog(moved.dir)).toString()
    expect(output).toBe(`.linked\nstate-link\nsecret\n${moved.workspace}\n`)
  })

  test("cannot reach a socket among the system's services or in the data folder", async () => {
    const path = box.at('data/p/engine.sock')
    const server = createServer().listen(path)
    const { output } = await box.run(`[ -e '${path}' ] || echo hidden; ls /run | grep -c 'sock$'`)
    server.close()
    expect(output).toBe('hidden\n0\n')
  })

  test('is told apart from a second start while it runs: its folder stays whole (F-1)', async () => {
    const ready = lineSeen('ready')
    const runtime = commandRuntime(box.options)
    const of = box.request('mkfifo go; echo ready; cat go; [ -e "$MUSTER_PROMPT_FILE" ]')
    const first = await runtime.start(of, ready.onLine)
    await ready.seen
    expect(await (await runtime.start(of, () => {})).ended).toMatchObject({ interrupted: true })
    writeFileSync(join(of.workspace, 'go'), '')
    expect(await first.ended).toMatchObject({ verdict: 'PASS' })
  })
})

describe('a run where bubblewrap does not work', () => {
  test('says so', async () => {
    const { request, options } = machine()
    const none = noSandbox('bubblewrap is not installed')
    const worker = await commandRuntime({ ...options, kind: none }).start(request('true'), () => {})
    expect(await worker.ended).toMatchObject({ verdict: 'PASS', sandbox: 'none' })
    Object.assign(process.env, saved)
  })

  test('does not start if a sandbox is required', async () => {
    const { request, options, at } = machine()
    const none = noSandbox('bubblewrap is not installed')
    const sandbox = { ...options.sandbox, mode: 'require' } as const
    const worker = await commandRuntime({ ...options, sandbox, kind: none }).start(request('touch it'), () => {})
    expect(await worker.ended).toMatchObject({
      verdict: 'ERROR',
      detail: expect.stringContaining('apt-get install bubblewrap') as string,
    })
    expect(existsSync(at('data/p/workspaces/run-7/it'))).toBe(false)
    Object.assign(process.env, saved)
  })
})
