/** Why something waits for a person, and what they can do about it. */

export const NEED_KINDS = [
  'review',
  'plan',
  'checker-failed',
  'checker-error',
  'held',
  'protected',
  'advisory',
  'budget',
  'landing',
  'draft',
  'failed',
  'ship',
  'fix',
  'deploy',
  'deferred',
  'deadlock',
  'push',
  'limit',
  'paused',
] as const
export type NeedKind = (typeof NEED_KINDS)[number]

/** What a person can do about it: to a task, to a draft, to a story, or to the whole project. */
export const NEED_ACTIONS = [
  'accept',
  'approve',
  'reject',
  'retry',
  'cancel',
  'approve-draft',
  'ship',
  'resume',
  'deployed',
  'fix',
  'as-verifiable',
  'as-advisory',
  'unpause',
] as const
export type NeedAction = (typeof NEED_ACTIONS)[number]
