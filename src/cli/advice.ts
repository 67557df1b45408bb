/** What commands print about new advisory tasks, and the question to a person at a terminal (S3.17, S3.19). */
import { createInterface } from 'node:readline/promises'
import { questionTo } from '../domain/contract/contract-question.ts'
import { questionOf } from '../domain/task/reasons.ts'
import type { ProjectConfig } from '../domain/config.ts'
import type { Commands } from '../engine/commands.ts'
import type { Store } from '../ports/store.ts'
import type { Io } from './io.ts'
import { oneLine } from './io.ts'
import { person } from './session.ts'

/** The words are known to other tools. */
export function tellAdvisory(io: Io, title: string): void {
  io.say(
    `ℹ️ Advisory task detected: "${oneLine(title)}"\nNo automated verification — output will be logged for your review.\nProceeding...\n`,
  )
}

const noticesShownMax = 20

/** Vague criteria, languages that are not understood: told once, when the tasks come in. */
export function tellNotices(io: Io, notices: readonly { id: string; notice: string }[]): void {
  for (const { id, notice } of notices.slice(0, noticesShownMax)) {
    io.say(`${io.paint.yellow('note:')} ${id}: ${oneLine(notice, 400)}\n`)
  }
  const more = notices.length - noticesShownMax
  if (more > 0) io.say(`  and ${more} more: muster contract <task> shows them\n`)
}

/** What is doubtful in the file that was read. Its words are somebody else's. */
export function tellWarnings(io: Io, warnings: readonly string[]): void {
  for (const warning of warnings) io.say(`${io.paint.yellow('warning:')} ${oneLine(warning, 600)}\n`)
}

/** The same in JSON: a key that is there only where something is. */
export function warned(warnings: readonly string[]): { warnings?: readonly string[] } {
  return warnings.length === 0 ? {} : { warnings }
}

/** Asks about each of these tasks that waits for a word on its contract; unanswered, it stays held. */
export async function askAboutContracts(
  io: Io,
  ids: readonly string[],
  store: Store,
  commands: Commands,
  config: ProjectConfig,
): Promise<void> {
  if (!io.asks) return
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    for (const id of ids) {
      const task = await store.task(id)
      const asked = task === null ? null : questionTo(task.state)
      if (task === null || asked === null) continue
      const why = (await store.contracts(id)).at(-1)?.why ?? ''
      io.say(`${id} "${oneLine(task.spec.title)}": ${oneLine(questionOf(asked))} (${oneLine(why)})\n`)
      const answer = (await terminal.question('Is it [a]dvisory, [v]erifiable, or decide [l]ater? '))
        .trim()
        .toLowerCase()
      const type = answer.startsWith('a') ? 'advisory' : answer.startsWith('v') ? 'verifiable' : null
      if (type === null) continue
      await commands.contract({ task: id, by: person(io), config, type, written: null })
      if (type === 'advisory') tellAdvisory(io, task.spec.title)
    }
  } finally {
    terminal.close()
  }
}
