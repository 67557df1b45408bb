/** The phase maps of a story's own tasks: the steps of other tasks, and two that only these have. */
import type { PhaseMap, Phase } from '../task/phase-map.ts'
import { DONE } from '../task/phase-map.ts'
import { servedStory, type Purpose } from '../task/purpose.ts'
import type { StoryWork } from './story.ts'
import { CONTRACT } from '../task/task.ts'

/** Checks that no configuration can name: commands of `deploy` and `postDeploy`. */
const DEPLOY = 'deploy'
export const POST_DEPLOY = 'post-deploy'

/** Which command of muster.yaml a check runs in a story's own task; null: it is a check like any other. */
export function commandFor(task: { readonly purpose: Purpose }, check: string): 'deploy' | 'postDeploy' | null {
  if (servedStory(task) === null) return null
  return check === DEPLOY ? 'deploy' : check === POST_DEPLOY ? 'postDeploy' : null
}

export const workId = (story: string, kind: StoryWork, n: number): string => `${story}.${kind}.${n}`

/** Each is tried once: what goes wrong is a person's, or another task's, to deal with. */
function phase(name: string, step: Phase['step'], onPass: string): Phase {
  return { name, step, onPass, onFail: name, onWait: null, attempts: 1, timeoutMs: null }
}

/** `deploys`: there is something to run once it is on the base. */
export function shipMap(deploys: boolean): PhaseMap {
  return [
    phase('verify', { type: 'check', name: CONTRACT }, 'land'),
    phase('land', { type: 'action', name: 'merge' }, deploys ? DEPLOY : DONE),
    ...(deploys ? [phase(DEPLOY, { type: 'check', name: DEPLOY }, DONE)] : []),
  ]
}

export const DEFERRED_MAP: PhaseMap = [phase('verify', { type: 'check', name: CONTRACT }, DONE)]

/** `judged`: an agent looks as well, after the command. */
export function validationMap(judged: boolean): PhaseMap {
  return [
    phase('validate', { type: 'check', name: POST_DEPLOY }, judged ? 'judge' : DONE),
    ...(judged ? [phase('judge', { type: 'agent', name: POST_DEPLOY, does: 'judge' }, DONE)] : []),
  ]
}
