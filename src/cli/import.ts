/**
 * muster import: another orchestrator's plan becomes a story, or issues become tasks. `muster run` then works on them.
 */
import { resolve } from 'node:path'
import { withCommands } from '../app.ts'
import { importPlan } from '../config/import.ts'
import { openProject } from '../project.ts'
import { tellWarnings, warned } from './advice.ts'
import { dryRun } from './dry-run.ts'
import { importIssues, issueWish } from './import-issues.ts'
import type { Io } from './io.ts'
import { oneLine, printJson } from './io.ts'
import { tellSubmitted } from './run.ts'

export async function importCommand(
  io: Io,
  [wanted = '']: string[],
  options: Record<string, unknown>,
): Promise<number> {
  const opened = await openProject(io.cwd, io.env)
  const wish = issueWish(wanted, options)
  if (wish !== null) return importIssues(io, opened, wish, options)
  const { plan, config, finished, notes, warnings } = await importPlan(
    resolve(io.cwd, wanted),
    io.cwd,
    opened.config,
    opened.root,
  )
  for (const note of notes) io.say(`${io.paint.yellow('note:')} ${oneLine(note)}\n`)
  tellWarnings(io, warnings)
  if (finished.length > 0) io.say(`already finished, left out: ${oneLine(finished.join(', '), 500)}\n`)
  const project = { ...opened, config }
  if (options['dryRun'] === true) return dryRun(io, project, plan, { json: options['json'] === true, warnings })
  const submitted = await withCommands(project, io.env, (commands) => commands.submit({ plan, config }))
  if (options['json'] === true) printJson(io, { ...submitted, finished, notes, ...warned(warnings) })
  else {
    tellSubmitted(io, submitted)
    io.say(`  next: muster run\n`)
  }
  return 0
}
