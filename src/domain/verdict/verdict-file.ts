/** A verdict as a file: a JSON object, or front matter with `verdict:` followed by a body that is the detail. */
import { assert } from '../errors.ts'
import type { CriterionAnswer, FindingText, ParsedVerdict, VerdictScope } from './verdict.ts'
import { basisIn, readFinding } from './verdict-finding.ts'
import { linesOf } from './verdict-lines.ts'
import { marksOf } from './verdict-mark.ts'
import { sectionsOf } from './verdict-sections.ts'
import { jsonOf, numberOf, textOf, wordOf, type Reading } from './verdict-statement.ts'
import { combine } from './verdict-weigh.ts'

export const VERDICT_FILE = 'the verdict file'

/** What the file alone comes to. */
export function parseVerdictFile(text: string, scope: VerdictScope): ParsedVerdict {
  const parsed = combine([{ name: VERDICT_FILE, reading: fileReading(text, scope.judge) }], scope)
  assert(parsed !== null, 'a file has a verdict or is refused')
  return parsed
}

/** An author has no criteria to answer: what it writes there is its own affair. */
export function fileReading(text: string, judge: boolean): Reading {
  if (text.trimStart().startsWith('{')) {
    const fields = jsonFields(text)
    return typeof fields === 'string' ? fields : fieldsReading(fields, judge)
  }
  const matter = frontMatter(text)
  if (typeof matter === 'string') return matter
  const { fields, body } = matter
  const said = fieldsReading(body === '' ? fields : { ...fields, detail: body }, judge)
  if (typeof said === 'string') return said
  const lines = linesOf(body)
  const { listed, criteria, findings, prose } = sectionsOf(lines, said.words.includes('FAIL') ? 'FAIL' : 'WARN')
  if (!listed) return said
  return { ...said, words: [...said.words, ...marksOf(lines).words], detail: textOf(prose), findings, criteria }
}

/** The record itself, from wherever its fields are. */
export function fieldsReading(fields: Readonly<Record<string, unknown>>, judge: boolean): Reading {
  const word = wordOf(fields['verdict'])
  if (word === null) return `its verdict is ${shown(fields['verdict'])}, not pass, warn or fail`
  const findings = findingsOf(fields['findings'])
  if (typeof findings === 'string') return findings
  const criteria = judge ? answersOf(fields['criteria']) : []
  if (typeof criteria === 'string') return criteria
  const tasks = [fields['task'], fields['taskId'], fields['task_id']].filter((task) => task !== undefined)
  const { attempt, commit, nonce } = fields
  const detail = textOf(fields['detail'] ?? fields['message'] ?? fields['summary'])
  return { words: [word], tasks, attempt, commit, nonce, detail, findings, criteria }
}

const shown = (value: unknown): string => jsonOf(value ?? null).slice(0, 80)

function findingsOf(value: unknown): FindingText[] | string {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) return 'its findings are not a list'
  return value.flatMap((item): FindingText[] => {
    if (typeof item !== 'object' || item === null) {
      const { word, finding } = readFinding(textOf(item))
      return word === 'PASS' ? [] : [{ ...finding, severity: word ?? 'FAIL' }]
    }
    const fields = item as Record<string, unknown>
    const severity = wordOf(fields['severity'])
    if (severity === 'PASS') return []
    const line = numberOf(fields['line'])
    const [file, criterion, command] = [fields['file'], fields['criterion'], fields['command']].map(named)
    const message = textOf(fields['message'] ?? fields['detail'] ?? fields['description'])
    const evidence = textOf(fields['evidence'])
    return [
      basisIn({
        severity: severity ?? 'FAIL',
        message: textOf(evidence === '' ? message : `${message}\n${evidence}`),
        ...(file === undefined ? {} : { file }),
        ...(Number.isInteger(line) && line > 0 ? { line } : {}),
        ...(criterion === undefined ? {} : { criterion }),
        ...(command === undefined ? {} : { command }),
      }),
    ]
  })
}

function named(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.slice(0, 1000).toWellFormed() : undefined
}

function answersOf(value: unknown): CriterionAnswer[] | string {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) return 'its criteria are not a list'
  const answers: CriterionAnswer[] = []
  for (const item of value) {
    const fields = (typeof item === 'object' && item !== null ? item : {}) as Record<string, unknown>
    const id = named(fields['id'])
    const word = wordOf(fields['status'] ?? fields['verdict'])
    if (id === undefined) return `its criteria have an entry without an id: ${shown(item)}`
    if (word === null || word === 'WARN') return `its criterion ${id} is ${shown(fields['status'])}, not pass or fail`
    answers.push({ id: id.toLowerCase(), met: word === 'PASS', note: textOf(fields['note'] ?? fields['evidence']) })
  }
  return answers
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

/** `key: value` lines between two `---` lines. Nothing of YAML beyond that is needed. */
function frontMatter(text: string): { fields: Record<string, unknown>; body: string } | string {
  const match = /^\s*---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n([\s\S]*))?$/.exec(text)
  if (match === null) return text.trim() === '' ? 'it is empty' : 'it is neither JSON nor front matter'
  const fields: Record<string, unknown> = {}
  for (const line of (match[1] ?? '').split(/\r?\n/)) {
    if (line.trim() === '' || line.trimStart().startsWith('#')) continue
    const colon = line.indexOf(':')
    if (colon < 1) return `the line ${JSON.stringify(line.slice(0, 80))} is not "key: value"`
    const key = line.slice(0, colon).trim()
    if (Object.hasOwn(fields, key)) return `it says "${key}" twice`
    fields[key] = line
      .slice(colon + 1)
      .trim()
      .replace(/^(['"])(.*)\1$/, '$2')
  }
  return { fields, body: (match[2] ?? '').trim() }
}
