/** accept, reject, approve, retry, cancel: what a person says to a task. */
import { withCommands } from '../app.ts'
import { parseComment } from '../domain/comment.ts'
import type { Commands } from '../engine/commands.ts'
import { taskView } from '../engine/views.ts'
import { openProject } from '../project.ts'
import type { Io } from './io.ts'
import { printJson } from './io.ts'
import { person, reading, refuseInsideTask, requireTask } from './session.ts'

const DONE = {
  accept: 'accepted',
  reject: 'rejected; the author gets your words',
  approve: 'approved',
  submit: 'has your commit as its next attempt',
  retry: 'gets another try',
  cancel: 'cancelled',
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
  tell(io, 'retry', options, (commands) => commands.retry({ task, by: person(io) }))

export const cancel = (io: Io, [task = '']: string[], options: Options) =>
  tell(io, 'cancel', options, (commands) => commands.cancel({ task, reason: text(options), by: person(io) }))

async function tell(
  io: Io,
  kind: keyof typeof DONE,
  options: Options,
  ask: (commands: Commands) => Promise<{ id: string }>,
) {
  refuseInsideTask(io, `muster ${kind}`)
  const project = await openProject(io.cwd, io.env)
  const { id } = await withCommands(project, io.env, ask)
  await reading(io, async (store) => {
    const task = await requireTask(store, id)
    if (options['json'] === true) return printJson(io, await taskView(store, task))
    io.say(`${id} ${DONE[kind]}\n`)
    if (kind !== 'cancel') io.say(`  next: muster run (if none is running), or muster explain ${id}\n`)
  })
}

function comments(options: Options) {
  const given = options['comment']
  return Array.isArray(given) ? given.map(String).map(parseComment) : undefined
}

function text(options: Options): string {
  const said = options['reason'] ?? options['message']
  return typeof said === 'string' ? said : ''
}
