/** Plan files: tasks with ids, dependencies and texts, checked as a whole before anything is stored. */
import { createHash } from 'node:crypto'
import { basename, relative } from 'node:path'
import type { ProjectConfig } from '../domain/config.ts'
import { knownChecks } from '../tools/checks.ts'
import { vagueCriteria } from '../domain/contract/criterion-lint.ts'
import { findDeadlocks } from '../domain/task/deadlock.ts'
import { isId, slug } from '../domain/ids.ts'
import { problemsMax } from '../domain/limits.ts'
import type { PhaseMap } from '../domain/task/phase-map.ts'
import type { Plan, PlannedTask } from '../domain/story/plan.ts'
import type { Problem } from '../domain/problem.ts'
import { unknownWord } from '../domain/problem.ts'
import { Cast } from './resolve-roles.ts'
import { check, valueAt } from './check.ts'
import type { Definitions } from './definitions.ts'
import { BUILT_IN, definitionsIn } from './definitions.ts'
import type { Known } from './phases.ts'
import { readPhases } from './phases.ts'
import { PLANNED_PLAN_KEYS } from './planned.ts'
import { unkeptBudget } from './price.ts'
import type { PlanTaskText, PlanText } from './schema.ts'
import { planSchema } from './schema.ts'
import { defectProblems, validationOf, validationProblems } from './validation.ts'
import type { YamlFile } from './yaml.ts'
import { readYaml, refuse } from './yaml.ts'

/** A plan, and the configuration with the roles that it needs beside those of the project's own phases. */
interface CastPlan {
  plan: Plan
  config: ProjectConfig
  /** What somebody should look at in the file, with its lines. */
  warnings: string[]
}

/** `root`: the project's folder, with the definitions of its roles. */
export async function loadPlan(path: string, cwd: string, config: ProjectConfig, root: string): Promise<CastPlan> {
  const file = await readYaml(path, relative(cwd, path) || path, 'plan')
  return castPlan(file, config, basename(path).replace(/\.[^.]*$/, ''), definitionsIn(root))
}

/** The slug of a name; where that says too little of it (cut off, or in letters a branch cannot have), with a digest of it. */
export function storyKey(name: string): string {
  const key = slug(name)
  const whole = slug(name, Number.MAX_SAFE_INTEGER)
  const said = key === whole && !/[^\p{ASCII}\p{M}]/u.test(name.normalize('NFKD'))
  return said ? key : `${key}-${createHash('sha256').update(name).digest('hex').slice(0, 6)}`
}

/** The id of its only task, `<key>-1`, is one that people type. */
const sentenceIdCharsMax = 20

/** A short key for a story of one sentence, cut at a word; `n`: the n-th of that name. */
export function sentenceKey(title: string, n = 1): string {
  const number = n === 1 ? '' : `-${n}`
  return `${slug(title, sentenceIdCharsMax - '-1'.length - number.length)}${number}`
}

/** A plan of one task, from one sentence. */
export function planFromSentence(sentence: string): Plan {
  const title = sentence.trim()
  return {
    key: sentenceKey(title),
    name: title,
    adHoc: true,
    tasks: [
      {
        id: '1',
        title,
        instructions: title,
        acceptanceCriteria: '',
        agent: null,
        dependsOn: [],
        checks: [],
        expectedFiles: [],
        parent: null,
        phases: null,
        contract: null,
      },
    ],
  }
}

/** `vague`: a person has been told of criteria that nobody could verify, and wants them as they are. */
export interface PlanReading {
  vague?: boolean
}

/** The plan alone, with no roles but those of the configuration and those that come with Muster. */
export function buildPlan(file: YamlFile, config: ProjectConfig, fallbackName: string): Plan {
  return castPlan(file, config, fallbackName, BUILT_IN).plan
}

export function castPlan(
  file: YamlFile,
  config: ProjectConfig,
  fallbackName: string,
  written: Definitions,
  { vague = false }: PlanReading = {},
): CastPlan {
  const known: Known = { cast: Cast.of(config, written), checks: knownChecks(config) }
  const text = check(file, planSchema, PLANNED_PLAN_KEYS, 'docs/plans.md shows a plan')
  const placed = placedTasks(text)
  const name = text.meta.name ?? text.meta.id ?? fallbackName
  const key = text.meta.id ?? storyKey(name)
  const problems: Problem[] = []
  if (!isId(key))
    problems.push({ path: ['meta', 'id'], message: `"${key}" cannot be an id: use letters, digits, . _ -` })
  if (placed.length === 0) problems.push({ path: ['tasks'], message: 'the plan has no tasks' })
  problems.push(...idProblems(placed), ...referenceProblems(placed, known))
  problems.push(...validationProblems(text.meta.validation, known.cast))
  if (!vague) problems.push(...placed.flatMap((one) => vagueProblems(one, file)))
  const shared = text.phases === undefined ? null : planPhases(text.phases, ['phases'], known, problems)
  const tasks = placed.map(({ task, path }): PlannedTask => {
    problems.push(...defectProblems(task, path, known.cast))
    const own = task.phases === undefined ? shared : planPhases(task.phases, [...path, 'phases'], known, problems)
    return {
      id: task.id,
      title: task.name,
      instructions: task.description,
      acceptanceCriteria: task.acceptance_criteria,
      agent: task.agent ?? null,
      dependsOn: [...new Set(task.depends_on)],
      checks: [...new Set(task.checks)],
      expectedFiles: task.expected_files,
      parent: task.parent ?? null,
      phases: own,
      contract: task.contract ?? null,
      ...(task.spec_ref === undefined ? {} : { specRef: task.spec_ref }),
      ...limitsOf(text.meta, task),
      ...validationOf(text.meta.validation, task),
    }
  })
  dependOnSubtasks(tasks)
  const joined = known.cast.joined(config)
  problems.push(...budgetProblems(text.meta, placed, joined))
  if (problems.length === 0) problems.push(...cycleProblems(tasks, placed))
  // What was lost to a comment may be what is wrong with the rest.
  const warnings = cutOffWarnings(file)
  if (problems.length > 0) refuse(file, problems, [...warnings, 'docs/plans.md explains plans'].join('\n'))
  const budget = text.meta.budget_limit_usd
  const plan = { key, name, tasks, ...(budget === undefined ? {} : { budgetUsd: budget }) }
  return { plan, config: joined, warnings }
}

/** What a task is told and judged by: a word less there is another task. */
const PROSE = new Set(['name', 'description', 'acceptance_criteria'])

function cutOffWarnings(file: YamlFile): string[] {
  const cut = file.cutOff?.(PROSE) ?? []
  const more = cut.length > problemsMax ? [`… and ${cut.length - problemsMax} more texts cut off at a #`] : []
  const told = cut.slice(0, problemsMax).map(({ line, kept, lost }) => {
    const end = kept.length > 40 ? `…${kept.slice(-40)}` : kept
    return `${file.name}:${line}: the text ends at "${end}": YAML reads "${lost}" as a comment. If it belongs to the text, quote the whole text; if not, put two spaces before the #`
  })
  return [...told, ...more]
}

interface Placed {
  task: PlanTaskText
  path: (string | number)[]
}

function placedTasks(text: PlanText): Placed[] {
  const top = (text.tasks ?? []).map((task, index) => ({ task, path: ['tasks', index] }))
  const below = (text.sections ?? []).flatMap((section, s) =>
    section.tasks.map((task, index) => ({ task, path: ['sections', s, 'tasks', index] })),
  )
  return [...top, ...below]
}

function idProblems(placed: readonly Placed[]): Problem[] {
  const seen = new Set<string>()
  return placed.flatMap(({ task, path }): Problem[] => {
    const at = [...path, 'id']
    if (!isId(task.id)) return [{ path: at, message: `"${task.id}" cannot be an id: use letters, digits, . _ -` }]
    if (seen.has(task.id.toLowerCase())) return [{ path: at, message: `the id "${task.id}" is used twice` }]
    seen.add(task.id.toLowerCase())
    return []
  })
}

function referenceProblems(placed: readonly Placed[], known: Known): Problem[] {
  const ids = new Set(placed.map(({ task }) => task.id))
  const roles = new Map(
    [...new Set(placed.flatMap(({ task }) => task.agent ?? []))].map((role) => [role, known.cast.needWorker(role)]),
  )
  const checks = new Set(known.checks)
  const problems: Problem[] = []
  const expect = (path: Problem['path'], what: string, word: string, known: ReadonlySet<string>): void => {
    if (known.has(word)) return
    // A suggestion looks at every known word: only for problems that will be shown.
    const shown = problems.length < problemsMax
    problems.push({ path, message: shown ? unknownWord(what, word, [...known]) : `unknown ${what} "${word}"` })
  }
  for (const { task, path } of placed) {
    for (const [index, id] of task.depends_on.entries()) expect([...path, 'depends_on', index], 'dependency', id, ids)
    for (const [index, name] of task.checks.entries()) expect([...path, 'checks', index], 'check', name, checks)
    if (task.parent !== undefined) expect([...path, 'parent'], 'parent', task.parent, ids)
    const missing = roles.get(task.agent ?? '') ?? null
    if (missing !== null) problems.push({ path: [...path, 'agent'], message: missing })
  }
  return problems
}

/** With the line of the entry, where they are a list. */
function vagueProblems({ task, path }: Placed, { value }: YamlFile): Problem[] {
  const at = [...path, 'acceptance_criteria']
  const given = valueAt(value, at)
  const entries = Array.isArray(given) ? given.map(String) : [task.acceptance_criteria]
  return entries.flatMap((text, index) =>
    vagueCriteria(text).map((message) => ({ path: Array.isArray(given) ? [...at, index] : at, message })),
  )
}

/** How often it may be tried and what it may cost, where the plan says so. */
function limitsOf({ max_attempts_default }: PlanText['meta'], { max_attempts, budget_limit_usd }: PlanTaskText) {
  const maxRounds = max_attempts ?? max_attempts_default
  return {
    ...(maxRounds === undefined ? {} : { maxRounds }),
    ...(budget_limit_usd === undefined ? {} : { budgetUsd: budget_limit_usd }),
  }
}

/** A budget that nobody could keep. */
function budgetProblems(meta: PlanText['meta'], placed: readonly Placed[], { agents }: ProjectConfig): Problem[] {
  const given = [
    ...(meta.budget_limit_usd === undefined ? [] : [['meta']]),
    ...placed.filter(({ task }) => task.budget_limit_usd !== undefined).map(({ path }) => path),
  ]
  const why = given.length === 0 ? null : unkeptBudget(agents)
  return why === null
    ? []
    : given.map((path) => ({
        path: [...path, 'budget_limit_usd'],
        message: `budget_limit_usd cannot be enforced: ${why}`,
      }))
}

function planPhases(
  phases: NonNullable<PlanText['phases']>,
  path: (string | number)[],
  known: Known,
  problems: Problem[],
): PhaseMap {
  const read = readPhases(phases, known, path)
  problems.push(...read.problems)
  return read.map
}

/** A parent waits for its subtasks, so it depends on them. */
function dependOnSubtasks(tasks: readonly PlannedTask[]): void {
  const byId = new Map(tasks.map((task) => [task.id, task]))
  for (const task of tasks) {
    const parent = task.parent === null ? undefined : byId.get(task.parent)
    if (parent !== undefined && !parent.dependsOn.includes(task.id)) parent.dependsOn.push(task.id)
  }
}

function cycleProblems(tasks: readonly PlannedTask[], placed: readonly Placed[]): Problem[] {
  const nodes = tasks.map(({ id, dependsOn }) => ({ id, status: 'not-started' as const, dependsOn }))
  const onCycle = findDeadlocks(nodes).filter(({ reason, task, root }) => reason === 'cycle' && task === root)
  const next = new Map(onCycle.map(({ task, via }) => [task, via]))
  const told = new Set<string>()
  return onCycle.flatMap(({ task }): Problem[] => {
    if (told.has(task)) return []
    const ring: string[] = []
    for (let id = task; !told.has(id); id = next.get(id) ?? task) {
      told.add(id)
      ring.push(id)
    }
    const at = placed.find((candidate) => candidate.task.id === task)
    const way = [...ring, task].join(' → ')
    const parents = tasks.some(({ id, parent }) => parent !== null && ring.includes(id) && ring.includes(parent))
    const why = parents ? ' (a parent waits for its subtasks)' : ''
    const message = `the dependencies ${way} form a cycle${why}: none of these tasks could ever start`
    return [{ path: [...(at?.path ?? []), 'depends_on'], message }]
  })
}
