/** The phase maps that come with Muster, written as a person would write them. */
import type { RawPhase } from './phase-map.ts'

export const PRESETS: Record<string, Record<string, RawPhase>> = {
  /** For demos and trials: what the agent says is landed. */
  direct: {
    implement: { run: 'agent implementer', on_pass: 'land', on_fail: 'implement' },
    land: { run: 'action merge', on_pass: 'done', on_fail: 'implement' },
  },
  /** A person looks at every result before it lands. */
  reviewed: {
    implement: { run: 'agent implementer', on_pass: 'review', on_fail: 'implement' },
    review: { run: 'signal human-approval', on_pass: 'land', on_fail: 'implement' },
    land: { run: 'action merge', on_pass: 'done', on_fail: 'implement' },
  },
}

export const DEFAULT_PRESET = 'direct'
