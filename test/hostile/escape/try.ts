/** One run that tries everything, through the runtimes that Muster itself uses; and what came of each act. */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { claude } from '../../../src/agents/claude/adapter.ts'
import { commandRuntime } from '../../../src/agents/command/command.ts'
import { programRuntime } from '../../../src/agents/program/program.ts'
import type { RunRequest } from '../../../src/ports/runtime.ts'
import { having, marked } from '../../../src/process/fixtures/marked.ts'
import { gone } from '../../../src/process/group.ts'
import { readLog } from '../../../src/process/log-read.ts'
import { headFile } from '../../../src/process/log.ts'
import type { Sandbox } from '../../../src/process/sandbox-found.ts'
import { Mirror } from '../../../src/workspace/mirror.ts'
import { takeSnapshot } from '../../../src/workspace/snapshot.ts'
import { ACTS, GROUPS, type Act, type Seen, type Who } from '../escape.ts'
import { textAt } from './build.ts'
import type { Stage } from './stage.ts'

const OVER = 'escape: everything was tried'
const TELL = `tell() { "$NODE" -e 'const s = require("net").connect(process.argv[1].replace("@", "\\0"), () => s.end(process.env.MARK)); s.on("error", () => {})' "$1"; }`
const identity = { name: 'Tester', email: 'tester@example.invalid' }

/** The ids of the acts that succeeded. */
export async function tryAll(stage: Stage, sandbox: Sandbox, who: Who): Promise<Set<string>> {
  const { places, at, repo } = stage
  stage.restoreQuiet()
  await stage.victim()
  const runId = `escape-${sandbox.kind}-${who}`
  const [dir, workspace] = [at(`$D/runs/${runId}`), at(`$D/workspaces/${runId}`)]
  Object.assign(places, { RUN: dir, W: workspace, OTHER: who === 'author' ? 'checks' : 'authors' })
  repo.git('clone', '--quiet', '--shared', '.', workspace)
  const own = randomBytes(4).toString('hex')
  const markOf = ({ id }: Act): string => `mark-${id}-${who}-${own}`
  const acts = ACTS.filter((act) => act.who?.includes(who) ?? true)
  const tried = acts.map((act) => `(\nexport MARK=${markOf(act)}\n${act.snippet}\n) </dev/null 2>&1`)
  const names = Object.entries(places).filter(([name]) => name !== 'PATH')
  const exported = names.map(([name, value]) => `export ${name}="${value}"`)
  const wait = `echo '${OVER}'\nuntil [ -e "$W/go" ]; do sleep 0.02; done`
  writeFileSync(join(workspace, 'acts.sh'), [...exported, TELL, ...tried, wait, ''].join('\n'))

  const running = await start(stage, sandbox, who, { runId, dir, workspace })
  let isOver = false
  void running.ended.then(() => void (isOver = true))
  await gone(() => !isOver && !textAt(headFile(dir)).includes(OVER), 60_000)
  const held = new Map(acts.map((act) => [act.id, heldBy(markOf(act))]))
  writeFileSync(join(workspace, 'go'), '')
  const told = JSON.stringify(await running.ended)
  const output = (await readLog(dir)).toString()
  if (!output.includes(OVER)) throw new Error(`not everything was tried: ${told}\n${output}`)

  const result = who === 'author' ? await resultOf(stage, dir, workspace) : ''
  const heard = await stage.heard()
  let taken: ReadonlySet<string> = new Set()
  const succeeded = (act: Act): boolean => {
    const mark = markOf(act)
    const here = { ...places, MARK: mark, NONCE: stage.nonce }
    const seen: Seen = {
      at: (path) => path.replaceAll(/\$([A-Z]+)/g, (_, name: string) => (here as Record<string, string>)[name] ?? ''),
      decided: (task) => taken.has(task),
      held: held.get(act.id) ?? [],
      mark,
      output,
      told,
      workspace,
      heard,
      result,
    }
    const did = act.look?.(seen) ?? output.includes(textAt(at(act.secret ?? '')))
    if (act.leaves !== undefined) rmSync(seen.at(act.leaves), { recursive: true, force: true })
    for (const pid of having(`MARK=${mark}`)) process.kill(pid, 'SIGKILL')
    return did
  }
  const decisions = GROUPS['decisions'] ?? []
  const before = acts.filter((act) => !decisions.includes(act) && succeeded(act))
  taken = await stage.decided()
  const decided = acts.filter((act) => decisions.includes(act) && succeeded(act))
  for (const pid of marked(runId)) process.kill(pid, 'SIGKILL')
  return new Set([...before, ...decided].map(({ id }) => id))
}

async function start(stage: Stage, kind: Sandbox, who: Who, own: Pick<RunRequest, 'runId' | 'dir' | 'workspace'>) {
  const judge = who !== 'author'
  const role = { author: 'implementer', check: 'check', judge: 'reviewer' }[who]
  const shared = { env: [], timeoutMs: 120_000, network: true, checks: [] }
  const agent =
    who === 'check'
      ? { ...shared, runtime: 'command', run: 'sh ./acts.sh', verdict: 'exit' }
      : { ...shared, runtime: 'claude', args: [], stallMs: 120_000 }
  const scope = { taskId: 'p-1', role, judge, attempt: 1, round: 0, nonce: 'n0nce', prompt: 'Do it.\n' }
  const request = { ...scope, ...own, projectRoot: stage.repo.dir, agent } as RunRequest
  const options = { sandbox: { mode: 'auto', home: [] }, dataDir: stage.at('$D'), identity, kind } as const
  const runtime = who === 'check' ? commandRuntime(options) : programRuntime(claude, options)
  const saved = { HOME: process.env['HOME'], PATH: process.env['PATH'] }
  Object.assign(process.env, { HOME: stage.at('$H'), PATH: stage.at('$PATH'), VICTIM: `runtime-${stage.nonce}` })
  try {
    return await runtime.start(request, () => {})
  } finally {
    delete process.env['VICTIM']
    Object.assign(process.env, saved)
  }
}

/** What processes with this mark have open for writing. */
function heldBy(mark: string): string[] {
  return having(`MARK=${mark}`).flatMap((pid) => {
    try {
      return readdirSync(`/proc/${pid}/fd`)
        .filter((fd) => /^flags:\s+0?\d*[12]$/m.test(readFileSync(`/proc/${pid}/fdinfo/${fd}`, 'utf8')))
        .map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`))
    } catch {
      return []
    }
  })
}

/** What Muster makes of an author's workspace: every file of it as text. */
async function resultOf(stage: Stage, dir: string, workspace: string): Promise<string> {
  const mirror = new Mirror(stage.at('$D/mirror.git'), stage.at('$R/.git'), identity)
  const commit = stage.repo.git('rev-parse', 'HEAD').trim()
  const tree = stage.repo.git('rev-parse', 'HEAD^{tree}').trim()
  const base = { parents: [commit], tree, conflicts: [] }
  const place = { dir: workspace, base, index: join(dir, 'index'), leaveOut: [] }
  const taken = await takeSnapshot(mirror, { ...place, keepAs: 'escape', message: 'Escape', author: 'implementer' })
  return execFileSync('git', ['--git-dir', mirror.dir, 'archive', taken.commit], { encoding: 'latin1', stdio: 'pipe' })
}
