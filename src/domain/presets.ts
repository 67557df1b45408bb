/** The phase maps that come with Muster, written as a person would write them. */
import type { RawPhase } from './phase-map.ts'

export const PRESETS: Record<string, Record<string, RawPhase>> = {
  /** For demos and trials: what the agent says is landed. */
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
  /** The same, and a person looks at every result before it lands. */
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
}

export const DEFAULT_PRESET = 'checked'
