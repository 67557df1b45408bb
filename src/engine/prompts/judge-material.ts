/** Gathers the material of a judge's prompt from the store and from git; composeJudgePrompt writes it. */
import type { ProjectConfig } from '../../domain/config.ts'
import type { Contract } from '../../domain/contract/contract.ts'
import type { CriterionResult } from '../../domain/verdict/evidence.ts'
import { JUDGE_TOOLS } from '../../domain/verdict/judge-tools.ts'
import { promptDefectBytesMax, promptDiffCharsMax } from '../../domain/limits.ts'
import type { RunRequest } from '../../ports/runtime.ts'
import { verdictFileOf } from '../../ports/runtime.ts'
import type { RunRecord, StoredTask } from '../../ports/store.ts'
import type { JudgePromptParts } from './judge-prompt.ts'
import type { EngineParts } from '../loop/parts.ts'
import { lastResults } from '../views/results.ts'

export async function judgeMaterial(
  parts: EngineParts,
  request: RunRequest,
  { spec }: StoredTask,
  config: ProjectConfig,
  contract: Contract | null,
): Promise<JudgePromptParts> {
  const { store, workspaces, random } = parts
  const { role, attempt, nonce, judging } = request
  const { commit = '', criteria: answer = [], offered = [], warns = true } = judging ?? {}
  const head = await workspaces.head(spec.target)
  const fork = (head === null ? null : await workspaces.mergeBase(head, commit)) ?? commit
  // What has landed already is compared with what the target was before.
  const base = fork === commit ? ((await workspaces.find(`${commit}^1`))?.commit ?? commit) : fork
  const runs = await store.runs(spec.id)
  const answered = (lastResults(runs, attempt)?.criteria ?? []).filter(({ status }) => status !== 'pending')
  const diff = await workspaces.diff(base, commit, { stat: false, color: false })
  return {
    body: config.definitions?.[role]?.body ?? `You are the ${role}: you judge work that somebody else has done.`,
    role,
    task: spec,
    attempt,
    commit,
    base,
    contract,
    answer,
    offered,
    answered,
    checks: Object.entries(config.checks).map(([name, { run }]) => ({
      name,
      command: run,
      said: said(answered, name),
    })),
    changedFiles: await workspaces.changed(base, commit),
    diff: { text: diff.slice(0, promptDiffCharsMax), cut: diff.length > promptDiffCharsMax },
    authorWords: lastWords(runs, attempt),
    defect: await defectOf(parts, spec.defect, head),
    findings: await store.findings(spec.id),
    nonce,
    boundary: random.nonce(),
    warns,
    finish: finishOf(request),
  }
}

function finishOf({ agent, dir }: RunRequest): JudgePromptParts['finish'] {
  if (agent.runtime !== 'command') return { tools: JUDGE_TOOLS.map(({ name }) => name) }
  return agent.verdict === 'exit' ? { exit: true } : { file: verdictFileOf(dir) }
}

function said(answered: readonly CriterionResult[], name: string): string | null {
  return answered.find(({ activity }) => activity === name)?.status ?? null
}

/** What the author of the attempt said at its end. */
function lastWords(runs: readonly RunRecord[], attempt: number): string {
  const author = runs.findLast((run) => run.does === 'work' && run.attempt === attempt)
  return author?.end?.detail ?? ''
}

/** As the target has it: the author must not write what it is measured by. */
async function defectOf({ workspaces }: EngineParts, path: string | null, head: string | null) {
  if (path === null || head === null) return null
  const text = await workspaces.read(head, path, promptDefectBytesMax)
  return { path, text: text ?? `(there is no such file on the target, or it is too large)` }
}
