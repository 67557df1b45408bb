/** The limits of one run on this machine, and the sentences about a run that reached one. */
import { formatBytes } from './bytes.ts'

/** Null: as much as there is. */
export interface RunLimits {
  /** Processes and threads at once. */
  processes: number | null
  /** All of them together, with what they keep in memory file systems. */
  memoryBytes: number | null
  /** What its workspace may hold. */
  diskBytes: number | null
}

/** As muster.yaml has them: what is undefined there has its default. */
export type ChosenLimits = { readonly [Name in keyof RunLimits]?: RunLimits[Name] | undefined }

/** Twice what container programs allow by default; four runs at once leave half of the smallest usual `pid_max`. */
export const runProcessesDefault = 4096
/** Of the machine's memory: one run that takes it all takes the machine, too. */
export const runMemoryShareDefault = 0.75
/** Beyond the target folders of the largest builds that are usual. */
export const runDiskBytesDefault = 64 * 1024 ** 3

/** `space` and `files`: it filled the file system itself, by bytes or by the number of files. */
export interface LimitMet {
  limit: 'processes' | 'memory' | 'disk' | 'space' | 'files'
  /** The limit's value; of a file system, what the run has on it. */
  at: number
}

export function describeLimitMet({ limit, at }: LimitMet): string {
  const change = (key: string): string => `to change the limit: sandbox.limits.${key} in muster.yaml`
  switch (limit) {
    case 'processes':
      return `it reached its limit of ${at} processes and threads, so programs could not start others (${change(limit)})`
    case 'memory':
      return `it reached its limit of ${formatBytes(at)} of memory (${change(limit)})`
    case 'disk':
      return `its workspace grew beyond its limit of ${formatBytes(at)} (${change(limit)})`
    case 'space':
      return `the disk is full; Muster removed its workspace, which held ${formatBytes(at)} (${change('disk')})`
    case 'files':
      return `the disk has no room for more files; Muster removed its workspace, which held ${at} files (muster clean shows what else can be removed)`
  }
}

/** From what a record holds; undefined if that is none. */
export function limitMetIn(value: unknown): LimitMet | undefined {
  const { limit, at } = Object(value) as Partial<Record<keyof LimitMet, unknown>>
  const known = (['processes', 'memory', 'disk', 'space', 'files'] as const).find((name) => name === limit)
  return known === undefined || typeof at !== 'number' ? undefined : { limit: known, at }
}
