/** The one line about work that could not be saved, for every command that shows it. */
import { unsavedRuns } from '../engine/jobs/disk.ts'
import type { Store } from '../ports/store.ts'
import type { Place } from '../project.ts'

export async function countUnsaved(store: Store, { dataDir }: Place): Promise<number> {
  return (await unsavedRuns(dataDir, store)).length
}

/** Null when there is none. */
export function unsavedLine(count: number): string | null {
  if (count === 0) return null
  return `${count === 1 ? '1 workspace holds' : `${count} workspaces hold`} work that could not be saved: see muster clean`
}
