/**
 * muster.rules.json, and a test-activity-rules.json as other tools left it: which files ask for unit tests, end-to-end
 * tests and critics. The first is Muster's own and must be right to the last key; of the second, what Muster does not
 * know is left alone and named.
 */
import { readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import picomatch from 'picomatch'
import { z } from 'zod'
import { MusterError } from '../domain/errors.ts'
import { configBytesMax } from '../domain/limits.ts'
import type { Problem } from '../domain/problem.ts'
import type { FileRule, Rules } from '../domain/contract/rules.ts'
import { check } from './check.ts'
import type { YamlFile } from './yaml.ts'
import { parseYaml, refuse } from './yaml.ts'

/** In the order they are looked for; the first that is there counts. */
const RULES_NAMES = ['muster.rules.json', 'test-activity-rules.json'] as const

const HINT = 'docs/contracts.md shows a rules file'

const critics = z.array(z.string().trim().min(1).max(100)).max(50)
const rule = z.strictObject({
  unit: z.union([z.boolean(), z.string()]).optional(),
  e2e: z.enum(['immediate', 'deferred', 'skip']).optional(),
  critics: critics.optional(),
  quality: z.union([z.boolean(), critics]).optional(),
  reason: z.string().optional(),
})
const shape = z.strictObject({
  $schema: z.string().optional(),
  version: z.literal(1, { error: 'must be 1, the only version that this Muster reads' }).default(1),
  defaults: rule.default({}),
  filePatterns: z.record(z.string(), rule).default({}),
  codePatterns: z.record(z.string(), rule).default({}),
  crossCuttingRules: z
    .strictObject({
      multipleDirectories: z.strictObject({ threshold: z.number().int().min(1).max(1000), add: rule }).optional(),
      sharedModuleTouch: z.strictObject({ paths: z.array(z.string()).max(200), add: rule }).optional(),
    })
    .default({}),
})
type RuleText = z.infer<typeof rule>

/** The rules beside muster.yaml, if there are any. */
export async function loadRules(root: string, cwd: string): Promise<Rules | null> {
  for (const name of RULES_NAMES) {
    const path = join(root, name)
    const text = await readFile(path, 'utf8').catch((error: unknown) => {
      if ((error as { code?: string }).code === 'ENOENT') return null
      throw new MusterError('config', `${name} cannot be read: ${(error as Error).message}`, { hint: HINT })
    })
    if (text !== null) return readRules(text, relative(cwd, path) || path)
  }
  return null
}

/** `name` is the file as the user would name it; its last part says which of the two it is. */
export function readRules(text: string, name: string): Rules {
  if (text.length > configBytesMax) {
    throw new MusterError('config', `${name} is too large: the limit is ${configBytesMax / 1024 / 1024} MB`, {
      hint: HINT,
    })
  }
  const file = parseJson(text, name)
  const isForeign = !name.endsWith(RULES_NAMES[0])
  const notices: string[] = []
  const known = isForeign ? { ...file, value: withoutUnknown(file.value, notices) } : file
  const found = check(known, shape, [], HINT)
  const unread = Object.keys(found.codePatterns).flatMap((pattern) => codeProblem(pattern) ?? [])
  const problems = [...globProblems(found), ...(isForeign ? [] : unread)]
  if (problems.length > 0) refuse(file, problems, HINT)
  notices.push(...unread.map(({ message }) => message))
  const code = Object.entries(found.codePatterns).filter(([pattern]) => codeProblem(pattern) === null)
  const { multipleDirectories: many, sharedModuleTouch: shared } = found.crossCuttingRules
  return {
    source: name,
    defaults: fileRule(found.defaults),
    patterns: Object.entries(found.filePatterns).map(([glob, text]) => ({ glob, rule: fileRule(text) })),
    wide: [
      ...(many === undefined ? [] : [{ foldersMin: many.threshold, critics: fileRule(many.add).critics ?? [] }]),
      ...(shared === undefined ? [] : [{ touches: shared.paths, critics: fileRule(shared.add).critics ?? [] }]),
    ],
    ...(code.length === 0
      ? {}
      : { code: code.map(([pattern, text]) => ({ ...expressionOf(pattern), rule: fileRule(text) })) }),
    notices: notices.map((notice) => `${name}: ${notice}`),
  }
}

/** A rules file is JSON; it is read as YAML, of which JSON is a part, so that problems have lines. */
function parseJson(text: string, name: string): YamlFile {
  try {
    JSON.parse(text)
  } catch (cause) {
    throw new MusterError('config', `${name} is not valid JSON: ${(cause as Error).message}`, { hint: HINT, cause })
  }
  return parseYaml(text, name)
}

/** A tester's name asks for unit tests as much as `true` does; critics of quality are critics. */
function fileRule({ unit, e2e, critics, quality }: RuleText): FileRule {
  const named = Array.isArray(quality) ? quality : quality === true ? ['quality-critic'] : []
  const all = critics === undefined && named.length === 0 ? undefined : [...(critics ?? []), ...named]
  return {
    ...(unit === undefined ? {} : { unit: unit !== false && unit !== '' }),
    ...(e2e === undefined ? {} : { e2e }),
    ...(all === undefined ? {} : { critics: all }),
  }
}

const KNOWN_KEYS = new Set(Object.keys(shape.shape))
const KNOWN_RULE_KEYS = new Set(Object.keys(rule.shape))

function withoutUnknown(value: unknown, notices: string[]): unknown {
  if (!isMap(value)) return value
  for (const key of Object.keys(value)) if (!KNOWN_KEYS.has(key)) notices.push(`"${key}" is not used`)
  const patterns = value['filePatterns']
  const unused = new Set<string>()
  const plain = (part: unknown): unknown => (isMap(part) ? only(part, KNOWN_RULE_KEYS, unused) : part)
  const known = only(value, KNOWN_KEYS, new Set())
  if (isMap(patterns)) {
    known['filePatterns'] = Object.fromEntries(Object.entries(patterns).map(([glob, part]) => [glob, plain(part)]))
  }
  const code = value['codePatterns']
  if (isMap(code)) {
    known['codePatterns'] = Object.fromEntries(Object.entries(code).map(([text, part]) => [text, plain(part)]))
  }
  for (const key of unused) notices.push(`"${key}" of patterns is not used`)
  return known
}

function only(map: Record<string, unknown>, keys: ReadonlySet<string>, left: Set<string>): Record<string, unknown> {
  for (const key of Object.keys(map)) if (!keys.has(key)) left.add(key)
  return Object.fromEntries(Object.entries(map).filter(([key]) => keys.has(key)))
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function globProblems({ filePatterns, crossCuttingRules }: z.infer<typeof shape>): Problem[] {
  const shared = crossCuttingRules.sharedModuleTouch?.paths ?? []
  return [
    ...Object.keys(filePatterns).map((glob) => ({ glob, path: ['filePatterns', glob] })),
    ...shared.map((glob, index) => ({ glob, path: ['crossCuttingRules', 'sharedModuleTouch', 'paths', index] })),
  ].flatMap(({ glob, path }) => {
    const wrong = globProblem(glob)
    return wrong === null ? [] : [{ path, message: `the pattern "${glob.slice(0, 100)}" ${wrong}` }]
  })
}

/** Other tools write flags in front. */
function expressionOf(text: string): { pattern: string; flags: string } {
  const isCaseless = text.startsWith('(?i)')
  return { pattern: isCaseless ? text.slice(4) : text, flags: isCaseless ? 'i' : '' }
}

/** Null when it is a regular expression. How long it takes is bounded where it is used. */
function codeProblem(text: string): Problem | null {
  const path = ['codePatterns', text]
  const shown = `the code pattern "${text.slice(0, 100)}"`
  if (text === '') return { path, message: `${shown} is empty` }
  if (text.length > globCharsMax)
    return { path, message: `${shown} has ${text.length} characters; the limit is ${globCharsMax}` }
  try {
    const { pattern, flags } = expressionOf(text)
    RegExp(pattern, flags)
    return null
  } catch (error) {
    return { path, message: `${shown} is not a valid regular expression: ${(error as Error).message}` }
  }
}

const globCharsMax = 300

function globProblem(glob: string): string | null {
  if (glob.trim() === '') return 'is empty'
  if (glob.length > globCharsMax) return `has ${glob.length} characters; the limit is ${globCharsMax}`
  if (glob.startsWith('/') || /^[A-Za-z]:/.test(glob))
    return 'is absolute: write it relative to the root of the project'
  if (glob.split('/').includes('..')) return 'leads outside of the project'
  if (glob.includes('\\')) return 'has a backslash: folders are separated by /'
  if (glob.startsWith('!')) return 'excludes files: write what it should match; the most specific pattern wins'
  try {
    picomatch.makeRe(glob, { strictBrackets: true, dot: true })
    return null
  } catch (error) {
    return `cannot be read: ${(error as Error).message}`
  }
}
