/** What is to be known of a kind of channel: how it is written in muster.yaml, and how one is opened. */
import type { NoticeKind } from '../domain/notice.ts'
import type { Channel } from '../ports/channel.ts'
import type { Clock } from '../ports/clock.ts'
import type { Probe } from '../ports/probe.ts'

export interface ChannelParts {
  on: readonly NoticeKind[]
  /** Its place in the configuration. */
  index: number
  /** Empty where it needs none. */
  url: string
  /** Null: it is configured without one. */
  secret: string | null
  clock: Pick<Clock, 'now'>
  probe: Probe
}

export interface ChannelKind {
  /** Its key in an entry of `notify`: behind it stands where to, or `true` if it needs no address. */
  type: string
  address: boolean
  /** Another key of such an entry: the variable that holds its secret. */
  secret?: {
    key: `${string}Env`
    /** For the JSON schema. */
    about: string
    /** What an entry of another kind is told that has the key. */
    elsewhere: string
    /** Why the secret cannot be one; null if it can. */
    problem?(secret: string): string | null
  }
  open(parts: ChannelParts): Channel
}
