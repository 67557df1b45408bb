/** Requests to GitHub and its answers, as types. */
import type { Clock, Random } from '../../ports/clock.ts'

export interface HttpParts {
  apiUrl: string
  repository: string
  tokenEnv: string
  /** The token as the environment has it now. */
  token(): string | undefined
  clock: Clock
  random: Random
  /** Ends what is under way. */
  over: AbortSignal
}

export interface Said {
  status: number
  body: unknown
  headers: Headers
}
