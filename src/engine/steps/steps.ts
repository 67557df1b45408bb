/** Every action and signal that a phase map may name. config/phases.ts knows them by the same names. */
import { CI, MARK_READY, MERGE, OPEN_PR, PR_REVIEW } from '../../domain/forge.ts'
import { PLAN_APPROVAL } from '../../domain/task/task-plan.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Forge } from '../../ports/forge.ts'
import type { Signals } from '../../ports/signals.ts'
import type { Actions } from '../../ports/steps.ts'
import type { Workspaces } from '../../ports/workspaces.ts'
import { markReadyAction, openPrAction } from './forge/actions.ts'
import { forgeMergeAction } from './forge/merge.ts'
import { ci, prReview } from './forge/signals.ts'
import { acceptance } from './signals/acceptance.ts'
import { humanApproval } from './signals/human-approval.ts'
import { planApproval } from './signals/plan-approval.ts'

export function stepsOf(workspaces: Workspaces, forge: Forge, clock: Clock): { actions: Actions; signals: Signals } {
  return {
    actions: {
      [MERGE]: forgeMergeAction(workspaces, forge, clock),
      [OPEN_PR]: openPrAction(forge),
      [MARK_READY]: markReadyAction(forge),
    },
    signals: {
      'human-approval': humanApproval,
      [PLAN_APPROVAL]: planApproval,
      acceptance,
      [PR_REVIEW]: prReview(forge),
      [CI]: ci(forge, clock),
    },
  }
}
