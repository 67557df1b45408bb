/** Muster itself with the real programs: a plan whose tasks they do, from the command line to the branch. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startModelServer, type ModelServer } from '../model-server/server.ts'
import type { RunView } from '../../src/engine/views/run-view.ts'
import type { Step } from '../model-server/scenario.ts'
import { makeRepo, planText, type Repo, type RunDocument } from '../support/muster.ts'
import { bin, requestOf, type Name } from './model.ts'
import { PROGRAMS } from './stage.ts'
import { VERIFIED } from '../support/maps.ts'

const missing = PROGRAMS.filter(({ there }) => !there).map(({ title }) => title)

let model: ModelServer
beforeAll(async () => void (model = await startModelServer()))
afterAll(() => model.close())

const env = { PATH: `${bin}:/usr/local/bin:/usr/bin:/bin`, ANTHROPIC_API_KEY: 'dummy', SCRIPTED_KEY: 'dummy' }

type Playing = { program: Name; steps: Step[] }

/** A repository whose roles are played by these programs, each with a model of its own. */
function withRoles(roles: Record<string, Playing>, config: string): Repo {
  const repo = makeRepo({ agent: null })
  for (const folder of ['.claude', '.codex', 'tmp']) mkdirSync(join(repo.home, folder))
  writeFileSync(join(repo.home, '.claude.json'), '{}')
  const agents = Object.entries(roles).map(([role, { program, steps }]) => {
    const { agent } = requestOf(program, model.play({ steps }, ''), { runId: '', dir: '', workspace: '' })
    const { args, model: called } = agent as { args: readonly string[]; model?: string }
    return `  ${role}: ${JSON.stringify({ runtime: program, model: called, args, env: agent.env, maxBudgetUsd: 1 })}\n`
  })
  repo.write('muster.yaml', `version: 1\n${config}\nagents:\n${agents.join('')}`)
  return repo
}

/** Its implementer is Claude Code, its coder Codex. */
function withPrograms(steps: Step[]): Repo {
  const roles = { implementer: { program: 'claude', steps }, coder: { program: 'codex', steps } } as const
  return withRoles(roles, `phases: ${VERIFIED}`)
}

test.skipIf(missing.length > 0)(
  `four tasks, two by each program, are done and land (S0.31) ${missing.join()}`,
  async () => {
    // Where the workspace is only Muster knows: the model writes with a command, in the folder it is started in.
    const repo = withPrograms([{ run: 'echo "by $MUSTER_TASK_ID" >"$MUSTER_TASK_ID.txt"' }, { say: 'I wrote it.' }])
    const byCodex = 'agent: coder'
    repo.write('plan.yaml', planText('mix', { 1: '', 2: byCodex, 3: '', 4: `${byCodex}, depends_on: [1]` }))
    const run = await repo.musterWith({ env }, 'run', 'plan.yaml', '--json')
    expect(run.code, run.stderr).toBe(0)
    const { tasks } = run.json<RunDocument>()
    expect(tasks.map(({ status, round }) => `${status} ${round}`)).toEqual(Array(4).fill('completed 0'))
    for (const number of [1, 2, 3, 4]) {
      expect(repo.git('show', `muster/story/mix:mix-${number}.txt`)).toBe(`by mix-${number}\n`)
    }
    const cost = (await repo.here('cost', '--story', 'mix', '--json')).json<{ total: unknown; lines: unknown[] }>()
    expect(cost.total).toMatchObject({ runs: 4, usd: expect.any(Number) as number, partial: false })
    expect(cost.lines).toMatchObject([
      { role: 'coder', program: 'codex', runs: 2 },
      { role: 'implementer', program: 'claude', runs: 2 },
    ])
    expect((await repo.muster('cost')).stdout).toMatch(/^by program\n {2}codex +2 runs +\$\d/m)
  },
)

test.skipIf(missing.length > 0)(
  'the last answer of each program is the plan, and what it changed is not kept',
  async () => {
    const steps: Step[] = [{ run: 'echo x >stray.txt' }, { say: '1. Write it.\n2. Test it.' }]
    const plans = (['claude', 'codex'] as const).map(async (program) => {
      const repo = withRoles({ implementer: { program, steps } }, 'phases: planned')
      const run = await repo.musterWith({ env }, 'run', 'Write it down', '--json')
      expect(run.code, run.stderr).toBe(8)
      return run.json<RunDocument>().tasks[0]
    })
    for (const task of await Promise.all(plans)) {
      expect(task).toMatchObject({ phase: 'approve-plan', plans: [{ text: '1. Write it.\n2. Test it.' }] })
      expect(task?.warnings).toEqual([expect.stringContaining('which Muster does not keep (stray.txt)')])
    }
  },
)

/** Where each program keeps its sessions, in a home. */
const SESSIONS = ['.claude/projects', '.codex/sessions']

/** Kills a Muster whose two authors, one of each program, have left `half.txt` and are still at work. */
async function killedHalfWay(): Promise<Repo> {
  // What it left is only there the second time if the next run has its files.
  const half = 'test -e half.txt && exit; echo "$MUSTER_TASK_ID" >half.txt; exec sleep 1000'
  const repo = withPrograms([{ run: half }, { run: 'mv half.txt "$MUSTER_TASK_ID.txt"' }, { say: 'Done.' }])
  repo.write('plan.yaml', planText('two', { 1: '', 2: 'agent: coder' }))
  const run = repo.startWith({ env }, 'run', 'plan.yaml')
  await run.saw(/started/)
  const leftBy = (task: string) => join(repo.dataDir(), 'workspaces', `${task}.r1`, 'half.txt')
  // A shell makes the file before it writes to it; a program may write its session down a moment after it acts.
  const begun = (task: string) => (statSync(leftBy(task), { throwIfNoEntry: false })?.size ?? 0) > 0
  const kept = (place: string) => sessionsIn(join(repo.home, place)).some((text) => text.includes('half.txt'))
  await vi.waitUntil(() => begun('two-1') && begun('two-2') && SESSIONS.every(kept), { timeout: 50_000 })
  run.signal('SIGKILL')
  await run.ended
  return repo
}

function sessionsIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'))
  return names.map((name) => readFileSync(join(folder, name), 'utf8'))
}

/** Runs the plan to its end, and says what the authors of each task came to. */
async function goneOn(repo: Repo): Promise<RunView[][]> {
  const again = await repo.musterWith({ env }, 'run', 'plan.yaml', '--json')
  expect(again.code, again.stderr).toBe(0)
  const shown = ['two-1', 'two-2'].map(async (task) => {
    expect(repo.git('show', `muster/story/two:${task}.txt`)).toBe(`${task}\n`)
    const { runs, round } = (await repo.here('show', task, '--json')).json<{ runs: RunView[]; round: number }>()
    expect(round).toBe(0)
    return runs.filter(({ kind }) => kind === 'agent')
  })
  return await Promise.all(shown)
}

test.skipIf(missing.length > 0)(
  `a run that was killed with its Muster goes on with its session and its files (F-1) ${missing.join()}`,
  async () => {
    for (const [first, second] of await goneOn(await killedHalfWay())) {
      expect(second).toMatchObject({ verdict: 'PASS', session: first?.session ?? 'none' })
    }
  },
)

test.skipIf(missing.length > 0)(
  `a killed run whose session its program has lost goes on with its files (F-1) ${missing.join()}`,
  async () => {
    const repo = await killedHalfWay()
    for (const place of SESSIONS) rmSync(join(repo.home, place), { recursive: true })
    for (const runs of await goneOn(repo)) {
      expect(runs.map(({ verdict }) => verdict)).toEqual(['ERROR', 'ERROR', 'PASS'])
      expect(runs[2]?.session).not.toBe(runs[0]?.session)
    }
  },
)

/** What a checker answers, with the nonce of its prompt. c2 is the criterion that is its own to answer. */
const says = (verdict: string, findings = '') => `I looked.

**Verdict: ${verdict}**
**Nonce: $NONCE**
**Criteria:**
- c2 ${verdict} \`cat greeting.txt\` shows one line
**Findings:**
${findings}`

/** A task that one program does and the other checks. */
async function pair(author: Name, checker: Name, answer: string) {
  const roles = {
    implementer: { program: author, steps: [{ run: 'echo hello >greeting.txt' }, { say: 'I wrote it.' }] },
    checker: { program: checker, steps: [{ read: 'greeting.txt' }, { say: answer }] },
  }
  const repo = withRoles(roles, 'phases: checked\nchecks: { there: { run: "test -s greeting.txt" } }')
  const asked = 'acceptance_criteria: greeting.txt has a line that greets, checks: [there]'
  repo.write('plan.yaml', planText('pair', { 1: asked }))
  const run = await repo.musterWith({ env }, 'run', 'plan.yaml', '--json')
  return { repo, code: run.code, task: run.json<RunDocument>().tasks[0] }
}

test.skipIf(missing.length > 0).each([
  { author: 'claude', checker: 'codex' },
  { author: 'codex', checker: 'claude' },
] as const)(
  `what $author wrote lands without a person when $checker passes it (S0.1, S0.3, S0.31) ${missing.join()}`,
  async ({ author, checker }) => {
    const { repo, code, task } = await pair(author, checker, says('PASS'))
    expect(task).toMatchObject({ status: 'completed', round: 0, checkerReport: null })
    expect(task?.checker).toEqual({ status: 'passed', taskId: 'pair-1.check.1' })
    expect(code).toBe(0)
    expect(repo.git('show', 'muster/story/pair:greeting.txt')).toBe('hello\n')
    const { lines } = (await repo.here('cost', '--json')).json<{ lines: unknown[] }>()
    expect(lines).toMatchObject([
      { role: 'checker', program: checker, runs: 1 },
      { role: 'implementer', program: author, runs: 1 },
    ])
  },
)

test.skipIf(missing.length > 0)(
  `what codex wrote waits for a person, with the report, when claude fails it (S0.5, S0.6, S0.41) ${missing.join()}`,
  async () => {
    const found = '- [FAIL] greeting.txt:1 it greets nobody by name, see `cat greeting.txt`\n'
    const { repo, code, task } = await pair('codex', 'claude', says('FAIL', found))
    expect(task).toMatchObject({ stage: 'review', round: 0, checker: { status: 'failed' } })
    expect(task?.checkerReport?.kind).toBe('failed')
    expect(task?.checkerReport?.text).toContain('[FAIL] greeting.txt:1 it greets nobody by name')
    expect(task?.findings).toContainEqual(expect.objectContaining({ command: 'cat greeting.txt', replay: 'ran' }))
    expect(code).toBe(8)
    expect(() => repo.git('show', 'muster/story/pair:greeting.txt')).toThrow(/greeting\.txt/)
  },
)
