/** `check deploy` and `check post-deploy` of a story's own tasks: the user's commands, run on what landed. */
import type { DeployConfig, ProjectConfig } from '../../domain/config.ts'
import { formatDuration } from '../../domain/duration.ts'
import { servedStory } from '../../domain/task/purpose.ts'
import { because } from '../../domain/task/reasons.ts'
import { taskBranch } from '../../domain/task/task.ts'
import type { JobResult } from '../../ports/executor.ts'
import type { RunOutcome, Worker } from '../../ports/runtime.ts'
import type { RunRecord, StoredTask } from '../../ports/store.ts'
import { heardFor } from '../jobs/heard.ts'
import type { EngineParts } from '../loop/parts.ts'

const noDeployMs = 60_000

/** A deploy that goes on without this Muster. */
export const DETACHED: RunOutcome = {
  verdict: 'ERROR',
  detail: 'it continues without this Muster',
  findings: [],
  exit: 'detached',
  crashed: false,
  interrupted: true,
}

/** `config`: what the task works under; the commands are those of muster.yaml now. */
export async function startDeploy(
  parts: EngineParts,
  { run, command }: { run: RunRecord; command: 'deploy' | 'postDeploy' },
  { spec, state }: Pick<StoredTask, 'spec' | 'state'>,
  { setup, copy }: ProjectConfig,
): Promise<Worker> {
  const { executor, config } = parts
  // As muster.yaml says it now: whoever mends a wrong command there goes on with the same Ship.
  const deploy: DeployConfig | null = config[command] ?? null
  const commands = command === 'deploy' ? (deploy?.run ?? null) : await validationOf(parts, spec.id, deploy)
  if (commands === null) return over({ verdict: 'PASS', detail: 'there is nothing to run' })
  const commit = state.landed ?? state.commit ?? ''
  // The same for every try of one Ship, so that a deploy can tell whether it has done it before.
  const story = servedStory(spec) ?? ''
  const key = `${story === '' ? spec.id : story}:${commit}`
  const timeoutMs = deploy?.timeoutMs ?? noDeployMs
  const job = executor.start(
    {
      kind: 'detached',
      id: run.id,
      task: spec.id,
      tree: { commit, branch: taskBranch(spec.id), target: spec.target, setup, copy },
      run: commands,
      env: deploy?.env ?? [],
      variables: { MUSTER_DEPLOY_KEY: key, MUSTER_COMMIT: commit, MUSTER_STORY: story },
      timeoutMs,
    },
    heardFor(parts, run),
  )
  const read = (result: JobResult): RunOutcome => {
    if (result.end.is === 'left') return DETACHED
    const outcome = outcomeOf(result, timeoutMs)
    // What could not begin has looked at nothing.
    return command === 'deploy' || result.end.is === 'not-run' ? outcome : repeatable(outcome)
  }
  return {
    ended: job.ended.then(read),
    stop: (now) => job.stop(now),
    setClock: (running) => job.setClock(running),
    detach: () => job.detach?.(),
  }
}

/** PASS on exit 0, FAIL otherwise and on a timeout. Only a person can find out what one has done whose end nobody saw. */
function outcomeOf({ end, output, sandbox }: JobResult, timeoutMs: number): RunOutcome {
  const give = (verdict: RunOutcome['verdict'], what: string): RunOutcome => ({
    verdict,
    detail: verdict === 'PASS' ? what : [what, output].filter(Boolean).join('\n'),
    findings: [],
    exit: what,
    output,
    crashed: false,
    interrupted: false,
    ...(sandbox === null ? {} : { sandbox }),
  })
  const unknown = (why: string) => ({ hold: because('deploy-unknown', { why }) })
  switch (end.is) {
    case 'exited':
      return give(end.code === 0 ? 'PASS' : 'FAIL', `exit ${end.code ?? 'unknown'}`)
    case 'timed-out':
      return give('FAIL', `timed out after ${formatDuration(timeoutMs)}`)
    case 'not-run':
      return { ...give('ERROR', 'not started'), detail: end.why }
    case 'stopped':
      return { ...give('ERROR', 'stopped from outside'), ...unknown('it was stopped') }
    case 'lost':
    case 'left':
      return { ...give('ERROR', 'its process is gone'), ...unknown('its process is gone and left no exit code') }
  }
}

/** Looking does no harm: what nobody saw the end of is looked at again. */
function repeatable({ hold: _hold, ...outcome }: RunOutcome): RunOutcome {
  return { ...outcome, validates: true }
}

/** After a deploy, what the contract can ask of a running system is asked too. */
async function validationOf({ store }: EngineParts, task: string, deploy: DeployConfig | null) {
  const contract = (await store.contracts(task)).at(-1)
  const asked = (contract?.criteria ?? []).flatMap(({ command }) => command ?? [])
  const all = [...(deploy === null ? [] : [deploy.run]), ...asked]
  return all.length === 0 ? null : all.map((command) => `( ${command}\n) || exit`).join('\n')
}

function over({ verdict, detail }: Pick<RunOutcome, 'verdict' | 'detail'>): Worker {
  const outcome = { verdict, detail, findings: [], exit: detail, crashed: false, interrupted: false }
  return { ended: Promise.resolve(outcome), stop() {}, setClock() {} }
}
