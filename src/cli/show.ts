/** muster show: everything stored about one task. */
import { contractText } from '../domain/contract/contract-text.ts'
import { describeCost } from '../domain/cost.ts'
import { MusterError } from '../domain/errors.ts'
import type { Finding } from '../domain/verdict/verdict.ts'
import type { Place } from '../project.ts'
import { Outdated } from '../engine/views/outdated.ts'
import { plansOf, type PlanView } from '../engine/steps/planning.ts'
import { runView } from '../engine/views/run-view.ts'
import { taskView } from '../engine/views/views.ts'
import type { RunView } from '../engine/views/run-view.ts'
import type { TaskView } from '../engine/views/views.ts'
import { planLines, planText } from './plan-text.ts'
import type { Io } from './io.ts'
import { oneLine, printJson } from './io.ts'
import { forDisplay } from '../domain/display.ts'
import { runPrompt } from '../run-logs.ts'
import { resultLines } from './results.ts'
import { limitedNow, presentConfig, reading, requireTask } from './session.ts'

export async function show(io: Io, [wanted = '']: string[], options: Record<string, unknown>): Promise<void> {
  await reading(io, async (store, place) => {
    const task = await requireTask(store, wanted)
    const view = await taskView(store, task, await limitedNow(store))
    const checks = await store.checkRuns(view.id)
    const runs = [...(await store.runs(view.id)), ...checks].sort((a, b) => a.startedAt - b.startedAt).map(runView)
    if (options['prompt'] === true) return showPrompt(io, place, view.id, runs, options)
    if (options['plan'] === true) {
      return showPlan(io, view.id, plansOf(await store.runs(view.id), task.state), options)
    }
    const config = await presentConfig(io, place)
    const outdated = config === null ? [] : await new Outdated(store, config).of(task)
    if (options['json'] === true)
      return printJson(io, { ...view, outdated, contracts: await store.contracts(view.id), runs })
    io.out(render(view, runs, outdated))
  })
}

function render(view: TaskView, runs: readonly RunView[], outdated: readonly string[]): string {
  const rows: [string, string | null][] = [
    ['stage', view.phase === null ? view.stage : `${view.stage} (phase ${view.phase})`],
    ['round', `${view.round}, attempt ${view.attempt}`],
    ['story', view.story],
    ['parent', view.parent],
    ['depends', view.dependsOn.join(', ') || null],
    ['checks', view.checks.join(', ') || null],
    ['agent', view.agent],
    ['spec', view.specRef],
    ['checker of', view.checkerFor],
    ['branch', `${view.branch} → ${view.target}`],
    ['commit', view.commit],
    ['pr', view.pr],
    ['waiting', view.waitingFor],
    ['checker', view.checker.status === 'none' ? null : `${view.checker.status} (${view.checker.taskId})`],
    ['accepted', view.waiver === null ? null : overText(view.waiver)],
    ['failed', view.failureReason],
    [
      'outdated',
      outdated.length === 0 ? null : `muster.yaml changed: ${outdated.join('; ')} (muster retry uses the new one)`,
    ],
    ['cost', describeCost(view.cost)],
  ]
  const facts = rows.flatMap(([name, value]) =>
    value === null ? [] : [`  ${name.padEnd(10)} ${oneLine(value, 300)}\n`],
  )
  const ran = runs.map((run) => {
    const end = run.endedAt === null ? 'running' : (run.verdict ?? run.outcome ?? '')
    const cost = run.cost === null ? null : describeCost(run.cost)
    const notes = [...(run.unsandboxed ? ['unsandboxed'] : []), ...(cost === null ? [] : [cost])]
    return `  ${run.id.padEnd(24)} ${`${run.kind} ${run.name}`.padEnd(20)} attempt ${run.attempt} round ${run.round}  ${[`${end} ${run.exit ?? ''}`, ...notes].join(', ')}\n`
  })
  const found = view.findings.map((finding) => {
    const { round, source, message, file, line, criterion } = finding
    const place = file === undefined ? '' : `${oneLine(`${file}${line === undefined ? '' : `:${line}`}`)} `
    const what = forDisplay(message, { colours: false }).replaceAll('\n', '\n    ')
    const about = criterion === undefined || message.startsWith(`${criterion} `) ? '' : `${oneLine(criterion)} `
    return `  round ${round} [${source}] ${about}${place}${what}${replayText(finding)}\n`
  })
  return [
    `${view.id}  ${oneLine(view.title)}\n`,
    ...facts,
    ...section('Instructions', view.instructions),
    ...section('Acceptance criteria', view.acceptanceCriteria),
    ...(view.contract === null ? [] : section('Contract', contractText(view.contract))),
    ...view.plans.slice(-1).map(planLines),
    ...resultLines(view, runs),
    ...(ran.length > 0 ? ['\nRuns\n', ...ran] : []),
    ...(found.length > 0 ? ['\nFindings\n', ...found] : []),
    ...(view.checkerReport === null
      ? []
      : section(
          view.checkerReport.kind === 'failed' ? '⚠ Checker failed' : '⚠ Checker could not tell',
          view.checkerReport.text,
        )),
    ...section('Warnings', view.warnings.join('\n')),
  ].join('')
}

function overText({ criteria, reason, by }: NonNullable<TaskView['waiver']>): string {
  return `by ${by} over ${criteria.join(', ')}: ${reason}`
}

/** What Muster saw when it ran a finding's command itself. */
function replayText({ command, replay }: Finding): string {
  if (command === undefined || replay === undefined) return ''
  const words = {
    same: 'Muster ran it: it fails',
    different: 'Muster ran it: it does not fail',
    ran: 'Muster ran it',
    'not-run': 'not run again',
  }
  return ` (\`${oneLine(command)}\` ${words[replay]})`
}

/** What an agent was told: of the last run that was told anything, or of the one that is named. */
async function showPrompt(
  io: Io,
  place: Place,
  task: string,
  runs: readonly RunView[],
  options: Record<string, unknown>,
): Promise<void> {
  const wanted = options['run']
  const asked = typeof wanted === 'string' ? runs.filter(({ id }) => id === wanted) : runs.toReversed()
  for (const { id, kind } of asked) {
    const text = kind === 'agent' ? await runPrompt(place, id) : null
    if (text === null) continue
    if (options['json'] === true) return printJson(io, { task, run: id, prompt: text })
    return io.out(forDisplay(text, { colours: false }))
  }
  const which = typeof wanted === 'string' ? `run ${wanted} of ${task}` : task
  throw new MusterError('not_found', `${which} has no prompt: no agent has started`, { hint: `muster explain ${task}` })
}

/** What the planner wrote: the newest, or in the run that is named. */
function showPlan(io: Io, id: string, plans: readonly PlanView[], options: Record<string, unknown>): void {
  const wanted = options['run']
  const plan = typeof wanted === 'string' ? plans.find(({ run }) => run === wanted) : plans.at(-1)
  if (plan !== undefined)
    return options['json'] === true ? printJson(io, { task: id, ...plan }) : io.out(planText(plan))
  const which = typeof wanted === 'string' ? `run ${wanted} of ${id}` : id
  throw new MusterError('not_found', `${which} has no plan`, {
    hint: plans.length === 0 ? `muster explain ${id}` : `its plans are of ${plans.map(({ run }) => run).join(', ')}`,
  })
}

function section(heading: string, text: string): string[] {
  if (text.trim() === '') return []
  return [`\n${heading}\n  ${forDisplay(text, { colours: false }).trim().replaceAll('\n', '\n  ')}\n`]
}
