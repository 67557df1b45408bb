/** The runtime for agent programs that Muster understands: an adapter says how one is started and what its lines mean. */
import { statSync } from 'node:fs'
import type { ProgramAgent } from '../../domain/config.ts'
import { assert } from '../../domain/errors.ts'
import { agentStartMs, outputTailChars } from '../../domain/limits.ts'
import type { RunRequest, Runtime } from '../../ports/runtime.ts'
import { childEnvironment } from '../../process/environment.ts'
import { outputTail, readLog } from '../../process/log-read.ts'
import { headFile } from '../../process/log.ts'
import { errorsOf } from '../../process/supervise.ts'
import { realPath } from '../../process/view.ts'
import type { AgentAdapter } from '../stream/adapter.ts'
import { addEvent, foldEvents, type Fold } from '../stream/fold.ts'
import { lineSplitter } from '../stream/lines.ts'
import { workerRuntime, type WorkerOptions } from '../worker/worker.ts'
import { accountRules, clearPlanted } from './account.ts'
import { judgeServer, JUDGE_SERVER_RULES } from './judge-server.ts'
import { ledgerReader } from './ledger.ts'
import { programOutcome } from './outcome.ts'
import { inTurn } from './turn.ts'
import { watchProgram } from './watch.ts'

/** With these, code that a judge runs could answer in its place. It has its prompt on stdin, and what it needs is there. */
const NOT_FOR_JUDGES = ['MUSTER_NONCE', 'MUSTER_VERDICT_FILE', 'MUSTER_PROMPT_FILE']

interface ProgramOptions extends WorkerOptions {
  /** How long a program that has told its end may take to go. */
  lingerMs?: number
}

export function programRuntime(adapter: AgentAdapter, options: ProgramOptions): Runtime {
  const environment = (agent: ProgramAgent): Record<string, string> =>
    childEnvironment({ pass: [...adapter.pass, ...agent.env] })

  const runtime = workerRuntime(options, {
    launch(request, { confined }, on) {
      const agent = agentOf(request, adapter)
      const { judge, resume } = request
      const { model, tools, args, maxTurns, maxBudgetUsd, network } = agent
      const workspace = realPath(request.workspace) ?? request.workspace
      const limits = { model, tools, maxTurns, maxBudgetUsd, session: resume?.session }
      const server = judge ? judgeServer(realPath(request.dir) ?? request.dir) : undefined
      const line = adapter.commandLine({ judge, workspace, confined, network, args, server, ...limits })
      const env = environment(agent)
      return {
        command: [adapter.program, ...line.args],
        pass: adapter.pass,
        env: line.env,
        without: judge ? NOT_FOR_JUDGES : [],
        writable: adapter.homes(env),
        rules: confined
          ? [...accountRules(adapter, env, request.dir, options.dataDir), ...(judge ? JUDGE_SERVER_RULES : [])]
          : [],
        looksOnly: judge,
        apart: true,
        watch: watchProgram({ adapter, agent, env, before: resume?.usage, lingerMs: options.lingerMs }, on),
      }
    },
    async outcome(request, end, left) {
      const agent = agentOf(request, adapter)
      clearPlanted(request.dir, options.dataDir)
      const fold = await foldOf(request.dir, adapter)
      if (fold.total === null) {
        for (const event of ledgerReader(adapter, environment(agent))(fold.session)) addEvent(fold, event)
      }
      const tail = await outputTail(errorsOf(request.dir), outputTailChars).catch(() => '')
      const atMs = statSync(headFile(request.dir), { throwIfNoEntry: false })?.mtimeMs ?? 0
      return programOutcome({ ...request, agent, adapter }, end, { ...left, fold, tail, atMs })
    },
  })
  return adapter.startsAlone ? { ...runtime, start: startsInTurn(adapter.name, runtime) } : runtime
}

/** One has begun with its first word. */
function startsInTurn(name: string, runtime: Runtime): Runtime['start'] {
  return (request, onLine, onEvent) =>
    inTurn(name, agentStartMs, async (begun) => {
      const worker = await runtime.start(request, onLine, (event) => {
        begun()
        onEvent?.(event)
      })
      void worker.ended.then(begun)
      return worker
    })
}

/** What a run's log comes to. Of a log so large that its middle was left out, the end still has the final event. */
async function foldOf(dir: string, adapter: AgentAdapter): Promise<Fold> {
  const splitter = lineSplitter()
  const log = await readLog(dir).catch(() => Buffer.alloc(0))
  return foldEvents([...splitter.add(log), ...splitter.rest()].flatMap((line) => adapter.parse(line)))
}

function agentOf({ agent }: RunRequest, adapter: AgentAdapter): ProgramAgent {
  assert(agent.runtime === adapter.name, `an agent of ${adapter.name}, not of ${agent.runtime}`)
  return agent
}
