/** muster run: works on a plan, a sentence or all open tasks, until every task is done or waits for people. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Attachment } from '../app.ts'
import { attach, installedPrograms } from '../app.ts'
import { loadPlan, sentenceKey, storyKey } from '../config/plan.ts'
import { planForSentence, type Installed, type SentenceOptions } from '../config/sentence.ts'
import type { ProjectConfig } from '../domain/config.ts'
import { MusterError } from '../domain/errors.ts'
import type { Plan } from '../domain/story/plan.ts'
import { olderConfig, olderLine } from '../engine/views/outdated.ts'
import type { SubmitResult } from '../engine/loop/submit.ts'
import type { Project } from '../project.ts'
import { openProject } from '../project.ts'
import { askAboutContracts, tellAdvisory, tellNotices, tellWarnings, warned } from './advice.ts'
import { checkBefore } from './before.ts'
import { BegunRuns, interruptedLines } from './begun.ts'
import { dryRun } from './dry-run.ts'
import type { Io } from './io.ts'
import { oneLine, printJson } from './io.ts'
import { watchProgress } from './progress.ts'
import { commaList, reading } from './session.ts'
import { STOPPING, closeOnSignal } from './signals.ts'
import type { RunReport } from './summary.ts'
import { exitCodeOf, openBefore, reportOn, summaryText } from './summary.ts'

export async function run(io: Io, [wanted = '']: string[], options: Record<string, unknown>): Promise<number> {
  const opened = await openProject(io.cwd, io.env)
  const forSentence = sentenceOptions(options)
  const { plan: read, config, warnings } = await readPlan(io, opened, wanted, forSentence)
  tellWarnings(io, warnings)
  const project = { ...opened, config }
  const plan = read !== null && options['new'] === true ? await underNewKey(io, read) : read
  if (options['dryRun'] === true) return dryRun(io, project, plan, { json: options['json'] === true, warnings })
  await checkBefore(io, project)
  await tellOlder(io, config)
  const report = await work(io, project, plan, forSentence)
  if (options['json'] === true) printJson(io, { story: report.story, tasks: report.tasks, ...warned(warnings) })
  else io.out(summaryText(report))
  return exitCodeOf(report)
}

/** Whoever mended muster.yaml should know which tasks do not have it yet. */
async function tellOlder(io: Io, config: ProjectConfig): Promise<void> {
  const older = await reading(io, (store) => olderConfig(store, config))
  if (older !== null) io.say(`${io.paint.yellow('note:')} ${oneLine(olderLine(older), 400)}\n`)
}

/** The plan, and the configuration with the roles that it needs. */
async function readPlan(
  io: Io,
  { config, root }: Project,
  wanted: string,
  forSentence: SentenceOptions | null,
): Promise<{ plan: Plan | null; config: ProjectConfig; warnings: string[] }> {
  const path = resolve(io.cwd, wanted)
  const isFile = wanted !== '' && (/\.(ya?ml|json)$/i.test(wanted) || existsSync(path))
  if (forSentence !== null && (isFile || wanted === '')) {
    throw new MusterError('usage', '--agent, --model, --checks and --criteria only work with a sentence', {
      hint: isFile
        ? 'in a plan file, set agent:, checks: and acceptance_criteria: on each task'
        : 'muster run "what should be done" --checks unit-test',
    })
  }
  if (wanted === '') return { plan: null, config, warnings: [] }
  if (isFile) return loadPlan(path, io.cwd, config, root)
  if (/\s/.test(wanted.trim())) {
    const programs = forSentence?.agent == null ? [] : await programsHere(io)
    const none = { agent: null, model: null, checks: [], criteria: [] }
    const resolved = planForSentence(wanted, forSentence ?? none, config, root, programs)
    return { ...resolved, plan: await withOwnKey(io, resolved.plan), warnings: [] }
  }
  throw new MusterError('usage', `"${wanted}" is neither a plan file nor a sentence`, {
    hint: 'muster run plan.yaml, or muster run "what should be done"',
  })
}

/** What the command line says about the one task; null: nothing. */
function sentenceOptions(options: Record<string, unknown>): SentenceOptions | null {
  const word = (name: string) => (typeof options[name] === 'string' ? options[name] : null)
  const criteria = (options['criteria'] as string[] | undefined) ?? []
  const forSentence = { agent: word('agent'), model: word('model'), checks: commaList(options['checks']), criteria }
  return ['agent', 'model', 'checks', 'criteria'].some((name) => options[name] !== undefined) ? forSentence : null
}

async function programsHere(io: Io): Promise<Installed[]> {
  const programs = await installedPrograms(io.env)
  return programs.map(({ runtime, key }) => ({ runtime, env: key === null ? [] : [key] }))
}

/** Sentences that begin alike get keys of their own; the same one again goes on with its story. */
async function withOwnKey(io: Io, plan: Plan): Promise<Plan> {
  return reading(io, async (store) => {
    // As an older Muster named it.
    const long = storyKey(plan.name)
    if ((await store.story(long))?.name === plan.name) return { ...plan, key: long }
    for (let n = 1; ; n++) {
      const key = sentenceKey(plan.name, n)
      const story = await store.story(key)
      if (story === null || story.name === plan.name) return { ...plan, key }
    }
  })
}

/** The plan under the next free key: chosen once, so that asking again after a lost answer makes no second story. */
async function underNewKey(io: Io, plan: Plan): Promise<Plan> {
  return reading(io, async (store) => {
    for (let n = 2; ; n++) {
      const key = plan.adHoc === true ? sentenceKey(plan.name, n) : `${plan.key}-${n}`
      if ((await store.story(key)) === null) return (await store.story(plan.key)) === null ? plan : { ...plan, key }
    }
  })
}

/** Works here or follows the muster that does; should that one end first, it goes on here. */
export async function work(
  io: Io,
  project: Project,
  plan: Plan | null,
  forSentence: SentenceOptions | null = null,
): Promise<RunReport> {
  let submitted: SubmitResult | null = null
  const before = new Set(await reading(io, openBefore))
  const begun = new BegunRuns()
  for (;;) {
    const engine = await attach(project, io.env)
    const words = engine.owned ? STOPPING : 'leaving; the other muster keeps working'
    const signals = closeOnSignal(io.say, words, (now) => engine.close(now))
    const progress = watchProgress(io)
    try {
      await engine.follow((event) => {
        if (event.type === 'tasks-added') for (const id of event['ids'] as string[]) before.add(id)
        begun.onEvent(event)
        progress.onEvent(event)
      })
      if (!engine.owned) io.say('another muster is at work here; following it\n')
      if (plan !== null) {
        submitted = await engine.commands.submit({ plan, config: project.config })
        tellSubmitted(io, submitted)
        if (!submitted.created && (forSentence?.agent ?? forSentence?.model ?? null) !== null) io.say(KEEPS_ITS_AGENT)
        await ask(io, project, submitted, engine)
      }
      await signals.race(engine.settled(submitted?.story))
      if (!signals.interrupted()) await signals.race(engine.idle())
    } catch (error) {
      const lost = error instanceof MusterError && error.code === 'busy' && !engine.owned
      if (!signals.interrupted()) {
        if (!lost) throw error
        io.say('the other muster ended; continuing here\n')
        continue
      }
    } finally {
      progress.end()
      await signals.close()
    }
    const interrupted = signals.interrupted()
    return reading(io, async (store, place) => {
      const report = await reportOn(store, place, { submitted, before, interrupted })
      if (!interrupted) return report
      const stopped = engine.owned ? await begun.stopped(store) : []
      return { ...report, interruption: interruptedLines(stopped, begun.count(), !engine.owned) }
    })
  }
}

const KEEPS_ITS_AGENT = 'note: this story already started with another agent and keeps it; --new starts it again\n'

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
  if (created) return io.say(`story ${story}: ${added.length} ${added.length === 1 ? 'task' : 'tasks'}\n`)
  if (over && added.length === 0) io.say(`story ${story}: all tasks are done, nothing to do (--new starts it again)\n`)
  else io.say(`story ${story} continues\n`)
  if (added.length > 0) io.say(`  added: ${added.join(', ')}\n`)
  if (changed.length > 0) io.say(`  changed: ${changed.join(', ')}\n`)
  if (removed.length > 0) io.say(`  no longer in the plan, kept unchanged: ${removed.join(', ')}\n`)
}
