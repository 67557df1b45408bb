/** Gathers the material of an author's prompt from the store and the target; prompt.ts writes it. */
import { BUILT_IN, type ProjectConfig } from '../../domain/config.ts'
import type { Contract } from '../../domain/contract/contract.ts'
import { contractSection } from '../../domain/contract/contract-text.ts'
import { isElaboration } from '../../domain/task/purpose.ts'
import type { RunRequest } from '../../ports/runtime.ts'
import type { RunRecord, StoredTask } from '../../ports/store.ts'
import type { AttemptBase, Workspaces } from '../../ports/workspaces.ts'
import { GUIDES } from '../../tools/agent-files.ts'
import type { EngineParts } from '../loop/parts.ts'
import { isPlanningRun, planInForce } from '../steps/planning.ts'
import { composePrompt } from './prompt.ts'
import { finishOf } from '../jobs/run-agent.ts'

const guideBytesMax = 64 * 1024

export async function authorPrompt(
  { store, workspaces, random }: EngineParts,
  request: RunRequest,
  { spec, state }: StoredTask,
  config: ProjectConfig,
  on: { run: RunRecord; contract: Contract | null; base: AttemptBase; resumed: boolean },
): Promise<string> {
  const { role, attempt, round, nonce, agent } = request
  const plans = isPlanningRun(on.run)
  const { body = '', source } = config.definitions?.[role] ?? {}
  const plan = await planInForce(store, spec, state, plans)
  const findings = await store.findings(spec.id)
  return composePrompt({
    task: spec,
    role,
    plans,
    // A command has its own idea of what it is, unless somebody wrote one down.
    body: agent.runtime === 'command' && source === BUILT_IN && !isElaboration(spec) && !plans ? '' : body,
    attempt,
    round,
    nonce,
    finish: finishOf(request),
    // What was said against earlier plans is dealt with in the plan.
    findings: plan === null || plans ? findings : findings.filter(({ round: said }) => said >= plan.round),
    ...(plan === null ? {} : { plan: { ...plan, boundary: random.nonce() } }),
    contract: on.contract === null ? '' : contractSection(on.contract),
    guides: agent.runtime === 'command' ? [] : await guidesOf(workspaces, spec.target),
    conflicts: on.base.conflicts,
    resumed: on.resumed,
  })
}

/** From the target and never from an attempt: nobody instructs those who come after him. */
async function guidesOf(workspaces: Workspaces, target: string): Promise<{ path: string; text: string }[]> {
  const head = await workspaces.head(target)
  const found: { path: string; text: string }[] = []
  for (const path of head === null ? [] : GUIDES) {
    const text = await workspaces.read(head ?? '', path, guideBytesMax)
    // One that only names the other, or says the same, says nothing new.
    const known = text === null || /^\s*@?AGENTS\.md\s*$/.test(text) || found.some((other) => other.text === text)
    if (text !== null && !known) found.push({ path, text })
  }
  return found
}
