/**
 * muster story: list and show stories, approve a draft, make tasks from a failed validation, cancel and archive
 * stories.
 */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { withCommands } from '../app.ts'
import { planOfDraft, readDraft } from '../config/draft.ts'
import { describeUsd } from '../domain/cost.ts'
import { forDisplay } from '../domain/display.ts'
import type { StoryDraft } from '../domain/story/draft.ts'
import { MusterError } from '../domain/errors.ts'
import { unknownWord } from '../domain/problem.ts'
import type { Story } from '../domain/task/task.ts'
import { findStory } from '../engine/meant.ts'
import { approveDraft, draftOf } from '../engine/steps/elaborate.ts'
import { listedStories, stuckTasks, type StuckTask } from '../engine/views/story-lists.ts'
import { storyView, type StoryView } from '../engine/views/views.ts'
import type { Store } from '../ports/store.ts'
import { openProject } from '../project.ts'
import type { Io } from './io.ts'
import { oneLine, printJson } from './io.ts'
import { person, reading, refuseInsideTask, requireTask } from './session.ts'
import { tellSubmitted } from './run.ts'

type Options = Record<string, unknown>

const ACTIONS = { list, show, approve, fix, cancel, archive: hide(true), unarchive: hide(false) }

export function story(io: Io, [action = '', id = '']: string[], options: Options): Promise<void> {
  const known = Object.keys(ACTIONS)
  if (!Object.hasOwn(ACTIONS, action)) {
    throw new MusterError('usage', unknownWord('action', action, known), { hint: `muster story ${known.join('|')}` })
  }
  return ACTIONS[action as keyof typeof ACTIONS](io, id, options)
}

async function list(io: Io, _: string, options: Options): Promise<void> {
  await reading(io, async (store) => {
    const stories = await listedStories(store, options['all'] === true)
    const views = await Promise.all(stories.map((one) => storyView(store, one)))
    if (options['json'] === true) return printJson(io, { stories: views })
    const hidden = (await store.stories()).length - stories.length
    if (hidden > 0) io.say(`${hidden} archived: muster story list --all\n`)
    if (views.length === 0 && hidden === 0)
      return io.say('no stories yet: muster run plan.yaml, or muster elaborate "<goal>"\n')
    const width = Math.max(0, ...views.map(({ id }) => id.length))
    for (const { id, state, name, archived } of views)
      io.out(`${id.padEnd(width)}  ${state.padEnd(12)}  ${oneLine(name, 80)}${archived ? '  (archived)' : ''}\n`)
  })
}

async function show(io: Io, wanted: string, options: Options): Promise<void> {
  await reading(io, async (store) => {
    const found = await storyNamed(store, wanted)
    if (found === null) return showDraft(io, store, wanted, options)
    const view = await storyView(store, found)
    const stuck = await stuckTasks(store, found.id)
    if (options['json'] === true) return printJson(io, { ...view, stuck })
    io.out(storyText(view, stuck))
  })
}

/** A draft has the id of its task, so whatever is one is no part of a story's name. */
async function storyNamed(store: Store, wanted: string): Promise<Story | null> {
  const story = await store.story(wanted)
  if (story !== null || (await store.task(wanted)) !== null) return story
  const isPart = (await store.stories()).some(({ id }) => id.toLowerCase().includes(wanted.toLowerCase()))
  return isPart ? store.story(await findStory(store, wanted)) : null
}

/** What stands between the story and its end, and the command that moves it on. */
export function storyText(view: StoryView, stuck: readonly StuckTask[] = []): string {
  const counts = Object.entries(view.tasks).filter(([, n]) => n > 0)
  const rows: [string, string | null][] = [
    ['state', view.state],
    ['tasks', counts.map(([status, n]) => `${n} ${status}`).join(', ') || 'none'],
    ['branch', `${view.branch} → ${view.base}`],
    ['landed', view.landed],
    [
      'work',
      view.work === null
        ? null
        : `${view.work.id} (${view.work.stage}${view.work.waitingFor === null ? '' : `: ${view.work.waitingFor}`})`,
    ],
    ['note', view.message],
    ['cost', view.cost.usd === null ? null : describeUsd(view.cost.usd)],
    ['next', nextOf(view)],
  ]
  const facts = rows.flatMap(([name, value]) =>
    value === null ? [] : [`  ${name.padEnd(8)} ${oneLine(value, 400)}\n`],
  )
  const waiting = stuck.flatMap(({ id, stage, reason, next }) => [
    `  ${stage === 'failed' ? '✗' : '?'} ${id} ${stage === 'failed' ? 'failed' : 'waits'}: ${oneLine(reason, 200)}\n`,
    `      ${next.join('   ')}\n`,
  ])
  return [`${view.id}  ${oneLine(view.name)}\n`, ...facts, ...waiting].join('')
}

function nextOf({ id, state, work, message, landed, base }: StoryView): string {
  switch (state) {
    case 'OPEN':
      return work?.stage === 'review' ? `muster show ${work.id}` : `muster status --story ${id}`
    case 'SHIPPABLE':
      return message === null ? `muster ship ${id}` : `muster ship ${id} --resume`
    case 'SHIPPING':
      return message === null ? follow(id, work) : `muster ship ${id} --deployed -m "…", or --resume`
    case 'NEEDS_FIX':
      return `muster show ${work?.id ?? id}, then: muster story fix ${id}`
    case 'REVIEW_READY':
      return `git show --stat ${landed ?? base}`
    case 'CANCELLED':
      return `muster story archive ${id}, or bring a task back: muster retry <task>`
    case 'DEPLOYED':
    case 'VALIDATING':
      return follow(id, work)
  }
}

/** Whether or not a Muster is at work on it now. */
function follow(id: string, work: StoryView['work']): string {
  return `muster ship ${id} --resume follows it${work === null ? '' : `; muster logs ${work.id} shows its output`}`
}

async function showDraft(io: Io, store: Store, wanted: string, options: Options): Promise<void> {
  const { spec } = await requireTask(store, wanted)
  const view = await draftOf(store, spec.id)
  if (options['json'] === true) return printJson(io, view)
  if (view.draft === null) return io.say(`${view.id} has no draft yet: it is ${view.status}\n`)
  io.out(draftText(view.draft, view.warnings))
  if (view.status === 'waiting') io.say(draftHint(view.id))
}

export function draftText(draft: StoryDraft, warnings: readonly string[]): string {
  const lines = [oneLine(draft.name)]
  for (const [index, task] of draft.tasks.entries()) {
    const after = task.depends_on.length === 0 ? '' : ` (after ${task.depends_on.join(', ')})`
    lines.push(
      '',
      `${index + 1}. ${oneLine(`${task.name}${after}`)}`,
      ...body(task.instructions, task.acceptance_criteria),
    )
    for (const [at, sub] of (task.subtasks ?? []).entries()) {
      lines.push(`  ${index + 1}.${at + 1} ${oneLine(sub.name)}`, ...body(sub.instructions, sub.acceptance_criteria))
    }
  }
  if (warnings.length > 0) lines.push('', 'Warnings', ...warnings.map((warning) => `  ${oneLine(warning, 400)}`))
  return `${lines.join('\n')}\n`
}

function body(instructions: string, criteria: string): string[] {
  const text = [instructions, criteria].filter((part) => part.trim() !== '').join('\n')
  return text === '' ? [] : [`   ${forDisplay(text, { colours: false }).trim().replaceAll('\n', '\n   ')}`]
}

export function draftHint(id: string): string {
  return `\n  approve it:  muster story approve ${id}\n  edit it:     muster story show ${id} --json >draft.json, then: muster story approve ${id} --draft draft.json\n  ask again:   muster reject ${id} -m "what must change"\n`
}

async function approve(io: Io, wanted: string, options: Options): Promise<void> {
  refuseInsideTask(io, 'muster story approve')
  const project = await openProject(io.cwd, io.env)
  const draft = typeof options['draft'] === 'string' ? await edited(io, options['draft']) : null
  await reading(io, async (store) => {
    const id = (await requireTask(store, wanted)).spec.id
    const submitted = await withCommands(project, io.env, (commands) =>
      approveDraft({ store, commands }, { id, edited: draft, by: person(io) }, (chosen) =>
        planOfDraft(chosen, project.config, project.root),
      ),
    )
    if (options['json'] === true) return printJson(io, submitted)
    tellSubmitted(io, submitted)
    io.say('next: muster run\n')
  })
}

async function edited(io: Io, path: string): Promise<StoryDraft> {
  const text = await readFile(resolve(io.cwd, path), 'utf8').catch(() => {
    throw new MusterError('not_found', `there is no file ${path}`, {
      hint: 'muster story show <task> --json >draft.json',
    })
  })
  const draft = readDraft(JSON.stringify(withinView(text, path)))
  if (!('problems' in draft)) return draft
  throw new MusterError('config', draft.problems.map((problem) => `${path}: ${problem}`).join('\n'), {
    hint: 'fix it and approve it again; muster story show <task> --json prints the original draft',
  })
}

/** A draft alone, or as `story show --json` prints it. */
function withinView(text: string, path: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && 'draft' in value ? value.draft : value
  } catch (error) {
    throw new MusterError('config', `${path} is not valid JSON: ${error instanceof Error ? error.message : ''}`, {
      hint: 'muster story show <task> --json >draft.json, then edit that file',
    })
  }
}

async function fix(io: Io, id: string, options: Options): Promise<void> {
  refuseInsideTask(io, 'muster story fix')
  const project = await openProject(io.cwd, io.env)
  const added = await withCommands(project, io.env, (commands) => commands.fix({ story: id, by: person(io) }))
  if (options['json'] === true) return printJson(io, added)
  io.say(`${added.tasks.join(', ')} added to ${added.id}. Next: muster run\n`)
}

async function cancel(io: Io, id: string, options: Options): Promise<void> {
  refuseInsideTask(io, 'muster story cancel')
  const project = await openProject(io.cwd, io.env)
  const reason = typeof options['message'] === 'string' ? options['message'] : ''
  const ended = await withCommands(project, io.env, (commands) =>
    commands.cancelStory({ story: id, reason, by: person(io) }),
  )
  if (options['json'] === true) return printJson(io, ended)
  const tasks = ended.tasks.length === 0 ? 'no task was open' : `with ${ended.tasks.join(', ')}`
  io.say(`${ended.id} cancelled, ${tasks}; muster story archive ${ended.id} hides it from lists\n`)
}

/** `archive` and `unarchive`. */
function hide(archived: boolean) {
  const verb = archived ? 'archive' : 'unarchive'
  return async (io: Io, id: string, options: Options): Promise<void> => {
    refuseInsideTask(io, `muster story ${verb}`)
    const project = await openProject(io.cwd, io.env)
    const done = await withCommands(project, io.env, (commands) =>
      commands.archiveStory({ story: id, archived, by: person(io) }),
    )
    if (options['json'] === true) return printJson(io, done)
    io.say(archived ? `${done.id} archived; muster story list --all shows it\n` : `${done.id} is listed again\n`)
  }
}
