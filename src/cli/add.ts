/** muster add: one more task, for the base branch or for a story. */
import { resolve } from 'node:path'
import { withCommands } from '../app.ts'
import { castTask } from '../config/new-task.ts'
import { readTaskFile, type TaskFile } from '../config/task-file.ts'
import { MusterError } from '../domain/errors.ts'
import { titleCharsMax } from '../domain/limits.ts'
import { taskView } from '../engine/views/views.ts'
import { openProject } from '../project.ts'
import type { Io } from './io.ts'
import { printJson } from './io.ts'
import { askAboutContracts, tellAdvisory, tellNotices } from './advice.ts'
import { commaList, reading, requireTask } from './session.ts'

export async function add(io: Io, [given = '']: string[], options: Record<string, unknown>): Promise<void> {
  const from = options['from']
  const file = typeof from === 'string' ? await readTaskFile(resolve(io.cwd, from), from) : null
  const title = titleOf(given, file)
  const project = await openProject(io.cwd, io.env)
  const worded = await wordedTask(title, options, file)
  const { task, config } = castTask(worded, project.config, project.root, '--defect')
  const { id, contract, held, notices } = await withCommands(project, io.env, async (commands) => {
    const added = await commands.add({ task, config })
    if (added.held !== null) await reading(io, (store) => askAboutContracts(io, [added.id], store, commands, config))
    return added
  })
  tellNotices(io, notices)
  if (contract.type === 'advisory' && held === null) tellAdvisory(io, task.title)
  if (options['json'] === true)
    return reading(io, async (store) => printJson(io, await taskView(store, await requireTask(store, id))))
  io.out(`${id}\n`)
  if (held !== null) io.say(`added, but held: ${held}\n`)
  else io.say(`added. Next: muster run. To see how it will be judged: muster contract ${id}\n`)
}

/** What is typed wins over what the file says. */
function titleOf(given: string, file: TaskFile | null): string {
  const title = given.trim() === '' ? (file?.title ?? '') : given
  if (title.trim() === '')
    throw new MusterError('usage', 'the task needs a title', { hint: 'muster add "Fix the login form"' })
  if (title.length > titleCharsMax) {
    throw new MusterError('usage', `the title has ${title.length} characters; the limit is ${titleCharsMax}`, {
      hint: 'put the rest into --instructions',
    })
  }
  return title.trim()
}

/** The task in the words of its options and of its file. */
async function wordedTask(title: string, options: Record<string, unknown>, file: TaskFile | null) {
  const word = (name: string) => (typeof options[name] === 'string' ? options[name] : null)
  const instructions = word('instructions')
  return {
    title,
    instructions: instructions === '-' ? await readStdin() : (instructions ?? file?.instructions ?? title),
    acceptanceCriteria: word('criteria') ?? '',
    checks: options['checks'] === undefined ? (file?.checks ?? []) : commaList(options['checks']),
    expectedFiles: commaList(options['files']),
    dependsOn: commaList(options['depends']),
    story: word('story'),
    agent: word('agent') ?? file?.agent ?? null,
    phases: word('phases'),
    defect: word('defect'),
    specRef: word('specRef'),
  }
}

async function readStdin(): Promise<string> {
  let text = ''
  for await (const chunk of process.stdin.setEncoding('utf8')) text += chunk
  return text
}
