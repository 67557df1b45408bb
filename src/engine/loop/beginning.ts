/**
 * What a run started with, stored in its folder before its worker starts: the end of the run needs it, also under a
 * later Muster.
 */
import { join } from 'node:path'
import { readDurable, writeDurably } from '../../durable.ts'
import type { Usage } from '../../domain/usage.ts'
import type { AttemptBase } from '../../ports/workspaces.ts'

export type Beginning = AttemptBase & {
  leaveOut: string[]
  /** What it may use, if that is less than its agent may. */
  maxBudgetUsd?: number
  /** It goes on with a run, and with its session unless that is lost. `from`: what the work began from, before it was cut short. */
  resumed?: { session?: string; usage?: Usage; from: string }
}

const fileIn = (dir: string): string => join(dir, 'base.json')

export function writeBeginning(dir: string, beginning: Beginning): Promise<void> {
  return writeDurably(fileIn(dir), beginning)
}

export function readBeginning(dir: string): Beginning | null {
  return readDurable(fileIn(dir)) as Beginning | null
}

/** Whether its author changed nothing. */
export function isUnchanged(beginning: Beginning | null, commit: string): boolean {
  return beginning?.parents.length === 1 && (beginning.resumed?.from ?? beginning.parents[0]) === commit
}
