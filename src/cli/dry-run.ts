/** muster run --dry-run: the tasks in the order in which they could start, and their phases. Changes nothing. */
import { contractsHere } from '../preview.ts'
import type { Contract } from '../domain/contract/contract.ts'
import type { ProjectConfig } from '../domain/config.ts'
import { describeUsd } from '../domain/cost.ts'
import { compareNatural } from '../domain/ids.ts'
import type { Phase } from '../domain/task/phase-map.ts'
import type { Plan, PlannedTask } from '../domain/story/plan.ts'
import { doerOf, roleOf } from '../domain/role.ts'
import { panelOf, phasesOf } from '../domain/validation.ts'
import { warned } from './advice.ts'
import { openBefore } from './summary.ts'
import type { Project } from '../project.ts'
import type { Io } from './io.ts'
import { oneLine, printJson } from './io.ts'
import { reading } from './session.ts'
import { playersOf, playerText, stakeOf, stakeText } from './stake.ts'

export async function dryRun(
  io: Io,
  project: Project,
  plan: Plan | null,
  { json, warnings }: { json: boolean; warnings: readonly string[] },
): Promise<number> {
  if (plan === null) return tellOpen(io, json)
  const { config } = project
  const tasks = await foreseen(io, plan, config)
  // What is over costs nothing more.
  const open = tasks.filter(({ status }) => status === 'not-started' || status === 'in-progress')
  const stake = stakeOf(plan, config, open)
  const isNew = (await reading(io, (store) => store.story(plan.key))) === null
  if (!json) {
    tellStory(io, plan, config, { isNew, tasks, stake })
    for (const task of tasks) tellTask(io, task)
    return 0
  }
  const budgetUsd = plan.budgetUsd ?? config.limits.budgetUsd
  printJson(io, {
    story: { id: plan.key, name: plan.name, isNew, branch: `muster/story/${plan.key}`, base: config.base },
    limits: { ...config.limits, ...(budgetUsd === undefined ? {} : { budgetUsd }) },
    budget: stake,
    tasks,
    ...warned(warnings),
  })
  return 0
}

/** Without a plan: what a run would go on with. */
async function tellOpen(io: Io, json: boolean): Promise<number> {
  const open = await reading(io, openBefore)
  if (json) printJson(io, { story: null, open })
  else
    io.out(
      open.length === 0
        ? 'no open tasks\n'
        : `would continue ${open.length} open tasks: ${open.slice(0, 20).join(', ')}\n`,
    )
  return 0
}

type Foreseen = Awaited<ReturnType<typeof foreseen>>[number]

/** The plan's tasks, wave after wave, each with what it would go through. */
async function foreseen(io: Io, plan: Plan, config: ProjectConfig) {
  const stored = await reading(io, (store) => store.statuses(plan.tasks.map(({ id }) => `${plan.key}-${id}`)))
  const contracts = await contractsOf(io, plan)
  return inWaves(plan.tasks).flatMap((wave, index) =>
    wave.map((task) => {
      const phases = phasesOf(task, config)
      return {
        id: `${plan.key}-${task.id}`,
        title: task.title,
        status: stored.get(`${plan.key}-${task.id}`) ?? 'not-started',
        wave: index + 1,
        dependsOn: task.dependsOn.map((id) => `${plan.key}-${id}`),
        agent: doerOf(task.agent),
        maxRounds: task.maxRounds ?? config.limits.maxTaskRounds,
        phases: phases.map((phase) => phaseText(phase, task.agent)),
        agents: playersOf(task, phases, config),
        budgetUsd: task.budgetUsd ?? null,
        contract: contracts.get(task.id) ?? null,
      }
    }),
  )
}

/** The contracts that the tasks would get here. */
async function contractsOf(io: Io, plan: Plan): Promise<Map<string, Contract>> {
  const { sealed } = await contractsHere(io.cwd, io.env)
  const contracts = new Map<string, Contract>()
  for (const task of plan.tasks) {
    const story = plan.adHoc === true ? null : plan.key
    contracts.set(task.id, await sealed({ ...task, story, written: task.contract, type: null }))
  }
  return contracts
}

function tellStory(
  io: Io,
  { key }: Plan,
  { base, limits }: ProjectConfig,
  { isNew, tasks, stake }: { isNew: boolean; tasks: readonly Foreseen[]; stake: ReturnType<typeof stakeOf> },
): void {
  const rounds = [...new Set(tasks.map(({ maxRounds }) => maxRounds))].toSorted((a, b) => a - b)
  io.out(
    `${isNew ? 'new story' : 'story'} ${key}: ${tasks.length} ${tasks.length === 1 ? 'task' : 'tasks'} onto muster/story/${key} (from ${base}), ${limits.maxWorkers} at a time, at most ${rounds.join(' or ')} rounds each\n${stakeText(stake)}\n`,
  )
}

function tellTask(io: Io, task: Foreseen): void {
  const begun = task.status === 'not-started' ? '' : `  (${task.status})`
  const after = task.dependsOn.length > 0 ? `  after ${task.dependsOn.join(', ')}` : ''
  io.out(`  ${task.wave}. ${task.id}  ${oneLine(task.title, 60)}${begun}${after}\n       ${task.phases.join(' → ')}\n`)
  const bound = task.budgetUsd === null ? '' : `  (at most ${describeUsd(task.budgetUsd)})`
  io.out(` ${oneLine(task.agents.map(playerText).join('; ') || 'no agent', 160)}${bound}\n`)
  if (task.contract !== null) io.out(`       ${oneLine(contractLine(task.contract), 160)}\n`)
}

function phaseText(phase: Phase, agent: string | null): string {
  const { name, step } = phase
  const roles = () => panelOf(phase).map((role) => roleOf(role, agent))
  return `${name}: ${step.type} ${step.type === 'agent' ? roles().join(', ') : step.name}`
}

/** Of a contract what fits on a line: its type, and what counts. */
function contractLine({ type, ambiguous, criteria, notices }: Contract): string {
  const counted = criteria.filter(({ skipped }) => skipped === undefined).map(({ id, activity }) => `${id} ${activity}`)
  const remarks = notices.length === 0 ? '' : ` (${notices.join('; ')})`
  return `${type}${ambiguous ? ' (ambiguous)' : ''}: ${counted.join(', ') || 'nothing to verify'}${remarks}`
}

/** Tasks that could run at the same time, wave after wave. */
function inWaves(tasks: readonly PlannedTask[]): PlannedTask[][] {
  const left = new Map(tasks.map((task) => [task.id, new Set(task.dependsOn)]))
  const byId = new Map(tasks.map((task) => [task.id, task]))
  const waves: PlannedTask[][] = []
  while (left.size > 0) {
    const free = [...left].filter(([, dependencies]) => dependencies.size === 0).map(([id]) => id)
    if (free.length === 0) break
    for (const id of free) left.delete(id)
    for (const dependencies of left.values()) for (const id of free) dependencies.delete(id)
    waves.push(free.sort(compareNatural).flatMap((id) => byId.get(id) ?? []))
  }
  return waves
}
