/** The parts of the engine: the ports that it works through, and a few facts. */
import type { ProjectConfig } from '../../domain/config.ts'
import type { Channel } from '../../ports/channel.ts'
import type { Contracts } from '../../ports/contracts.ts'
import type { Drafts } from '../../ports/drafts.ts'
import type { Executor } from '../../ports/executor.ts'
import type { GoldenCopies } from '../../ports/golden.ts'
import type { Clock, Random } from '../../ports/clock.ts'
import type { Forge } from '../../ports/forge.ts'
import type { Probe } from '../../ports/probe.ts'
import type { Runtime } from '../../ports/runtime.ts'
import type { Signals } from '../../ports/signals.ts'
import type { Actions } from '../../ports/steps.ts'
import type { Store } from '../../ports/store.ts'
import type { Verifier } from '../../ports/verifier.ts'
import type { Workspaces } from '../../ports/workspaces.ts'

export interface EngineParts {
  store: Store
  runtime: Runtime
  workspaces: Workspaces
  contracts: Contracts
  verifier: Verifier
  executor: Executor
  golden: GoldenCopies
  drafts: Drafts
  /** The configuration with somebody who plays each of these roles; throws `config` where nobody can. */
  cast(config: ProjectConfig, roles: readonly string[]): ProjectConfig
  actions: Actions
  signals: Signals
  forge: Forge
  channels: readonly Channel[]
  /** Where the web board is, while somebody serves it: on this machine, and for other people. */
  board(): Promise<{ url: string; shared: string | null } | null>
  probe: Probe
  clock: Clock
  random: Random
  /** The configuration as it is now: it bounds the workers and is what new tasks are created under. */
  config: ProjectConfig
  /** The folder of muster.yaml. */
  projectRoot: string
  /** Muster's own folder for this project. */
  dataDir: string
}
