/** muster backup and restore: a project's data as one file, and back. */
import { resolve } from 'node:path'
import type { RestoreReport } from '../backup.ts'
import { backup, restore } from '../backup.ts'
import { formatBytes } from '../domain/bytes.ts'
import { findPlace, openProject } from '../project.ts'
import type { Io } from './io.ts'
import { oneLine, printJson } from './io.ts'
import { withWaitMessage } from './progress.ts'
import { refuseInsideTask } from './session.ts'

export async function backupCommand(io: Io, [file = '']: string[], options: Record<string, unknown>): Promise<void> {
  const place = await findPlace(io.cwd, io.env)
  const report = await withWaitMessage(io, 'saving', backup(place, resolve(io.cwd, file)))
  if (options['json'] === true) return printJson(io, report)
  const { bytes, events, refs } = report
  io.out(`saved ${events} events and ${refs} refs in ${report.file} (${formatBytes(bytes)})\n`)
  io.out(`  logs of runs and unfinished work are not in it. To restore it: muster restore ${file}\n`)
}

export async function restoreCommand(io: Io, [file = '']: string[], options: Record<string, unknown>): Promise<void> {
  refuseInsideTask(io, 'muster restore')
  const project = await openProject(io.cwd, io.env)
  const report = await withWaitMessage(io, 'restoring', restore(project, resolve(io.cwd, file)))
  if (options['json'] === true) return printJson(io, report)
  io.out(reportText(report))
}

function reportText({ madeAt, events, replaced, kept, landed, unknown }: RestoreReport): string {
  const line = ({ task, target, commit }: RestoreReport['landed'][number]) =>
    `  ${oneLine(task, 80)} on ${oneLine(target, 80)}, as ${commit.slice(0, 12)}\n`
  const was = replaced === null ? '' : `; the replaced database had ${replaced} events`
  return [
    `restored ${events} events of ${madeAt.slice(0, 19).replace('T', ' ')} UTC${was}\n`,
    ...(kept === null ? [] : [`the replaced database is in ${kept}\n`]),
    ...(landed.length === 0 ? [] : ['landed since then; muster run continues from there:\n', ...landed.map(line)]),
    ...(unknown.length === 0
      ? []
      : ['landed since then, from tasks that this backup does not contain:\n', ...unknown.map(line)]),
    '  next: muster run\n',
  ].join('')
}
