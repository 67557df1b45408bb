/** The forge that needs no server: nothing to configure, and nothing that could be missing. */
import { z } from 'zod'
import type { ForgeCheck } from '../../domain/forge.ts'
import { DEFAULT_PRESET } from '../../domain/task/presets.ts'
import type { Store } from '../../ports/store.ts'
import type { ForgeKind } from '../common/kind.ts'
import { localForge } from './forge.ts'

const type = 'local'

export const local: ForgeKind = {
  type,
  title: 'Muster',
  keys: z.strictObject({ type: z.literal(type) }),
  read: () => ({ type }),
  preset: DEFAULT_PRESET,
  ready: () => null,
  open(_, { store }) {
    const records = {
      get: (name: string) => store.setting(name),
      set: (...of: [string, string]) => store.setSetting(...of),
    }
    return localForge(records, (task, head) => ownResults(store, task, head))
  },
}

/** What Muster's own checks last said of this commit of the task's. */
async function ownResults(store: Store, task: string, head: string): Promise<ForgeCheck[]> {
  const state = (await store.task(task))?.state
  if (state?.commit !== head) return []
  const runs = (await store.runs(task)).filter(({ kind, attempt }) => kind === 'check' && attempt === state.attempt)
  const last = new Map(runs.map((run) => [run.name, run]))
  return [...last.values()].map(({ name, end }) => {
    const state = end === null ? 'pending' : end.outcome === 'ADVANCE' ? 'green' : 'failed'
    return { name, state, url: null }
  })
}
