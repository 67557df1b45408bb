/** What the criteria of a draft leave open, in words for whoever wrote it (S0.25). */
import type { DraftTask, StoryDraft } from '../domain/draft.ts'
import { lintCriterion } from './lint.ts'

export function draftWarnings({ tasks }: StoryDraft): string[] {
  return tasks.flatMap((task) => [...warningsOf(task), ...(task.subtasks ?? []).flatMap(warningsOf)])
}

function warningsOf({ name, acceptance_criteria }: DraftTask): string[] {
  const lines = acceptance_criteria
    .split('\n')
    .map((line) => line.replace(/^\s*(?:[-*•]|\d+[.)])\s+/, '').trim())
    .filter((line) => line !== '')
  if (lines.length === 0)
    return [`"${name}" has no acceptance criterion: say how somebody else can tell that it is done`]
  return lines.flatMap((line) => {
    const found = lintCriterion(line)
    return found === null ? [] : [`"${name}": "${line}": ${found.problem}; ${found.rewording}`]
  })
}
