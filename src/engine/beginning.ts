/** What a run began with, in its folder from before its worker starts: its end, or a later Muster, needs it. */
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Usage } from '../domain/usage.ts'
import type { AttemptBase } from '../ports/workspaces.ts'

export type Beginning = AttemptBase & {
  leaveOut: string[]
  /** What it may use, if that is less than its agent may. */
  maxBudgetUsd?: number
  /** It goes on with a session. `from`: what the work began from, before it was cut short. */
  resumed?: { session: string; usage: Usage; from: string }
}

const fileIn = (dir: string): string => join(dir, 'base.json')

/** Whole or not at all: Muster may be killed while it writes. */
export async function writeBeginning(dir: string, beginning: Beginning): Promise<void> {
  const half = `${fileIn(dir)}.new`
  await writeFile(half, JSON.stringify(beginning))
  await rename(half, fileIn(dir))
}

/** Null where nothing can be read: a power cut may leave an empty file. */
export async function readBeginning(dir: string): Promise<Beginning | null> {
  const text = await readFile(fileIn(dir), 'utf8').catch(() => '')
  try {
    return JSON.parse(text) as Beginning
  } catch {
    return null
  }
}

/** Whether its author changed nothing. */
export function isUnchanged(beginning: Beginning | null, commit: string): boolean {
  return beginning?.parents.length === 1 && (beginning.resumed?.from ?? beginning.parents[0]) === commit
}
