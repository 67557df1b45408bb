/**
 * Pull requests, the same for every forge, and what their reviews and checks mean for a task. Pure: what a forge said
 * comes in as data. Only what is about the exact commit that would land counts.
 */
import type { PhaseMap, Step } from './task/phase-map.ts'
import type { FindingText } from './verdict/verdict.ts'
import { checkNameCharsMax, checksNamedMax, findingCharsMax } from './limits.ts'
import { cut } from './notice.ts'

export const OPEN_PR = 'open-pr'
export const MARK_READY = 'mark-ready'
export const MERGE = 'merge'
export const PR_REVIEW = 'pr-review'
export const CI = 'ci'

/** What a pull request without a server waits for. */
export const REVIEW_HERE = 'a person must review it'

/** Steps that need a pull request; `merge` does only in a map that has one of them. */
const FORGE_STEPS: ReadonlySet<string> = new Set([
  `action ${OPEN_PR}`,
  `action ${MARK_READY}`,
  `signal ${PR_REVIEW}`,
  `signal ${CI}`,
])

/** How a pull request is found again: by the forge's own name for it. */
export interface PullRef {
  id: string
  url: string
}

export interface Pull extends PullRef {
  /** Nobody merges a draft. `closed`: without a merge, by a person. */
  state: 'draft' | 'open' | 'merged' | 'closed'
  head: string
  /** The branch that it goes to: a person may have chosen another. */
  base: string
  /** The commit that the merge made of it. */
  mergedAs: string | null
  /** The forge says that rules of its own are in the way of a merge. */
  blocked: boolean
}

/** What a task knows of its pull request: where it is, and the commit that it was last given. */
export interface TaskPull extends PullRef {
  head: string
  /** The place of the forge that it is at: numbers mean nothing elsewhere. */
  place: string
}

/** What somebody wrote down there to be done. */
export interface Issue {
  /** Its number there. */
  id: string
  url: string
  title: string
  body: string
  /** `pull`: some forges count pull requests among their issues. */
  state: 'open' | 'closed' | 'pull'
  by: string
  /** Whether who wrote it may decide there. */
  trusted: boolean
}

export interface Review {
  by: string
  /** `comment`: it says something and decides nothing. `dismissed`: nor does it any more. */
  verdict: 'approved' | 'changes' | 'comment' | 'dismissed'
  /** What it is about. */
  commit: string
  body: string
  comments: readonly ReviewComment[]
}

interface ReviewComment {
  by: string
  file: string
  line?: number | undefined
  body: string
}

/** `idle`: it has ended, and not as green: skipped, or neutral. `missing`: nobody has heard of it. */
export interface ForgeCheck {
  name: string
  state: 'green' | 'failed' | 'pending' | 'idle' | 'missing'
  url: string | null
}

/** `named`: somebody has said which there are. Otherwise it is all that have begun, and more may. */
export interface ForgeChecks {
  named: boolean
  checks: readonly ForgeCheck[]
}

/** How branches of Muster's own begin: those of tasks and stories. The user's may be called muster/… as well. */
const OWN = 'muster/'

export function isOwnBranch(branch: string): boolean {
  return /^muster\/(?:task|story)\//.test(branch)
}

/** What a branch is called at a forge: others have tasks of the same names there, in Musters of their own. */
export function branchThere(branch: string, tag: string): string {
  return isOwnBranch(branch) ? `${OWN}${tag}/${branch.slice(OWN.length)}` : branch
}

/** And back. */
export function branchHere(name: string, tag: string): string {
  const own = `${OWN}${tag}/`
  const here = `${OWN}${name.slice(own.length)}`
  return name.startsWith(own) && isOwnBranch(here) ? here : name
}

export function isForgeStep({ type, name }: Step): boolean {
  return FORGE_STEPS.has(`${type} ${name}`)
}

/** Whether what walks through this map has a pull request, and lands through it. */
export function usesForge(map: PhaseMap): boolean {
  return map.some(({ step }) => isForgeStep(step))
}

/** What the reviews come to for the commit that they were asked about. */
type Reviewed =
  | { status: 'approved'; by: string; message: string }
  | { status: 'changes'; by: string; message: string; findings: FindingText[] }
  /** `dismissed`: whose word about this commit was taken back. */
  | { status: 'pending'; message: string; dismissed: string[] }

/**
 * Each person's last word counts, and only for the commit it is about. Who asked for changes of an earlier commit is to
 * look again: nobody else's approval takes that back.
 */
export function weighReviews(reviews: readonly Review[], head: string): Reviewed {
  const last = new Map<string, Review>()
  for (const review of reviews) {
    if (review.verdict === 'approved' || review.verdict === 'changes') last.set(review.by, review)
    // Whose last word was taken back has none: an earlier one was over when that came.
    if (review.verdict === 'dismissed') last.delete(review.by)
  }
  const dismissed = reviews
    .filter(({ verdict, commit }) => verdict === 'dismissed' && commit === head)
    .map(({ by }) => by)
  const words = [...last.values()]
  const here = words.filter(({ commit }) => commit === head)
  const against = here.filter(({ verdict }) => verdict === 'changes')
  if (against.length > 0) {
    const findings = reviews.filter(({ commit }) => commit === head).flatMap(findingsOf)
    const by = names(against)
    return { status: 'changes', by, message: `${by} asked for changes`, findings }
  }
  const waiting = words.filter(({ verdict, commit }) => verdict === 'changes' && commit !== head)
  if (waiting.length > 0) {
    const message = `no new review of ${head.slice(0, 12)} yet by ${names(waiting)}, who asked for changes`
    return { status: 'pending', message, dismissed }
  }
  const approved = here.filter(({ verdict }) => verdict === 'approved')
  if (approved.length === 0) {
    const before = words.length > 0 ? ' (the approval was for an earlier commit)' : ''
    const taken = dismissed.length > 0 ? ` (the review by ${dismissed.join(', ')} was dismissed)` : before
    return { status: 'pending', message: `no approving review of ${head.slice(0, 12)} yet${taken}`, dismissed }
  }
  const message = approved.map(({ body }) => body.trim()).filter(Boolean)
  return { status: 'approved', by: names(approved), message: message.join('\n\n') }
}

function names(reviews: readonly Review[]): string {
  return reviews.map(({ by }) => by).join(', ')
}

function findingsOf({ by, body, comments }: Review): FindingText[] {
  const said = body.trim() === '' ? [] : [{ severity: 'FAIL' as const, message: `${by}: ${short(body)}` }]
  const lines = comments.map(({ by: who, file, line, body: text }) => ({
    severity: 'FAIL' as const,
    message: `${who}: ${short(text)}`,
    file,
    ...(line === undefined ? {} : { line }),
  }))
  return [...said, ...lines]
}

function short(text: string): string {
  return text.trim().slice(0, findingCharsMax)
}

/** What the checks come to: green only if there is one, and every one of them is. */
type Checked =
  | { status: 'green'; message: string }
  | { status: 'failed'; message: string; findings: FindingText[] }
  /** `missing`: it may only be slow to begin. `idle`: nothing goes on there. */
  | { status: 'running' | 'missing' | 'idle'; message: string }

export function weighChecks(checks: readonly ForgeCheck[], head: string): Checked {
  const of = (wanted: ForgeCheck['state']) => checks.filter(({ state }) => state === wanted)
  const commit = head.slice(0, 12)
  const failed = of('failed')
  if (failed.length > 0) {
    const findings = failed.map(({ name, url }) => ({
      severity: 'FAIL' as const,
      message: `the check "${cut(name, checkNameCharsMax)}" failed on ${commit}${url === null ? '' : `: ${url}`}`,
    }))
    return { status: 'failed', message: `failed on ${commit}: ${list(failed)}`, findings }
  }
  const pending = of('pending')
  if (pending.length > 0) return { status: 'running', message: `checks are running on ${commit}: ${list(pending)}` }
  const idle = of('idle')
  if (idle.length > 0) {
    return { status: 'idle', message: `skipped or neutral on ${commit}, which does not count as passed: ${list(idle)}` }
  }
  const missing = of('missing')
  if (missing.length > 0 || checks.length === 0) {
    const which = missing.length > 0 ? `: ${list(missing)}` : ''
    return { status: 'missing', message: `no check has started on ${commit} yet${which}` }
  }
  return { status: 'green', message: `all checks passed on ${commit}: ${list(checks)}` }
}

/** The first of them: this is told, stored and shown each time that one of hundreds ends. */
function list(checks: readonly ForgeCheck[]): string {
  const named = checks.slice(0, checksNamedMax).map(({ name }) => cut(name, checkNameCharsMax))
  const more = checks.length - named.length
  return [...named, ...(more > 0 ? [`${more} more`] : [])].join(', ')
}
