/** Ends what a killed Muster left of a verification. */
import { basename, join } from 'node:path'
import type { ExecuteParts } from './execute.ts'

/** A command that a killed Muster left is known by its folder alone. */
export async function endLeftOver(
  { runtime, projectRoot }: Pick<ExecuteParts, 'runtime' | 'projectRoot'>,
  dir: string,
  name: string,
): Promise<void> {
  const agent = {
    runtime: 'command',
    verdict: 'exit',
    run: ':',
    env: [],
    timeoutMs: 1,
    network: true,
    checks: [],
  } as const
  const blank = { taskId: '', role: 'check', judge: true, attempt: 0, round: 0, nonce: '', prompt: '' }
  const folder = join(dir, name)
  await runtime.recover({
    ...blank,
    runId: `${basename(dir)}.${name}`,
    dir: folder,
    workspace: folder,
    projectRoot,
    agent,
  })
}
