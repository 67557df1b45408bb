/** muster run: works on a plan, a sentence or everything open, until every task is over or only people can go on. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Attachment } from '../app.ts'
import { attach } from '../app.ts'
import { loadPlan, planFromSentence } from '../config/plan.ts'
import type { ProjectConfig } from '../domain/config.ts'
import { MusterError } from '../domain/errors.ts'
import type { Plan } from '../domain/plan.ts'
import type { SubmitResult } from '../engine/submit.ts'
import type { Project } from '../project.ts'
import { openProject } from '../project.ts'
import { askAboutContracts, tellAdvisory, tellNotices } from './advice.ts'
import { lookBefore } from './before.ts'
import { dryRun } from './dry-run.ts'
import type { Io } from './io.ts'
import { printJson } from './io.ts'
import { watchProgress } from './progress.ts'
import { reading } from './session.ts'
import { STOPPING, closeOnSignal } from './signals.ts'
import type { RunReport } from './summary.ts'
import { exitCodeOf, openBefore, reportOn, summaryText } from './summary.ts'

export async function run(io: Io, [wanted = '']: string[], options: Record<string, unknown>): Promise<number> {
  const opened = await openProject(io.cwd, io.env)
  const { plan, config } = await readPlan(io, opened, wanted)
  const project = { ...opened, config }
  if (options['dryRun'] === true) return dryRun(io, project, plan, options['json'] === true)
  await lookBefore(io, project)
  const chosen = plan !== null && options['new'] === true ? await anew(io, plan) : plan
  const report = await work(io, project, chosen)
  if (options['json'] === true) printJson(io, { story: report.story, tasks: report.tasks })
  else io.out(summaryText(report))
  return exitCodeOf(report)
}

/** The plan, and the configuration with the roles that it needs. */
async function readPlan(
  io: Io,
  { config, root }: Project,
  wanted: string,
): Promise<{ plan: Plan | null; config: ProjectConfig }> {
  if (wanted === '') return { plan: null, config }
  const path = resolve(io.cwd, wanted)
  if (/\.(ya?ml|json)$/i.test(wanted) || existsSync(path)) return loadPlan(path, io.cwd, config, root)
  if (/\s/.test(wanted.trim())) return { plan: planFromSentence(wanted), config }
  throw new MusterError('usage', `"${wanted}" is neither a plan file nor a sentence`, {
    hint: 'muster run plan.yaml, or muster run "what should be done"',
  })
}

/** The plan under the next free key: chosen once, so that asking again after a lost answer makes no second story. */
async function anew(io: Io, plan: Plan): Promise<Plan> {
  return reading(io, async (store) => {
    for (let n = 2; ; n++) {
      const key = `${plan.key}-${n}`
      if ((await store.story(key)) === null) return (await store.story(plan.key)) === null ? plan : { ...plan, key }
    }
  })
}

/** Works here or follows the muster that does; should that one end first, it goes on here. */
export async function work(io: Io, project: Project, plan: Plan | null): Promise<RunReport> {
  let submitted: SubmitResult | null = null
  const before = new Set(await reading(io, openBefore))
  for (;;) {
    const engine = await attach(project, io.env)
    const words = engine.owned ? STOPPING : 'leaving; the other muster goes on'
    const signals = closeOnSignal(io.say, words, (now) => engine.close(now))
    const progress = watchProgress(io)
    try {
      await engine.follow((event) => {
        if (event.type === 'tasks-added') for (const id of event['ids'] as string[]) before.add(id)
        progress.onEvent(event)
      })
      if (!engine.owned) io.say('another muster is at work here; following it\n')
      if (plan !== null) {
        submitted = await engine.commands.submit({ plan, config: project.config })
        tellSubmitted(io, submitted)
        await ask(io, project, submitted, engine)
      }
      await signals.race(engine.settled(submitted?.story))
      if (!signals.interrupted()) await signals.race(engine.idle())
    } catch (error) {
      const lost = error instanceof MusterError && error.code === 'busy' && !engine.owned
      if (!signals.interrupted()) {
        if (!lost) throw error
        io.say('the muster that did the work ended; going on here\n')
        continue
      }
    } finally {
      progress.end()
      await signals.close()
    }
    const interrupted = signals.interrupted()
    return reading(io, (store, place) => reportOn(store, place, { submitted, before, interrupted }))
  }
}

/** Questions come before the work, while the progress lines are still quiet. */
async function ask(io: Io, { config }: Project, { added, changed }: SubmitResult, { commands }: Attachment) {
  await reading(io, (store) => askAboutContracts(io, [...added, ...changed], store, commands, config))
}

export function tellSubmitted(
  io: Io,
  { story, created, added, changed, removed, advisory, notices, over }: SubmitResult,
): void {
  tellNotices(io, notices)
  for (const { title } of advisory) tellAdvisory(io, title)
  if (created) return io.say(`story ${story}: ${added.length} tasks\n`)
  if (over && added.length === 0)
    io.say(`story ${story}: everything is over, nothing to do (--new starts it once more)\n`)
  else io.say(`story ${story} goes on\n`)
  if (added.length > 0) io.say(`  added: ${added.join(', ')}\n`)
  if (changed.length > 0) io.say(`  changed: ${changed.join(', ')}\n`)
  if (removed.length > 0) io.say(`  no longer in the plan, kept as they are: ${removed.join(', ')}\n`)
}
