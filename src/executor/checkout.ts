/** The files of a job, in a folder: a clean checkout that starts from a golden copy. */
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Hear, JobTree } from '../ports/executor.ts'
import type { LocalParts } from './folders.ts'

/** `index`: the file in which git's knowledge of the checkout is kept. */
export async function checkOut(
  { workspaces, golden, projectRoot }: LocalParts,
  dir: string,
  { commit, branch, target, setup, copy }: JobTree,
  index: string,
  hear: Hear,
): Promise<void> {
  const base = await workspaces.at(commit)
  const from = await golden.copyFor({ base, target, setup, copy }, hear)
  await mkdir(dirname(index), { recursive: true, mode: 0o700 })
  await workspaces.checkout({ dir, base, branch, index, golden: from, copy: { root: projectRoot, paths: copy } })
}
