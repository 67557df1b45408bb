/** accept, reject, approve, submit, retry, cancel: a person's decisions about a task. */
import { runningEngine, withCommands } from '../app.ts'
import { parseComment } from '../domain/task/comment.ts'
import type { NewTerms } from '../domain/task/terms.ts'
import type { Commands } from '../engine/commands.ts'
import { taskView } from '../engine/views/views.ts'
import type { Store } from '../ports/store.ts'
import type { Project } from '../project.ts'
import { openProject } from '../project.ts'
import type { Io } from './io.ts'
import { oneLine, printJson } from './io.ts'
import { person, reading, refuseInsideTask, requireTask } from './session.ts'

const DONE = {
  accept: 'accepted',
  reject: 'rejected; the author gets your comments',
  approve: 'approved',
  submit: 'takes your commit as its next attempt',
  retry: 'will be tried again',
  cancel: 'cancelled',
}

/** The same of a plan. Nobody should think that the work is approved. */
const PLAN_APPROVED = 'has an approved plan; you decide about the work later'
const PLAN_DONE = {
  ...DONE,
  accept: PLAN_APPROVED,
  approve: PLAN_APPROVED,
  reject: 'has a rejected plan; the planner gets your comments',
}

type Options = Record<string, unknown>

export const decision =
  (kind: 'accept' | 'reject' | 'approve') =>
  (io: Io, [task = '']: string[], options: Options) =>
    tell(io, kind, options, (commands) =>
      commands.decide({ kind, task, message: text(options), comments: comments(options), by: person(io) }),
    )

export const submit = (io: Io, [task = '', commit = '']: string[], options: Options) =>
  tell(io, 'submit', options, (commands) => commands.take({ task, revision: commit || null, by: person(io) }))

export const retry = (io: Io, [task = '']: string[], options: Options) =>
  tell(io, 'retry', options, (commands, { config }) => commands.retry({ task, by: person(io), config }))

export const cancel = (io: Io, [task = '']: string[], options: Options) =>
  tell(io, 'cancel', options, (commands) => commands.cancel({ task, reason: text(options), by: person(io) }))

async function tell(
  io: Io,
  kind: keyof typeof DONE,
  options: Options,
  ask: (commands: Commands, project: Project) => Promise<{ id: string; terms?: NewTerms }>,
) {
  refuseInsideTask(io, `muster ${kind}`)
  const project = await openProject(io.cwd, io.env)
  const { id, terms } = await withCommands(project, io.env, (commands) => ask(commands, project))
  await reading(io, async (store) => {
    const task = await requireTask(store, id)
    if (options['json'] === true) return printJson(io, await taskView(store, task))
    const { approval, commit } = task.state
    const lands = kind === 'accept' && approval !== null && approval.commit === commit
    const done = (await isPlanDecided(store, id)) ? PLAN_DONE : DONE
    io.say(`${id} ${done[kind]}${lands ? `; it may land on ${task.spec.target}` : ''}\n`)
    if (task.state.status === 'completed') return io.say('  it changed nothing, so it is complete\n')
    if (terms !== undefined) io.say(termsText(terms))
    if (kind === 'cancel') return
    const engine = await runningEngine(project)
    engine?.close()
    io.say(
      engine === null
        ? `  next: muster run, or muster explain ${id}\n`
        : `  the running muster continues with it: muster explain ${id}\n`,
    )
  })
}

/** Whether the last decision was on a plan. */
async function isPlanDecided(store: Store, id: string): Promise<boolean> {
  return (await store.lastEvent(`task:${id}`, 'decision'))?.data['plan'] !== undefined
}

const linesMax = 20

/** What is new for the task: the configuration key by key, then the criteria. */
function termsText({ changes, criteria, contract }: NewTerms): string {
  const lines = changes.slice(0, linesMax).map((change) => `    ${oneLine(change, 200)}\n`)
  const more = changes.length > linesMax ? [`    and ${changes.length - linesMax} more\n`] : []
  const named = Object.entries(criteria).flatMap(([what, texts]: [string, readonly string[]]) =>
    texts.map((text) => `    ${what}: ${oneLine(text, 200)}\n`),
  )
  const sealed =
    contract === null ? [] : ['  it has a new contract; earlier verifications, approvals and waivers no longer count\n']
  return ['  it now uses the current muster.yaml:\n', ...lines, ...more, ...sealed, ...named].join('')
}

function comments(options: Options) {
  const given = options['comment']
  return Array.isArray(given) ? given.map(String).map(parseComment) : undefined
}

function text(options: Options): string {
  const said = options['reason'] ?? options['message']
  return typeof said === 'string' ? said : ''
}
