/** Plan files: tasks with ids, dependencies and texts, checked as a whole before anything is stored. */
import { basename, relative } from 'node:path'
import type { ProjectConfig } from '../domain/config.ts'
import { findDeadlocks } from '../domain/deadlock.ts'
import { isId, slug } from '../domain/ids.ts'
import type { PhaseMap } from '../domain/phase-map.ts'
import type { Plan, PlannedTask } from '../domain/plan.ts'
import type { Problem } from '../domain/problem.ts'
import { unknownWord } from '../domain/problem.ts'
import { knownSteps, readPhases } from './phases.ts'
import type { PlanTaskText, PlanText } from './schema.ts'
import { planSchema } from './schema.ts'
import type { YamlFile } from './yaml.ts'
import { check, readYaml, refuse } from './yaml.ts'

export async function loadPlan(path: string, cwd: string, config: ProjectConfig): Promise<Plan> {
  const file = await readYaml(path, relative(cwd, path) || path, 'plan')
  return buildPlan(file, config, basename(path).replace(/\.[^.]*$/, ''))
}

/** A plan of one task, from one sentence. */
export function planFromSentence(sentence: string): Plan {
  const title = sentence.trim()
  return {
    key: slug(title),
    name: title,
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
      },
    ],
  }
}

export function buildPlan(file: YamlFile, config: ProjectConfig, fallbackName: string): Plan {
  const text = check(file, planSchema, 'docs/plans.md shows a plan')
  const placed = placedTasks(text)
  const name = text.meta.name ?? text.meta.id ?? fallbackName
  const key = text.meta.id ?? slug(name)
  const problems: Problem[] = []
  if (!isId(key))
    problems.push({ path: ['meta', 'id'], message: `"${key}" cannot be an id: use letters, digits, . _ -` })
  if (placed.length === 0) problems.push({ path: ['tasks'], message: 'the plan has no tasks' })
  problems.push(...idProblems(placed), ...referenceProblems(placed, config))
  const shared = text.phases === undefined ? null : planPhases(text.phases, ['phases'], config, problems)
  const tasks = placed.map(({ task, path }): PlannedTask => {
    const own = task.phases === undefined ? shared : planPhases(task.phases, [...path, 'phases'], config, problems)
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
    }
  })
  dependOnSubtasks(tasks)
  if (problems.length === 0) problems.push(...cycleProblems(tasks, placed))
  if (problems.length > 0) refuse(file, problems, 'docs/plans.md explains plans')
  return { key, name, tasks }
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

function referenceProblems(placed: readonly Placed[], config: ProjectConfig): Problem[] {
  const ids = placed.map(({ task }) => task.id)
  const known = new Set(ids)
  const roles = Object.keys(config.agents)
  const checks = Object.keys(config.checks)
  return placed.flatMap(({ task, path }): Problem[] => [
    ...task.depends_on
      .filter((dependency) => !known.has(dependency))
      .map((dependency) => ({ path: [...path, 'depends_on'], message: unknownWord('dependency', dependency, ids) })),
    ...task.checks
      .filter((name) => !checks.includes(name))
      .map((name) => ({ path: [...path, 'checks'], message: unknownWord('check', name, checks) })),
    ...(task.parent !== undefined && !known.has(task.parent)
      ? [{ path: [...path, 'parent'], message: unknownWord('parent', task.parent, ids) }]
      : []),
    ...(task.agent !== undefined && !roles.includes(task.agent)
      ? [{ path: [...path, 'agent'], message: unknownWord('role', task.agent, roles) }]
      : []),
  ])
}

function planPhases(
  phases: NonNullable<PlanText['phases']>,
  path: (string | number)[],
  config: ProjectConfig,
  problems: Problem[],
): PhaseMap {
  const read = readPhases(phases, knownSteps(Object.keys(config.agents), Object.keys(config.checks)), path)
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
  const ring = findDeadlocks(nodes)
    .filter((deadlock) => deadlock.reason === 'cycle' && deadlock.task === deadlock.root)
    .map((deadlock) => deadlock.task)
  if (ring.length === 0) return []
  const at = placed.find(({ task }) => task.id === ring[0])
  const message = `the dependencies of ${ring.join(', ')} form a cycle: none of them could ever start`
  return [{ path: [...(at?.path ?? []), 'depends_on'], message }]
}
