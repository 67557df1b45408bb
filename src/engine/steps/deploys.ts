/** `check deploy` and `check post-deploy` of a story's own tasks: commands of the user's, on what was landed. */
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { DeployConfig } from '../../domain/config.ts'
import { DEPLOY } from '../../domain/story/story-work.ts'
import type { RunOutcome, Worker } from '../../ports/runtime.ts'
import type { RunRecord, StoredTask } from '../../ports/store.ts'
import type { EngineParts } from '../loop/parts.ts'

export async function startDeploy(
  parts: EngineParts,
  run: RunRecord,
  { spec, state }: Pick<StoredTask, 'spec' | 'state'>,
  checkout: (folder: string, commit: string) => Promise<void>,
): Promise<Worker> {
  const { deployer, probe, dataDir, workspaces, config } = parts
  // As muster.yaml says it now: whoever mends a wrong command there goes on with the same Ship.
  const deploy: DeployConfig | null = (run.name === DEPLOY ? config.deploy : config.postDeploy) ?? null
  const commands = await commandsOf(parts, run, spec.id, deploy)
  if (commands === null) return over({ verdict: 'PASS', detail: 'there is nothing to run' })
  const dir = join(dataDir, 'runs', run.id)
  const cwd = join(dataDir, 'workspaces', run.id)
  const commit = state.landed ?? state.commit ?? ''
  if (!deployer.hasStarted(dir)) {
    await mkdir(dir, { recursive: true, mode: 0o700 })
    if (existsSync(cwd)) await workspaces.remove(cwd)
    await checkout(cwd, commit)
  }
  // The same for every try of one Ship, so that a deploy can tell whether it has done it before.
  const key = `${spec.worksFor?.story ?? spec.id}:${commit}`
  const variables = { MUSTER_DEPLOY_KEY: key, MUSTER_COMMIT: commit, MUSTER_STORY: spec.worksFor?.story ?? '' }
  const tell = (line: string) => probe.emit({ type: 'output', task: run.taskId, run: run.id, line })
  const worker = await deployer.start(
    {
      runId: run.id,
      dir,
      cwd,
      run: commands,
      env: deploy?.env ?? [],
      variables,
      timeoutMs: deploy?.timeoutMs ?? 60_000,
    },
    tell,
  )
  return run.name === DEPLOY ? worker : { ...worker, ended: worker.ended.then(repeatable) }
}

/** Looking does no harm: what nobody saw the end of is looked at again. */
function repeatable({ hold: _hold, ...outcome }: RunOutcome): RunOutcome {
  return { ...outcome, validates: true }
}

/** After a deploy, what the contract can ask of a running system is asked too. */
async function commandsOf({ store }: EngineParts, run: RunRecord, task: string, deploy: DeployConfig | null) {
  if (run.name === DEPLOY) return deploy?.run ?? null
  const contract = (await store.contracts(task)).at(-1)
  const asked = (contract?.criteria ?? []).flatMap(({ command }) => command ?? [])
  const all = [...(deploy === null ? [] : [deploy.run]), ...asked]
  return all.length === 0 ? null : all.map((command) => `( ${command}\n) || exit`).join('\n')
}

function over({ verdict, detail }: Pick<RunOutcome, 'verdict' | 'detail'>): Worker {
  const outcome = { verdict, detail, findings: [], exit: detail, crashed: false, interrupted: false }
  return { ended: Promise.resolve(outcome), stop() {}, setClock() {} }
}
