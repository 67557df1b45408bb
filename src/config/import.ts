/**
 * Plans of another orchestrator: sections of tasks with a status. What Muster knows is imported, finished work is left
 * out, and everything else is reported, so that nobody thinks it counts.
 */
import { basename, relative } from 'node:path'
import type { ProjectConfig } from '../domain/config.ts'
import { doerOf } from '../domain/role.ts'
import type { Plan } from '../domain/story/plan.ts'
import { Cast } from './resolve-roles.ts'
import { definitionsIn } from './definitions.ts'
import { castPlan } from './plan.ts'
import { unkeptBudget } from './price.ts'
import type { YamlFile } from './yaml.ts'
import { readYaml, refuse } from './yaml.ts'

interface Imported {
  plan: Plan
  config: ProjectConfig
  /** Ids of tasks that were finished there. */
  finished: string[]
  /** What was left aside, in words. */
  notes: string[]
  /** What somebody should look at in the file. */
  warnings: string[]
}

type Fields = Record<string, unknown>
type Path = (string | number)[]

const FINISHED = new Set(['completed', 'verified', 'skipped'])
const BUDGET = 'budget_limit_usd'
const META = new Set(['id', 'name', 'validation', 'max_attempts_default', BUDGET])
const TASK = new Set([
  'id',
  'name',
  'description',
  'agent',
  'checks',
  'acceptance_criteria',
  'expected_files',
  'parent',
  'spec_ref',
  'max_attempts',
  BUDGET,
])
/** Read here, or of no meaning for somebody who starts anew. */
const READ = new Set(['status', 'depends_on', 'dependencies', 'validation_findings', 'last_error'])
const OVER = new Set(['result_message', 'validation_attempts', 'attempts', 'created', 'plan_doc', 'source_item'])

export async function importPlan(path: string, cwd: string, config: ProjectConfig, root: string): Promise<Imported> {
  const file = await readYaml(path, relative(cwd, path) || path, 'plan')
  const definitions = definitionsIn(root)
  const cast = Cast.of(config, definitions)
  const { translated, finished, notes } = translate(
    file,
    (role) => cast.need(role) === null,
    unkeptBudget(config.agents),
  )
  const name = basename(path).replace(/\.[^.]*$/, '')
  return { ...castPlan(translated, config, name, definitions), finished, notes }
}

/**
 * The plan in Muster's words; problems found in it are told with the lines of the file. `unkept`: why nobody could keep
 * a budget here.
 */
function translate(file: YamlFile, isRole: (role: string) => boolean, unkept: string | null) {
  const whole = mapOf(file.value)
  const isUnkept = (key: string) => unkept !== null && key === BUDGET
  const kept = (fields: Fields): Fields => (unkept === null ? fields : { ...fields, [BUDGET]: undefined })
  const left = new Map<string, number>()
  const placed = placedTasks(whole)
  const isFinished = ({ task }: { task: Fields }) => FINISHED.has(String(task['status'] ?? ''))
  const finished = placed.filter(isFinished).map(({ task }) => String(task['id']))
  const open = placed.filter((one) => !isFinished(one))
  if (placed.length > 0 && open.length === 0) {
    refuse(
      file,
      [{ path: [], message: 'all its tasks are finished, so there is nothing to import' }],
      'to run your own plan: muster run plan.yaml',
    )
  }
  const leave = (key: string) => void left.set(key, (left.get(key) ?? 0) + 1)
  for (const key of Object.keys(mapOf(whole['meta'])))
    if (isUnkept(key) || (!META.has(key) && !OVER.has(key))) leave(`meta.${key}`)
  for (const key of Object.keys(whole)) if (!['meta', 'sections', 'tasks'].includes(key)) leave(key)
  const roles = new Set<string>()
  const tasks = open.map(({ task }) => {
    for (const key of Object.keys(task))
      if (isUnkept(key) || ![TASK, READ, OVER].some((known) => known.has(key))) leave(`tasks.${key}`)
    const { agent } = task
    const known = typeof agent !== 'string' || isRole(agent)
    if (!known) roles.add(agent)
    return taskOf(kept(known ? task : { ...task, agent: undefined }), new Set(finished))
  })
  const notes = [
    ...[...left].map(([key, times]) => {
      const why = key.endsWith(`.${BUDGET}`) && unkept !== null ? `: ${unkept}` : ''
      return `"${key}" is not used${times > 1 ? ` (${times} times)` : ''}${why}`
    }),
    ...[...roles].map((role) => `there is no role "${role}" here; the implementer does its tasks`),
  ]
  const value = { meta: metaOf(kept(mapOf(whole['meta'])), isRole), tasks }
  const lineOf: YamlFile['lineOf'] = ([first, index, ...rest]) => {
    const at = first === 'tasks' ? open[Number(index)]?.path : undefined
    return file.lineOf(
      at === undefined ? [first, index, ...rest].filter((step) => step !== undefined) : [...at, ...rest],
    )
  }
  const { name, cutOff } = file
  return { translated: { name, value, lineOf, ...(cutOff && { cutOff }) } satisfies YamlFile, finished, notes }
}

/** Who does the work of roles that nobody plays here is validated in their place: that they were is not lost in silence. */
function metaOf(given: unknown, isRole: (role: string) => boolean): Fields {
  const meta = picked(mapOf(given), META)
  const { run_after: after } = mapOf(meta['validation'])
  if (!Array.isArray(after)) return meta
  const here = after.map((role) => (typeof role !== 'string' || isRole(role) ? role : doerOf(null)))
  return { ...meta, validation: { ...mapOf(meta['validation']), run_after: [...new Set(here)] } }
}

function placedTasks(whole: Fields): { task: Fields; path: Path }[] {
  const top = listOf(whole['tasks']).map((task, index) => ({ task: mapOf(task), path: ['tasks', index] }))
  const below = listOf(whole['sections']).flatMap((section, s) =>
    listOf(mapOf(section)['tasks']).map((task, index) => ({
      task: mapOf(task),
      path: ['sections', s, 'tasks', index],
    })),
  )
  return [...top, ...below]
}

function taskOf(task: Fields, finished: ReadonlySet<string>): Fields {
  const before = [...listOf(task['validation_findings']), ...listOf(task['last_error'])].map(wordsOf).filter(Boolean)
  const needed = listOf(task['depends_on'] ?? task['dependencies']).map(String)
  const said = typeof task['description'] === 'string' ? task['description'] : ''
  return {
    ...picked(task, TASK),
    description:
      before.length === 0
        ? (task['description'] ?? '')
        : `${said}\n\nFound before:\n${before.map((one) => `- ${one}`).join('\n')}`.trim(),
    depends_on: needed.filter((id) => !finished.has(id)),
  }
}

function wordsOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : value === null || value === undefined ? '' : JSON.stringify(value)
}

function picked(from: Fields, keys: ReadonlySet<string>): Fields {
  return Object.fromEntries(
    Object.entries(from).filter(([key, value]) => keys.has(key) && value !== undefined && value !== null),
  )
}

function mapOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]
}
