/** Puts together what runs jobs on this machine, and what decides with them whether work passes. */
import { Mutexes } from './engine/loop/mutex.ts'
import type { EngineParts } from './engine/loop/parts.ts'
import { LocalGoldenCopies } from './executor/golden.ts'
import { localExecutor } from './executor/local.ts'
import { sandboxKey } from './kept-in.ts'
import { environmentDigest } from './process/versions.ts'
import { verifier } from './verify/verifier.ts'

export function jobsOf({
  runtime,
  workspaces,
  store,
  config,
  clock,
  dataDir,
  projectRoot,
}: Pick<EngineParts, 'runtime' | 'workspaces' | 'store' | 'config' | 'clock' | 'dataDir' | 'projectRoot'>): Pick<
  EngineParts,
  'golden' | 'executor' | 'verifier'
> {
  const alone = new Mutexes()
  const local = { runtime, workspaces, dataDir, projectRoot, now: () => clock.now() }
  const golden = new LocalGoldenCopies(local)
  const executor = localExecutor({ ...local, golden })
  return {
    golden,
    executor,
    verifier: verifier({
      executor,
      workspaces,
      cache: store,
      projectRoot,
      now: local.now,
      environment: async (names, words) =>
        `${await sandboxKey(config.sandbox)} ${await environmentDigest(names, words)}`,
      exclusive: (word, work) => alone.run(word, work),
    }),
  }
}
