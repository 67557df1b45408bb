/** Where this machine keeps the folder and the checkout of a job. */
import { join } from 'node:path'
import type { GoldenCopies } from '../ports/golden.ts'
import type { Runtime } from '../ports/runtime.ts'
import type { Workspaces } from '../ports/workspaces.ts'

export interface LocalParts {
  runtime: Runtime
  workspaces: Workspaces
  golden: GoldenCopies
  dataDir: string
  projectRoot: string
  now(): number
}

/** The job's own folder: its log, and what a restart has to know. */
export const folderOf = ({ dataDir }: Pick<LocalParts, 'dataDir'>, id: string): string => join(dataDir, 'runs', id)

/** What its processes carry in MUSTER_RUN_ID, and the name of its checkout. */
export const markOf = (id: string): string => id.replaceAll('/', '.')

/** Checkouts of command jobs: nothing in them is kept. */
export const checkoutsIn = ({ dataDir }: Pick<LocalParts, 'dataDir'>): string => join(dataDir, 'checkouts')

/** Where a detached job works: kept until its result is stored, as other workspaces are. */
export const workspaceOf = ({ dataDir }: Pick<LocalParts, 'dataDir'>, id: string): string =>
  join(dataDir, 'workspaces', id)
