/**
 * Verdicts and what they mean for a task. The parser fails closed: anything missing, malformed, stale, foreign or
 * contradictory is never a pass.
 */
import { findingCharsMax, findingsMax } from './limits.ts'

export const VERDICTS = ['PASS', 'WARN', 'FAIL', 'ERROR'] as const
export type Verdict = (typeof VERDICTS)[number]

/** What a step's execution means for the phase map; ERROR stays where it is, on a budget of its own. */
export type Outcome = 'ADVANCE' | 'RETRY' | 'WAIT' | 'ERROR'

export type Severity = 'FAIL' | 'WARN'

export interface FindingText {
  severity: Severity
  message: string
  file?: string | undefined
  line?: number | undefined
  /** The criterion that is not met, by its id. */
  criterion?: string | undefined
  /** The command that shows it. */
  command?: string | undefined
  /** What that command said when Muster ran it on the same tree itself. */
  replay?: Replay | undefined
}

/** `same`: it fails for Muster too. `different`: it does not. `not-run`: Muster does not run such a command. */
export type Replay = 'same' | 'different' | 'not-run'

/** What a judge says of one criterion. */
export interface CriterionAnswer {
  id: string
  met: boolean
  /** How it knows: what it ran and saw, where it looked. */
  note: string
}

/** One statement somebody must (FAIL) or may (WARN) act on, as it is stored with the task. */
export interface Finding extends FindingText {
  round: number
  /** Who says so: a role, a check, an action, a signal. */
  source: string
}

export const NO_VERDICT = 'worker completed without writing verdict'

export function outcomeOf(verdict: Verdict): Outcome {
  if (verdict === 'PASS' || verdict === 'WARN') return 'ADVANCE'
  return verdict === 'FAIL' ? 'RETRY' : 'ERROR'
}

export function worstOf(verdicts: readonly Verdict[]): Verdict {
  return VERDICTS[Math.max(0, ...verdicts.map((verdict) => VERDICTS.indexOf(verdict)))] ?? 'ERROR'
}

/** Roles that judge and never change files, by the last part of their name; every other role is an author. */
const JUDGES = new Set(['checker', 'validator', 'verifier', 'reviewer', 'critic', 'auditor'])

export function isJudge(role: string): boolean {
  return role === 'post-deploy' || JUDGES.has(role.slice(role.lastIndexOf('-') + 1))
}

/** What a verdict must be about to count. */
export interface VerdictScope {
  taskId: string
  attempt: number
  nonce: string
  judge: boolean
  /** What is judged. */
  commit?: string | undefined
  /** The criteria without whose answers a judge's PASS is none. */
  criteria?: readonly string[] | undefined
  /** False: this judge knows PASS and FAIL only. */
  warns?: boolean | undefined
}

export interface ParsedVerdict {
  verdict: Verdict
  detail: string
  findings: FindingText[]
  /** A judge's answers, one for each criterion it speaks of. */
  criteria?: CriterionAnswer[]
}

/** A verdict file's text: a JSON object, or front matter with `verdict:` followed by a body that is the detail. */
export function parseVerdictFile(text: string, scope: VerdictScope): ParsedVerdict {
  const fields = text.trimStart().startsWith('{') ? jsonFields(text) : frontMatterFields(text)
  if (typeof fields === 'string') return refused(scope, fields)
  const word = typeof fields['verdict'] === 'string' ? fields['verdict'].trim().toUpperCase() : ''
  if (word !== 'PASS' && word !== 'WARN' && word !== 'FAIL') {
    return refused(scope, `its verdict is ${JSON.stringify(fields['verdict'] ?? null)}, not pass, warn or fail`)
  }
  const foreign = foreignScope(fields, scope)
  if (foreign !== null) return refused(scope, foreign)
  const findings = findingsOf(fields['findings'])
  if (typeof findings === 'string') return refused(scope, findings)
  const detail = textOf(fields['detail'] ?? fields['message'] ?? fields['summary'])
  const kept = findings.slice(0, findingsMax)
  if (word === 'PASS' && findings.some((finding) => finding.severity === 'FAIL')) {
    const contradiction = 'the verdict says PASS and has a FAIL finding: that is FAIL'
    return { verdict: 'FAIL', detail: detail || contradiction, findings: kept }
  }
  return { verdict: word, detail, findings: kept }
}

/** A refused verdict is FAIL from an author and ERROR from a judge: neither passes, and a judge's mistake costs no round. */
function refused(scope: VerdictScope, why: string): ParsedVerdict {
  return { verdict: scope.judge ? 'ERROR' : 'FAIL', detail: `the verdict file was refused: ${why}`, findings: [] }
}

function foreignScope(fields: Record<string, unknown>, scope: VerdictScope): string | null {
  const tasks = [fields['task'], fields['taskId'], fields['task_id']]
  const other = tasks.find((task) => task !== undefined && task !== scope.taskId)
  if (other !== undefined) return `it is for task ${textOf(other) || 'nothing'}, not ${scope.taskId}`
  const attempt = fields['attempt']
  if (attempt !== undefined && Number(attempt) !== scope.attempt) {
    return `it is for attempt ${textOf(attempt)}, and this is attempt ${scope.attempt}`
  }
  const nonce = fields['nonce']
  if (nonce !== undefined && nonce !== scope.nonce) return 'its nonce is not the one of this run: stale or foreign'
  if (nonce === undefined && scope.judge) return 'it lacks the nonce of this run'
  return null
}

function findingsOf(value: unknown): FindingText[] | string {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) return 'its findings are not a list'
  return value.map((item): FindingText => {
    if (typeof item !== 'object' || item === null) return { severity: 'FAIL', message: textOf(item) }
    const fields = item as Record<string, unknown>
    const line = Number(fields['line'])
    return {
      severity: textOf(fields['severity']).toUpperCase() === 'WARN' ? 'WARN' : 'FAIL',
      message: textOf(fields['message'] ?? fields['detail'] ?? fields['description']),
      ...(typeof fields['file'] === 'string' ? { file: fields['file'].slice(0, 500) } : {}),
      ...(Number.isInteger(line) && line > 0 ? { line } : {}),
    }
  })
}

function jsonFields(text: string): Record<string, unknown> | string {
  try {
    const value = JSON.parse(text.trim()) as Record<string, unknown>
    const twice = repeatedKey(text)
    return twice === null ? value : `it says "${twice}" twice`
  } catch {
    return 'it is not valid JSON'
  }
}

/** JSON.parse keeps the last of two equal keys; a verdict that says two things says nothing. Only the outer object counts. */
function repeatedKey(json: string): string | null {
  const seen = new Set<string>()
  let depth = 0
  for (const [token, string, colon] of json.matchAll(/("(?:[^"\\]|\\.)*")(\s*:)?|[[\]{}]/g)) {
    if (token === '{' || token === '[') depth += 1
    else if (token === '}' || token === ']') depth -= 1
    else if (depth === 1 && string !== undefined && colon !== undefined) {
      const key = JSON.parse(string) as string
      if (seen.has(key)) return key
      seen.add(key)
    }
  }
  return null
}

/** `key: value` lines between two `---` lines; the rest is the detail. Nothing of YAML beyond that is needed. */
function frontMatterFields(text: string): Record<string, unknown> | string {
  const match = /^\s*---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n([\s\S]*))?$/.exec(text)
  if (match === null) return text.trim() === '' ? 'it is empty' : 'it is neither JSON nor front matter'
  const fields: Record<string, unknown> = {}
  for (const line of (match[1] ?? '').split(/\r?\n/)) {
    if (line.trim() === '' || line.trimStart().startsWith('#')) continue
    const colon = line.indexOf(':')
    if (colon < 1) return `the line ${JSON.stringify(line.slice(0, 80))} is no "key: value"`
    const key = line.slice(0, colon).trim()
    if (Object.hasOwn(fields, key)) return `it says "${key}" twice`
    fields[key] = line
      .slice(colon + 1)
      .trim()
      .replace(/^(['"])(.*)\1$/, '$2')
  }
  const body = (match[2] ?? '').trim()
  if (body !== '') fields['detail'] = body
  return fields
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.slice(0, findingCharsMax)
}
