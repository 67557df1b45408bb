/** Muster itself with the real programs: a plan whose tasks they do, from the command line to the branch. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startModelServer, type ModelServer } from '../model-server/server.ts'
import { makeRepo, planText, type RunDocument } from '../support/muster.ts'
import { bin, requestOf } from './model.ts'
import { PROGRAMS } from './stage.ts'
import { VERIFIED } from '../support/maps.ts'

const missing = PROGRAMS.filter(({ there }) => !there).map(({ title }) => title)

let model: ModelServer
beforeAll(async () => void (model = await startModelServer()))
afterAll(() => model.close())

test.skipIf(missing.length > 0)(
  `four tasks, two by each program, are done and land (S0.31) ${missing.join()}`,
  async () => {
    const repo = makeRepo({ agent: null })
    for (const folder of ['.claude', '.codex', 'tmp']) mkdirSync(join(repo.home, folder))
    writeFileSync(join(repo.home, '.claude.json'), '{}')
    // Where the workspace is only Muster knows: the model writes with a command, in the folder it is started in.
    const steps = [{ run: 'echo "by $MUSTER_TASK_ID" >"$MUSTER_TASK_ID.txt"' }, { say: 'I wrote it.' }]
    const agents = PROGRAMS.map(({ name }) => {
      const { agent } = requestOf(name, model.play({ steps }, ''), { runId: '', dir: '', workspace: '' })
      const { args, model: called } = agent as { args: readonly string[]; model?: string }
      const role = name === 'claude' ? 'implementer' : 'coder'
      return `  ${role}: ${JSON.stringify({ runtime: name, model: called, args, env: agent.env, maxBudgetUsd: 1 })}\n`
    })
    repo.write('muster.yaml', `version: 1\nphases: ${VERIFIED}\nagents:\n${agents.join('')}`)
    const byCodex = 'agent: coder'
    repo.write('plan.yaml', planText('mix', { 1: '', 2: byCodex, 3: '', 4: `${byCodex}, depends_on: [1]` }))
    const env = { PATH: `${bin}:/usr/local/bin:/usr/bin:/bin`, ANTHROPIC_API_KEY: 'dummy', SCRIPTED_KEY: 'dummy' }
    const run = await repo.musterWith({ env }, 'run', 'plan.yaml', '--json')
    expect(run.code, run.stderr).toBe(0)
    const { tasks } = run.json<RunDocument>()
    expect(tasks.map(({ status, round }) => `${status} ${round}`)).toEqual(Array(4).fill('completed 0'))
    for (const number of [1, 2, 3, 4]) {
      expect(repo.git('show', `muster/story/mix:mix-${number}.txt`)).toBe(`by mix-${number}\n`)
    }
    const cost = (await repo.muster('cost', '--story', 'mix', '--json')).json<{ total: unknown; lines: unknown[] }>()
    expect(cost.total).toMatchObject({ runs: 4, usd: expect.any(Number) as number, partial: false })
    expect(cost.lines).toMatchObject([
      { role: 'coder', program: 'codex', runs: 2 },
      { role: 'implementer', program: 'claude', runs: 2 },
    ])
    expect((await repo.muster('cost')).stdout).toMatch(/^by program\n {2}codex +2 runs +\$\d/m)
  },
)
