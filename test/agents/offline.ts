/**
 * One run of each program where there is no network but loopback: `node offline.ts <folder>`, inside a network namespace
 * of its own with the model server beside it. Prints the verdicts, and what its programs were given to start with.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { claude } from '../../src/agents/claude/adapter.ts'
import { codex } from '../../src/agents/codex/adapter.ts'
import { programRuntime } from '../../src/agents/program/program.ts'
import { scenario } from '../model-server/scenario.ts'
import { startModelServer } from '../model-server/server.ts'
import { requestOf } from './model.ts'

const [, , top = ''] = process.argv
const model = await startModelServer()
const told: Record<string, { verdict: string; detail: string; env: string[] }> = {}
for (const adapter of [claude, codex]) {
  const name = adapter.name === 'claude' ? 'claude' : 'codex'
  const workspace = join(top, name)
  mkdirSync(workspace)
  // Stands before the program on the PATH, and writes down what that is started with.
  const spy = `#!/bin/sh\ntr '\\0' '\\n' </proc/$$/environ | cut -d= -f1 >${workspace}.env\nexec "$AGENTS_BIN/${name}" "$@"\n`
  writeFileSync(join(top, 'bin', name), spy, { mode: 0o755 })
  const play = model.play(scenario('write'), workspace)
  const runtime = programRuntime(adapter, { sandbox: { mode: 'off', home: [] }, dataDir: top })
  const request = requestOf(name, play, { runId: `offline-${name}`, dir: join(top, 'runs', name), workspace })
  const agent = { ...request.agent, env: [...request.agent.env, 'AGENTS_BIN'] }
  const worker = await runtime.start({ ...request, agent }, () => {})
  const { verdict, detail } = await worker.ended
  told[name] = { verdict, detail, env: readFileSync(`${workspace}.env`, 'utf8').trim().split('\n').toSorted() }
}
await model.close()
console.log(JSON.stringify(told))
