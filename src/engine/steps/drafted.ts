/** The result of an elaborator's run. Pure; elaborate.ts starts such runs and shows their drafts. */
import type { StoryDraft } from '../../domain/story/draft.ts'
import type { FindingText } from '../../domain/verdict/verdict.ts'
import type { Drafts } from '../../ports/drafts.ts'
import type { RunOutcome } from '../../ports/runtime.ts'
import type { RunRecord } from '../../ports/store.ts'

/**
 * A draft, or what is wrong with it. Vague criteria go back once, with how to word them;
 * then they are shown as warnings.
 */
export function drafted(drafts: Drafts, run: RunRecord, outcome: RunOutcome): RunOutcome & { draft?: StoryDraft } {
  const silent = outcome.crashed && outcome.process?.code === 0
  if (outcome.verdict === 'ERROR' || (outcome.verdict === 'FAIL' && !silent)) return outcome
  const said = [outcome.answer, outcome.detail, outcome.output].filter((text) => text !== undefined && text !== '')
  const readings = said.map((text) => drafts.read(text ?? ''))
  const read = readings.find((one) => 'draft' in one) ?? readings[0] ?? { problems: ['there is no answer'] }
  const findings = (texts: readonly string[], severity: 'FAIL' | 'WARN'): FindingText[] =>
    texts.map((message) => ({ severity, message }))
  if ('problems' in read) {
    const detail = 'the answer is not a draft of a story'
    return { ...outcome, crashed: false, verdict: 'FAIL', detail, findings: findings(read.problems, 'FAIL') }
  }
  const { draft, warnings } = read
  const taken = { ...outcome, crashed: false, detail: `a draft of ${draft.tasks.length} tasks`, draft }
  if (warnings.length > 0 && run.round === 0) {
    const detail = 'some criteria cannot be verified by somebody else: reword them'
    return { ...taken, verdict: 'FAIL', detail, findings: findings(warnings, 'FAIL') }
  }
  return { ...taken, verdict: warnings.length > 0 ? 'WARN' : 'PASS', findings: findings(warnings, 'WARN') }
}
