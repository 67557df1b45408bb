/** The phase maps that come with Muster, written as a person would write them. */
import type { RawPhase } from './phase-map.ts'

/** The default of a project whose forge is not Muster's own. */
export const PULL_REQUEST = 'pull-request'

export const PRESETS: Record<string, Record<string, RawPhase>> = {
  /** Nobody but Muster looks: the landing verifies the contract by itself. */
  direct: {
    implement: { run: 'agent implementer', on_pass: 'land', on_fail: 'implement' },
    land: { run: 'action merge', on_pass: 'done', on_fail: 'implement' },
  },
  /** Muster verifies the contract, and somebody else than the author accepts. */
  checked: {
    implement: { run: 'agent implementer', on_pass: 'verify', on_fail: 'implement' },
    verify: { run: 'check contract', on_pass: 'accept', on_fail: 'implement' },
    accept: { run: 'signal acceptance', on_pass: 'land', on_fail: 'implement' },
    land: { run: 'action merge', on_pass: 'done', on_fail: 'implement' },
  },
  /** The same, after a plan that a person approved. Work that is sent back goes to its author, not to the plan. */
  planned: {
    plan: { run: 'agent planner', on_pass: 'approve-plan', on_fail: 'plan' },
    'approve-plan': { run: 'signal plan-approval', on_pass: 'implement', on_fail: 'plan' },
    implement: { run: 'agent implementer', on_pass: 'verify', on_fail: 'implement' },
    verify: { run: 'check contract', on_pass: 'accept', on_fail: 'implement' },
    accept: { run: 'signal acceptance', on_pass: 'land', on_fail: 'implement' },
    land: { run: 'action merge', on_pass: 'done', on_fail: 'implement' },
  },
  /** Like `checked`, and a person looks at every result before it lands. */
  reviewed: {
    implement: { run: 'agent implementer', on_pass: 'verify', on_fail: 'implement' },
    verify: { run: 'check contract', on_pass: 'review', on_fail: 'implement' },
    review: { run: 'signal human-approval', on_pass: 'land', on_fail: 'implement' },
    land: { run: 'action merge', on_pass: 'done', on_fail: 'implement' },
  },
  /** Muster verifies the contract, and judges look at the whole before it lands. */
  validated: {
    implement: { run: 'agent implementer', on_pass: 'verify', on_fail: 'implement' },
    verify: { run: 'check contract', on_pass: 'validate', on_fail: 'implement' },
    validate: { run: 'agent validator', on_pass: 'land', on_fail: 'implement' },
    land: { run: 'action merge', on_pass: 'done', on_fail: 'implement' },
  },
  /** What is verified and checked becomes a pull request, which people review where they always do. */
  [PULL_REQUEST]: {
    implement: { run: 'agent implementer', on_pass: 'verify', on_fail: 'implement' },
    verify: { run: 'check contract', on_pass: 'accept', on_fail: 'implement' },
    accept: { run: 'signal acceptance', on_pass: 'open-pr', on_fail: 'implement' },
    'open-pr': { run: 'action open-pr', on_pass: 'await-review', on_fail: 'implement' },
    'await-review': { run: 'signal pr-review', on_pass: 'mark-ready', on_fail: 'implement' },
    'mark-ready': { run: 'action mark-ready', on_pass: 'land', on_fail: 'implement' },
    land: { run: 'action merge', on_pass: 'done', on_fail: 'implement' },
  },
}

export const DEFAULT_PRESET = 'checked'
