/** Pushes that a remote refused: each stays an intent and is tried again at the next start. */
import type { Store } from '../../ports/store.ts'
import type { Intent } from '../../ports/intent.ts'

interface Unpushed {
  branch: string
  commit: string
  /** In the remote's words. */
  why: string
  /** What to type. */
  next: string
  since: number
}

/** What is kept with the intent of a push that was refused. */
type Refused = Pick<Unpushed, 'why' | 'next' | 'since'>

export function refusedBefore({ pinned }: Intent): Refused | null {
  return (pinned as Refused | null) ?? null
}

/** Of each branch the last: a push of it takes those before along. */
export async function unpushed(store: Store): Promise<Unpushed[]> {
  const all = (await store.pendingIntents()).flatMap((intent): Unpushed[] => {
    if (intent.kind !== 'push') return []
    const refused = refusedBefore(intent)
    return refused === null ? [] : [{ ...intent.data, ...refused }]
  })
  return [...new Map(all.map((one) => [one.branch, one])).values()]
}

export const unpushedText = ({ branch, commit, why, next }: Omit<Unpushed, 'since'>): string =>
  `${branch} is at ${commit.slice(0, 12)} here and was not pushed: ${why}. Next: ${next}`
