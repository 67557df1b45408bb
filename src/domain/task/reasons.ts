/**
 * Why a task waits, is held or failed, as a value: a code with parameters. This is the only place that makes sentences
 * from reasons and says which of them need a person. Nothing compares the sentences (H-12); words of agents,
 * repositories and forges are only ever parameters.
 */
import { describeUsd } from '../cost.ts'

/** What a criterion's contract asks a person about before the work starts. */
export type Question = 'ambiguous' | 'advisory' | 'in-story' | 'always'

interface Params {
  /** The kind of contract is to be chosen. */
  'contract-question': { task: string; why: Question }
  /** Criteria that no further phase asks anybody about. */
  unanswered: { ids: readonly string[] }
  /** Criteria that its checker may not answer. */
  'only-person': { ids: readonly string[] }
  /** The checker found it not done, or could not tell. */
  checker: { verdict: 'FAIL' | 'ERROR'; said: string }
  /** Landing on a protected branch. `open`: criteria that the same word confirms. */
  approval: { task: string; target: string; open: readonly string[] }
  budget: { whose: string; usedUsd: number; limitUsd: number; raise: string; task: string }
  protected: { paths: readonly string[] }
  /** The verification could not tell. */
  unclear: { said: string }
  'deploy-unknown': { why: string }
  recurring: { who: string; rounds: number; said: string }
  rounds: { max: number; said: string }
  attempts: { phase: string; max: number; judged: boolean; said: string }
  interrupted: { who: string; times: number }
  'cannot-run': { who: string; times: number; said: string }
  'no-phase': { phase: string | null }

  queue: { target: string }
  'verify-merge': { target: string }
  'verify-target': { target: string }
  /** In the user's repository. `brief`: it may be over in a moment. */
  obstacle: { what: string; brief: boolean }
  git: { said: string }
  look: { at: 'work' | 'plan' }
  /** `limit`: it does not begin before that is over. */
  'checker-at-work': { check: string; limit: ProgramLimit | null }

  /** `busy`: the forge asks to wait, or does not answer. */
  forge: { said: string; hint: string | null; busy: boolean }
  'pull-request': Record<string, never>
  'pull-closed': { url: string; forge: string }
  'pull-moved': { url: string }
  'pull-draft': { url: string; by: 'forge' | 'map' }
  'pull-merged-elsewhere': { url: string; base: string; target: string }
  'pull-turned': { url: string; base: string; target: string }
  /** Somebody else's commit is where Muster's branch goes. */
  'foreign-commit': { there: string; forge: string; commit: string; by: string; task: string }
  'target-parted': { said: string }
  'target-moved': { target: string; forge: string }
  'merge-untold': { target: string; forge: string }
  'merge-refused': { forge: string; url: string; why: string }
  /** `url`: where to look, if it is not here. */
  review: { said: string; url: string | null }
  /** `more`: they are green, and others may still begin. */
  ci: { said: string; state: 'running' | 'more' | 'stopped'; url: string | null }

  /** A person, or what it works for, has given it up. */
  cancelled: { said: string }
  /** A checker that could not tell. */
  'gave-up': { said: string }

  'its-turn': Record<string, never>
  /** The account of an agent program is at its limit. */
  'program-limit': ProgramLimit
  deadlock: Deadlock
  dependencies: { ids: readonly string[] }
  run: { kind: string; name: string }
  'plan-decision': Record<string, never>
  decision: { signal: string }
  reading: { signal: string }

  /** As an older Muster has written it. `as`: what it stands for, where something depends on that. */
  older: { text: string; as: Code | null; byItself: boolean }
}

export type Code = keyof Params
export type Reason = { [C in Code]: { code: C; params: Params[C] } }[Code]

/** `until`: as ISO 8601 has it. */
export type ProgramLimit = { program: string; until: string }

/** Why a task can never start. `via`: the dependency it waits for directly; `root`: the one that failed, is missing, or closes the cycle. */
export type Deadlock = { task: string; reason: 'failed' | 'cancelled' | 'missing' | 'cycle'; via: string; root: string }

interface Entry<P> {
  says(params: P): string
  /** What it waits for comes without a person. */
  byItself?(params: P): boolean
}

const always = (): boolean => true

export function describeLimit({ program, until }: ProgramLimit): string {
  return `${program} is at its rate limit until ${until}`
}

const REASONS: { [C in Code]: Entry<Params[C]> } = {
  'contract-question': {
    says: ({ task, why }) => `${QUESTIONS[why]} Choose: muster contract ${task} --type verifiable, or --type advisory`,
  },
  unanswered: {
    says: ({ ids }) =>
      ids.length === 1
        ? `criterion ${ids.join()} has no answer yet, and no further phase asks for one: accept to confirm that the work meets it`
        : `criteria ${ids.join(', ')} have no answer yet, and no further phase asks for one: accept to confirm that the work meets them`,
  },
  'only-person': { says: ({ ids }) => `only a person can answer ${ids.join(', ')} of its contract` },
  checker: {
    says: ({ verdict, said }) =>
      `${verdict === 'ERROR' ? 'its checker could not tell' : 'its checker says it is not done'}: ${said}`,
  },
  approval: {
    says: ({ task, target, open }) =>
      `a person must approve the landing on ${target} (muster approve ${task})${open.length === 0 ? '' : `. That also confirms ${open.join(', ')}, which nobody has answered yet`}`,
  },
  budget: {
    says: ({ whose, usedUsd, limitUsd, raise, task }) =>
      `the budget ${whose} is used up, ${describeUsd(usedUsd)} of ${describeUsd(limitUsd)}: ${raise}, then muster retry ${task}`,
  },
  protected: { says: ({ paths }) => `it changes protected paths: ${paths.join(', ')}` },
  unclear: { says: ({ said }) => said },
  'deploy-unknown': { says: ({ why }) => `the outcome of the deploy is unknown: ${why}` },
  recurring: {
    says: ({ who, rounds, said }) => `${who} failed in the same way ${rounds} rounds in a row: ${said}`,
  },
  rounds: { says: ({ max, said }) => `exceeded max rounds (${max}): ${said}` },
  attempts: {
    says: ({ phase, max, judged, said }) =>
      `${judged ? 'validation attempts exhausted: ' : ''}phase "${phase}" used ${max === 1 ? 'its only attempt' : `all its ${max} attempts`}: ${said}`,
  },
  interrupted: { says: ({ who, times }) => `${who} was interrupted ${times} times in a row` },
  'cannot-run': {
    says: ({ who, times, said }) => `${who} could not run (tried ${times === 1 ? 'once' : `${times} times`}): ${said}`,
  },
  'no-phase': { says: ({ phase }) => `its phase map has no phase "${phase}"` },

  queue: { says: ({ target }) => `another task is landing on ${target}`, byItself: always },
  'verify-merge': { says: ({ target }) => `the merge with ${target} must be verified first`, byItself: always },
  'verify-target': { says: ({ target }) => `${target} must be verified first`, byItself: always },
  obstacle: { says: ({ what }) => what, byItself: ({ brief }) => brief },
  git: { says: ({ said }) => said },
  look: { says: ({ at }) => (at === 'plan' ? 'a person must read its plan' : 'a person must look at it') },
  'checker-at-work': {
    says: ({ check, limit }) =>
      limit === null
        ? `its checker is working (${check})`
        : `its checker (${check}) has not started: ${describeLimit(limit)}`,
    byItself: always,
  },

  forge: {
    says: ({ said, hint }) => `${said}${hint === null ? '' : ` (${hint})`}`,
    byItself: ({ busy }) => busy,
  },
  'pull-request': { says: () => 'its pull request does not have this result yet', byItself: always },
  'pull-closed': {
    says: ({ url, forge }) =>
      `its pull request ${url} was closed at ${forge} without a merge. Muster neither reopens nor replaces it: reopen it there, then retry the task`,
  },
  'pull-moved': { says: ({ url }) => `${url} has a new head: Muster reads it again`, byItself: always },
  'pull-draft': {
    says: ({ url, by }) =>
      by === 'map'
        ? `${url} is still a draft: the phase map needs "action mark-ready" before "action merge"`
        : `${url} is still a draft`,
    byItself: ({ by }) => by === 'forge',
  },
  'pull-merged-elsewhere': {
    says: ({ url, base, target }) =>
      `${url} was merged into ${base}, not into ${target}. If that is right, cancel the task`,
  },
  'pull-turned': {
    says: ({ url, base, target }) => `somebody changed the target of ${url} to ${base}: change it back to ${target}`,
  },
  'foreign-commit': {
    says: ({ there, forge, commit, by, task }) =>
      `${there} at ${forge} holds ${commit.slice(0, 12)} by ${by}, which is not Muster's: delete the branch there, or fetch the commit and type: muster submit ${task} <commit>`,
  },
  'target-parted': { says: ({ said }) => said },
  'target-moved': {
    says: ({ target, forge }) => `${target} moved at ${forge}: Muster reads it again`,
    byItself: always,
  },
  'merge-untold': {
    says: ({ target, forge }) => `${forge} has not said yet what it merged into ${target}`,
    byItself: always,
  },
  'merge-refused': { says: ({ forge, url, why }) => `${forge} does not allow the merge of ${url}: ${why}` },
  review: { says: ({ said, url }) => (url === null ? said : `${said}: ${url}`) },
  ci: {
    says: ({ said, state, url }) =>
      `${said}${state === 'more' ? '; others may still start' : ''}${url === null ? '' : `: ${url}`}`,
    byItself: ({ state }) => state !== 'stopped',
  },

  cancelled: { says: ({ said }) => said },
  'gave-up': { says: ({ said }) => said },

  'its-turn': { says: () => 'its turn has not come yet', byItself: always },
  'program-limit': { says: describeLimit, byItself: always },
  deadlock: {
    says: ({ task, reason, via, root }) =>
      `${task} cannot start: it depends on ${via === root ? via : `${via}, which waits for ${root}`}, and ${ROOTS[reason](root)}`,
  },
  dependencies: { says: ({ ids }) => `${ids.join(', ')} must complete first`, byItself: always },
  run: {
    says: ({ kind, name }) => (kind === 'agent' ? `${name} is working` : `${kind} ${name} is running`),
    byItself: always,
  },
  'plan-decision': { says: () => 'a person must decide on its plan' },
  decision: { says: ({ signal }) => `a person must decide (${signal})` },
  reading: { says: ({ signal }) => `a person has decided (${signal}); Muster acts on it next`, byItself: always },

  older: { says: ({ text }) => text, byItself: ({ byItself }) => byItself },
}

const ROOTS: Record<Deadlock['reason'], (root: string) => string> = {
  failed: (root) => `${root} failed`,
  cancelled: (root) => `${root} was cancelled`,
  missing: (root) => `there is no task ${root}`,
  cycle: (root) => `${root} depends on itself`,
}

const LOOKS = 'This looks like a question, not a change'
const QUESTIONS: Record<Question, string> = {
  ambiguous: 'This may be a question or a change.',
  advisory: `${LOOKS}.`,
  'in-story': `${LOOKS}, and it belongs to a story.`,
  always: `${LOOKS}, and muster.yaml asks about those.`,
}

/** Of the kind of contract, without how to answer it. */
export const questionOf = (reason: Reason): string =>
  reason.code === 'contract-question' ? QUESTIONS[reason.params.why] : wordsOf(reason)

export const CODES = Object.keys(REASONS) as Code[]

export function because<C extends Code>(code: C, params: Params[C]): Reason {
  return { code, params } as Reason
}

const entryOf = ({ code }: Reason): Entry<unknown> => REASONS[code]

export const wordsOf = (reason: Reason): string => entryOf(reason).says(reason.params)

export const comesByItself = (reason: Reason): boolean => entryOf(reason).byItself?.(reason.params) ?? false

/** What it is, whoever wrote it down. */
export function codeOf(reason: Reason | null): Code | null {
  return reason?.code === 'older' ? reason.params.as : (reason?.code ?? null)
}

export const isSame = (one: Reason | null, other: Reason | null): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

/** Whether it is no news to people: what an older Muster wrote down is told again as a value, with the same words. */
export function saysSame(one: Reason | null, other: Reason | null): boolean {
  const isOlder = one?.code === 'older' || other?.code === 'older'
  return isOlder && one !== null && other !== null ? wordsOf(one) === wordsOf(other) : isSame(one, other)
}

/** For the history and for JSON: the value, and the sentence that it is today. */
export interface Told {
  reason: string
  code: Code
  params: Reason['params']
}

export const told = (reason: Reason): Told => ({ reason: wordsOf(reason), ...reason })
