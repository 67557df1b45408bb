/**
 * Several judges of one phase, one after the other. All of them judge; the worst verdict is the phase's. After ERROR
 * the same judge is asked again before the next one.
 */
import { findingTexts, stamp, unchanged } from './outcome.ts'
import type { Phase } from './phase-map.ts'
import { fingerprint } from './recurring.ts'
import type { PanelVerdict, TaskState } from './task.ts'
import type { Decided, StepResult } from './event.ts'
import { outcomeOf, worstOf } from '../verdict/verdict.ts'

/** Who judges next. */
export function judgeOf(phase: Phase, { panel }: TaskState): string {
  return phase.panel?.[panel.length] ?? phase.step.name
}

/** The answer of one judge: null when there is none to wait for, and this result is the phase's alone. */
export function hear(
  state: TaskState,
  phase: Phase,
  role: string,
  result: StepResult,
): { later: Decided } | { result: StepResult; panel: readonly PanelVerdict[] } {
  const judges = phase.panel ?? []
  if (judges.length < 2 || result.verdict === undefined || result.verdict === 'ERROR') {
    return { result, panel: state.panel }
  }
  const texts = findingTexts(result)
  const failed = result.verdict === 'FAIL'
  const findings = failed ? texts : result.findings.map((finding) => ({ ...finding, severity: 'WARN' as const }))
  const prints = findings.filter(({ severity }) => severity === 'FAIL').map(fingerprint)
  const panel = [...state.panel, { role, verdict: result.verdict, detail: result.detail.slice(0, 500), prints }]
  if (panel.length < judges.length) {
    const later = { ...unchanged({ ...state, panel, errors: 0 }), findings: stamp(findings, state.round, role) }
    return { later }
  }
  const verdict = worstOf(panel.map((said) => said.verdict))
  const detail = panel.map((said) => `${said.role}: ${said.verdict}${said.detail && ` ${said.detail}`}`).join('\n')
  // The judges before this one have their findings on record already.
  return { result: { ...result, verdict, outcome: outcomeOf(verdict), detail: failed ? result.detail : detail }, panel }
}
