/** Golden copies: checkouts in which the project's setup has run, for workspaces to start from. */
import type { SetupConfig } from '../domain/config.ts'
import type { Hear } from './executor.ts'
import type { AttemptBase, Golden } from './workspaces.ts'

export interface GoldenWish {
  base: AttemptBase
  /** The branch that the work is to land on. */
  target: string
  setup: SetupConfig | null
  /** Untracked files of the project that the setup needs. */
  copy: readonly string[]
}

export interface GoldenCopies {
  /** The copy for a workspace that starts from `base`; null without a setup. Whoever waits for a setup hears of it. */
  copyFor(wish: GoldenWish, hear: Hear): Promise<Golden | null>
  /** Ends setups that run, because Muster does. Whoever waits for one is told. */
  stop(now: boolean): void
  /** After a restart: ends setups that the last Muster left, and removes what they made. */
  sweep(): Promise<void>
}
