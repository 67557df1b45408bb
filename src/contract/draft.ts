/** Finds criteria of a draft that nobody could verify, for its author (S0.25). */
import type { DraftLint, DraftTask, StoryDraft } from '../domain/story/draft.ts'
import { lintCriterion } from '../domain/contract/criterion-lint.ts'

/** In words. */
export function draftWarnings(draft: StoryDraft): string[] {
  const names = new Map(numbered(draft).map(([number, { name }]) => [number, name]))
  return lintDraft(draft).map(({ task, line, criterion, problem, rewording }) =>
    line === null
      ? `"${names.get(task)}" has ${problem}: ${rewording}`
      : `"${names.get(task)}": "${criterion}": ${problem}; ${rewording}`,
  )
}

/** By the place of the criterion. */
export function lintDraft(draft: StoryDraft): DraftLint[] {
  return numbered(draft).flatMap(([number, task]) => lintTask(number, task))
}

/** Tasks are 1, 2, 3; the subtasks of 2 are 2.1, 2.2. */
function numbered({ tasks }: StoryDraft): [string, DraftTask][] {
  return tasks.flatMap((task, index) => {
    const below = (task.subtasks ?? []).map((sub, at): [string, DraftTask] => [`${index + 1}.${at + 1}`, sub])
    return [[String(index + 1), task], ...below]
  })
}

function lintTask(task: string, { acceptance_criteria }: DraftTask): DraftLint[] {
  const lines = acceptance_criteria.split('\n').map((line) => line.replace(/^\s*(?:[-*•]|\d+[.)])\s+/, '').trim())
  if (lines.every((line) => line === '')) {
    const rewording = 'say how somebody else can tell that the task is done'
    return [{ task, line: null, criterion: '', problem: 'no acceptance criterion', rewording }]
  }
  return lines.flatMap((criterion, line) => {
    const found = criterion === '' ? null : lintCriterion(criterion)
    return found === null ? [] : [{ task, line, criterion, problem: found.problem, rewording: found.rewording }]
  })
}
