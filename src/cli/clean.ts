/** muster clean: what Muster stores on disk for this project, and the removal of what is no longer needed. */
import { existsSync } from 'node:fs'
import { databaseFile, systemClock, withCommands } from '../app.ts'
import { formatBytes } from '../domain/bytes.ts'
import { formatAge } from '../domain/duration.ts'
import { ERROR_CODES } from '../domain/errors.ts'
import type { CleanReport, Discarded } from '../engine/jobs/clean.ts'
import type { DiskUse, WorkspaceUse } from '../engine/jobs/disk.ts'
import { openProject } from '../project.ts'
import { diskUse } from '../upkeep.ts'
import type { Io } from './io.ts'
import { oneLine, printJson } from './io.ts'
import { withWaitMessage } from './progress.ts'
import { person, refuseInsideTask } from './session.ts'

const branchesShownMax = 20

export async function clean(io: Io, _: string[], options: Record<string, unknown>): Promise<number> {
  const { apply, discard: workspace, json } = options
  if (apply === true) refuseInsideTask(io, 'muster clean --apply')
  if (typeof workspace === 'string') refuseInsideTask(io, 'muster clean --discard')
  const project = await openProject(io.cwd, io.env)
  const show = <T>(value: T, render: (value: T) => string) => {
    if (json === true) printJson(io, value)
    else io.out(render(value))
  }
  if (typeof workspace === 'string') {
    const by = person(io)
    show(await withCommands(project, io.env, (commands) => commands.discard({ workspace, by })), discardedText)
    return 0
  }
  // Without data there is nothing to lock, and looking leaves no trace.
  if (apply !== true || !existsSync(databaseFile(project))) {
    const use = await withWaitMessage(io, 'measuring', diskUse(project))
    show(use, (found) => useText(found, systemClock.now()))
    return 0
  }
  const { retention } = project.config
  const cleaning = withCommands(project, io.env, (commands) => commands.clean({ retention }))
  const report = await withWaitMessage(io, 'cleaning', cleaning)
  show(report, reportText)
  return report.failed.length > 0 ? ERROR_CODES.failed.exit : 0
}

function useText(use: DiskUse, now: number): string {
  const { workspaces, runs, golden, mirror, retention } = use
  const state = (wanted: WorkspaceUse['state']) => workspaces.filter((workspace) => workspace.state === wanted)
  const rows: [string, number, string][] = [
    [
      'mirror',
      mirror.bytes,
      counts([
        [mirror.snapshots, 'snapshot', 'snapshots'],
        [mirror.superseded, 'superseded'],
      ]),
    ],
    [
      'workspaces',
      total(workspaces),
      counts([
        [state('in-use').length, 'in use'],
        [state('unsaved').length, 'with unsaved work'],
        [state('unknown').length, 'unknown'],
        [state('saved').length, 'left over'],
      ]),
    ],
    [
      'runs',
      total(Object.values(runs)),
      counts([
        [runs.needed.count, 'of open tasks or kept workspaces'],
        [runs.recent.count, 'of finished tasks'],
        [runs.unknown.count, 'unknown'],
        [runs.expired.count, `of tasks that finished ${kept(retention.runsMs)} ago`],
      ]),
    ],
    [
      'golden',
      total(Object.values(golden)),
      counts([
        [golden.recent.count, 'used recently'],
        [golden.expired.count, `not used for ${kept(retention.goldenMs)}`],
      ]),
    ],
    ['database', use.database, ''],
    ['other', use.other, ''],
  ]
  const lines = [`${formatBytes(use.bytes)} in ${use.dataDir}`]
  for (const [name, bytes, what] of rows.filter(([, bytes]) => bytes > 0)) {
    lines.push(`  ${name.padEnd(11)} ${formatBytes(bytes).padStart(8)}  ${what}`.trimEnd())
  }
  const unsaved = [...state('unsaved'), ...state('unknown')]
  if (unsaved.length > 0) lines.push('', 'Kept, because they may hold work that exists nowhere else:')
  for (const { run, bytes, since, why, path } of unsaved) {
    const age = formatAge(Math.max(0, now - Date.parse(since)))
    lines.push(`  ${run}  ${formatBytes(bytes)}, ${age} old: ${oneLine(why ?? '', 300)}`, `    ${path}`)
  }
  if (use.branches.length > 0) lines.push('', `Branches whose work has landed: ${use.branches.length}`)
  for (const { branch, why } of use.branches.slice(0, branchesShownMax))
    lines.push(`  ${branch}${why === null ? '' : `  stays: ${oneLine(why, 300)}`}`)
  if (use.branches.length > branchesShownMax) lines.push(`  … and ${use.branches.length - branchesShownMax} more`)
  return `${lines.join('\n')}\n${nextText(use, unsaved)}`
}

function nextText(
  { removable, workspaces, runs, golden, mirror, branches }: DiskUse,
  unsaved: readonly WorkspaceUse[],
): string {
  const over = workspaces.some(({ state }) => state === 'saved') || runs.expired.count + golden.expired.count > 0
  const may = [
    ...(unsaved.some(({ state }) => state === 'unsaved') ? ['try again to save the unsaved work'] : []),
    ...(over || mirror.superseded > 0 ? [`remove what is no longer needed (${formatBytes(removable)})`] : []),
    ...(branches.some(({ why }) => why === null) ? ['remove the branches'] : []),
  ]
  if (may.length === 0 && unsaved.length === 0) return '\nnothing to clean up\n'
  const lines = may.length === 0 ? [] : [`  muster clean --apply   ${may.join(' and ')}`]
  if (unsaved[0] !== undefined) lines.push(`  muster clean --discard ${unsaved[0].run}   delete its unsaved work`)
  return `\n${lines.join('\n')}\n`
}

function reportText({ saved, removed, kept: unsaved, failed, postponed }: CleanReport): string {
  const lines = saved.map(({ run, task, branch }) =>
    branch === null
      ? `${run} had changed no files`
      : `${run} is saved now: ${branch} (muster submit ${task} ${branch} makes it an attempt)`,
  )
  const gone = counts([
    [removed.workspaces, 'workspace', 'workspaces'],
    [removed.runs, 'run folder', 'run folders'],
    [removed.golden, 'golden copy', 'golden copies'],
    [removed.snapshots, 'snapshot', 'snapshots'],
    [removed.branches, 'branch', 'branches'],
  ])
  lines.push(gone === '' ? 'nothing was removed' : `removed ${formatBytes(removed.bytes)}: ${gone}`)
  if (postponed !== null) lines.push(`snapshots, golden copies and branches were not cleaned: ${postponed}`)
  for (const { run, why, path } of unsaved) {
    lines.push(
      `kept ${run}: ${oneLine(why, 300)}`,
      `  ${path}`,
      `  muster clean --discard ${run}   delete its unsaved work`,
    )
  }
  for (const { path, why } of failed) lines.push(`could not remove ${path}: ${oneLine(why, 300)}`)
  return `${lines.join('\n')}\n`
}

function discardedText({ run, path, changes, files }: Discarded): string {
  const more = (changes ?? 0) > files.length ? [`  … and ${(changes ?? 0) - files.length} more`] : []
  const what =
    changes === null ? 'unknown changes' : counts([[changes, 'changed path', 'changed paths']]) || 'no changes'
  return `${[`${run} held ${what}`, ...files.map((file) => `  ${oneLine(file)}`), ...more, `removed ${path}`].join('\n')}\n`
}

/** `3 in use, 1 unknown`: what there is none of is not told. */
function counts(parts: readonly (readonly [count: number, one: string, many?: string])[]): string {
  return parts
    .filter(([count]) => count > 0)
    .map(([count, one, many = one]) => `${count} ${count === 1 ? one : many}`)
    .join(', ')
}

const kept = (ms: number | null): string => (ms === null ? 'ever' : formatAge(ms))

function total(amounts: readonly { bytes: number }[]): number {
  return amounts.reduce((bytes, amount) => bytes + amount.bytes, 0)
}
